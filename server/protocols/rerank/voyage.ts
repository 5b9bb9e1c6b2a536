/**
 * Rerank of Voyage AI: documents are texts, the number of results is `top_k`, and the results are in `data`. No endpoint has this style.
 * Read: https://docs.voyageai.com/docs/reranker and the types of the package voyageai.
 */
import type { Target } from '#canonical/codec'
import type { OperationHead, OperationUpstream, WrittenOperation } from '#canonical/operation/operation'
import type { RerankAnswer, RerankQuestion } from '#canonical/operation/rerank'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { parseObject } from '#wire/json-scan'
import { lostDocumentFields } from './request.ts'
import { readAnswer } from './response.ts'

function writeQuestion({ query, documents, topN, settings }: RerankQuestion, { model }: Target) {
  const losses = lossList()
  lostDocumentFields(documents, losses)
  const { truncation, ...others } = settings
  const body: Record<string, unknown> = { model, query, documents: documents.map(({ text }) => text) }
  if (topN !== undefined) body.top_k = Math.min(topN, documents.length)
  if (typeof truncation === 'boolean') body.truncation = truncation
  recordUnread(
    Object.keys(others).filter((name) => others[name] !== null),
    losses,
  )
  return { requests: [{ body }] as [WrittenOperation], losses: losses.losses }
}

/** The answer in the format of the other two. */
function inOtherWords(body: string): string {
  const answer = parseObject(body)
  return answer && Array.isArray(answer.data) ? JSON.stringify({ ...answer, results: answer.data }) : body
}

/** Writes questions for Voyage and reads its answers. */
export const voyageRerank: Omit<OperationUpstream<RerankQuestion, RerankAnswer>, 'readError'> = {
  style: 'voyage',
  writeQuestion,
  readAnswer: (bodies: readonly string[], question: RerankQuestion, asked?: OperationHead) =>
    readAnswer(bodies.map(inOtherWords), question, asked),
}
