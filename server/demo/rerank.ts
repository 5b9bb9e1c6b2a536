/** Reranking of the demo: relevance is the share of the query's words that occur in the document. */
import { type Fields, isObject } from './chat-rules.ts'
import { tokensIn } from './prompt.ts'
import type { JsonResult, Refusal } from './refusal.ts'

const fault = (message: string, param: string): Refusal => ({ status: 400, message, param, code: null })

/** Answers `/v1/rerank`, or rejects what a real vendor would reject. */
export function rerank(body: Fields): JsonResult {
  const { query, documents } = body
  if (typeof query !== 'string' || query === '') return { refusal: fault('query must be text.', 'query') }
  const texts = Array.isArray(documents) ? documents.map(textOf) : []
  if (texts.length === 0 || !texts.every((text) => text !== undefined)) {
    return { refusal: fault('documents must be a list of texts or of objects with text.', 'documents') }
  }
  const wanted = wordsOf(query)
  const ranking = texts.map((text, index) => ({ index, relevance_score: relevance(wanted, wordsOf(text)), document: { text } }))
  const results = ranking.toSorted((a, b) => b.relevance_score - a.relevance_score).slice(0, Number(body.top_n ?? texts.length))
  const tokens = texts.reduce((sum, text) => sum + tokensIn(query + text), 0)
  return {
    answer: {
      model: body.model,
      results: body.return_documents === true ? results : results.map(({ document: _given, ...ranked }) => ranked),
      usage: { total_tokens: tokens, prompt_tokens: tokens },
    },
  }
}

const textOf = (document: unknown) => (isObject(document) ? document.text : document)?.toString()

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [])

/** Rounded to four digits, for readable answers. */
function relevance(wanted: ReadonlySet<string>, given: ReadonlySet<string>): number {
  const found = [...wanted].filter((word) => given.has(word)).length
  return Math.round((found / Math.max(1, wanted.size)) * 10_000) / 10_000
}
