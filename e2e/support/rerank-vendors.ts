/**
 * Scripted rerank vendors over real TCP, written from their documents: what they refuse, how they answer, what they count. Relevance is the
 * share of the query's words that a document contains.
 */
import { respondJson } from '#testing/upstream/scripted-answers'
import type { Exchange, Script } from '#testing/upstream/scripted-upstream'

interface Body {
  model: string
  query: string
  documents: (string | { text: string })[]
  top_n?: number
  return_documents?: boolean
}

const textOf = (document: Body['documents'][number]) => (typeof document === 'string' ? document : document.text)

function ranked({ query, documents }: Body): { index: number; relevance_score: number }[] {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean)
  return documents.map((document, index) => {
    const text = textOf(document).toLowerCase()
    return { index, relevance_score: words.filter((word) => text.includes(word)).length / words.length }
  })
}

const best = (body: Body) =>
  ranked(body)
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, body.top_n)

function vendor(path: string, fields: readonly string[], refuse: (message: string) => object, play: (body: Body) => object): Script {
  return async (exchange: Exchange) => {
    const { request } = exchange
    const body = request.json() as Body
    const unknown = Object.keys(body).find((field) => !fields.includes(field))
    const respond = (status: number, answer: object) => respondJson(status, answer)(exchange)
    if (request.target !== path) return respond(404, refuse('not found'))
    if (request.header('authorization') !== 'Bearer sk-vendor') return respond(401, refuse('invalid api token'))
    if (unknown !== undefined) return respond(422, refuse(`unknown field: parameter '${unknown}' is not a valid field`))
    return respond(200, play(body))
  }
}

/** Jina: sorts, truncates, returns documents, counts tokens. */
export const jinaVendor = (tokens = 120): Script =>
  vendor(
    '/v1/rerank',
    ['model', 'query', 'documents', 'top_n', 'return_documents', 'truncation'],
    (detail) => ({ detail }),
    (body) => ({
      model: body.model,
      object: 'list',
      usage: { total_tokens: tokens },
      results: best(body).map((result) => {
        const document = body.documents[result.index] ?? ''
        return body.return_documents === false ? result : { ...result, document: { text: textOf(document) } }
      }),
    }),
  )

/** Cohere, version 2: documents are texts, none is returned, and search units are billed. */
export const cohereVendor = (searches = 1): Script =>
  vendor(
    '/v2/rerank',
    ['model', 'query', 'documents', 'top_n', 'max_tokens_per_doc', 'priority'],
    (message) => ({ id: 'e', message }),
    (body) => {
      if (!body.documents.every((document) => typeof document === 'string')) throw new Error('a document is not a text')
      return {
        id: '07734bd2-2473-4f07-94e1-0d9f0e6843cf',
        results: best(body),
        meta: { api_version: { version: '2' }, billed_units: { search_units: searches } },
      }
    },
  )

/** A local server that does not sort, ignores `top_n`, always returns documents and counts nothing. */
export const sloppyVendor: Script = (exchange) => {
  const body = exchange.request.json() as Body
  const results = ranked(body).map((result) => ({ ...result, document: { text: 'from the server' } }))
  return respondJson(200, { id: 'x', model: body.model, results })(exchange)
}
