/**
 * Cohere's rerank, version 2: documents are texts and are not returned, and billing is in search units. Its clients have an endpoint of
 * their own; a request is passed to a Cohere upstream unchanged.
 */
import type { Target } from '#canonical/codec'
import type { Incoming, OperationCodec, WrittenAnswer, WrittenOperation } from '#canonical/operation/operation'
import type { RerankAnswer, RerankQuestion } from '#canonical/operation/rerank'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { editRequest } from './edit.ts'
import { cohereSettings, lostDocumentFields, type RerankHead, readHead, readQuestion, searchesOf } from './request.ts'
import { readAnswer, readWhole } from './response.ts'

/** Without them the ranking may differ: how long documents are truncated or split, which fields count, instructions. */
const meant = ['max_chunks_per_doc', 'overlap_tokens', 'truncation', 'rank_fields', 'instruction']

function writeQuestion({ query, documents, topN, settings }: RerankQuestion, { model }: Target) {
  const losses = lossList()
  lostDocumentFields(documents, losses)
  const body: Record<string, unknown> = { model, query, documents: documents.map(({ text }) => text) }
  if (topN !== undefined) body.top_n = Math.min(topN, documents.length)
  for (const [name, value] of Object.entries(settings)) {
    if (value === null) continue
    if (cohereSettings.some((known) => known === name)) body[name] = value
    else if (meant.includes(name)) losses.dropped(`rerank.${name}`, 'This upstream has no such setting.')
    else recordUnread([name], losses)
  }
  return { requests: [{ body }] as [WrittenOperation], losses: losses.losses }
}

/** Its own settings do not count as missing in another style. */
function readOwnHead(incoming: Incoming): RerankHead {
  const { foreign: _, ...head } = readHead(incoming)
  return head
}

/** Searches by their definition, if the upstream counts something else: the client is charged by Parley. */
function writeAnswer({ results }: RerankAnswer, question: RerankQuestion): WrittenAnswer {
  const written = results.map(({ index, score }) => ({ index, relevance_score: score }))
  const meta = { api_version: { version: '2' }, billed_units: { search_units: searchesOf(question) } }
  return { body: JSON.stringify({ results: written, meta }), losses: [] }
}

/** `POST /v2/rerank`, passed and converted. */
export const cohereRerank: Omit<OperationCodec<RerankQuestion, RerankAnswer, RerankHead>, 'readError'> = {
  style: 'cohere',
  readHead: readOwnHead,
  editRequest,
  readWhole,
  readQuestion,
  writeQuestion,
  readAnswer,
  writeAnswer,
}
