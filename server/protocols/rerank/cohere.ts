/**
 * Rerank of Cohere, version 2: documents are texts, nothing gives them back, and the bill is in search units. There is no
 * endpoint of this style: clients that know Cohere use the one for all.
 */
import type { Target } from '#canonical/codec'
import type { OperationUpstream, WrittenOperation } from '#canonical/operation/operation'
import type { RerankAnswer, RerankQuestion } from '#canonical/operation/rerank'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { cohereSettings, lostDocumentFields } from './request.ts'
import { readAnswer } from './response.ts'

/** Left out, another ranking may come: how long documents are cut or split, which fields count, what is wanted in words. */
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

/** Writes questions for Cohere and reads its answers. */
export const cohereRerank: Omit<OperationUpstream<RerankQuestion, RerankAnswer>, 'readError'> = {
  style: 'cohere',
  writeQuestion,
  readAnswer,
}
