/**
 * Rerank in the format of Jina and of servers that copy it (vLLM, llama.cpp, SiliconFlow, ...). It is the endpoint's own style, so requests
 * pass unchanged; only one with Cohere's own settings is rewritten.
 */
import type { Target } from '#canonical/codec'
import type { OperationCodec, WrittenOperation } from '#canonical/operation/operation'
import type { RerankAnswer, RerankQuestion } from '#canonical/operation/rerank'
import { lossList } from '#protocols/codec/field-writers'
import { editRequest } from './edit.ts'
import { cohereSettings, type RerankHead, readHead, readQuestion } from './request.ts'
import { readAnswer, readWhole, writeAnswer } from './response.ts'

function writeQuestion({ query, documents, topN, returnDocuments, settings }: RerankQuestion, { model }: Target) {
  const losses = lossList()
  const kept = { ...settings }
  for (const setting of cohereSettings) {
    if (kept[setting] === undefined || kept[setting] === null) continue
    delete kept[setting]
    const report = setting === 'priority' ? losses.leftOut : losses.dropped
    report(`rerank.${setting}`, 'This upstream has no such setting.')
  }
  const body: WrittenOperation['body'] = {
    model,
    query,
    documents: documents.map(({ sent }) => sent),
    ...(topN !== undefined && { top_n: topN }),
    ...(returnDocuments !== undefined && { return_documents: returnDocuments }),
    ...kept,
  }
  return { requests: [{ body }] as [WrittenOperation], losses: losses.losses }
}

/** Errors are not read as Jina's: most of these servers use OpenAI's error format. */
export const jinaRerank: Omit<OperationCodec<RerankQuestion, RerankAnswer, RerankHead>, 'readError'> = {
  style: 'jina',
  readHead,
  editRequest,
  readWhole,
  readQuestion,
  writeQuestion,
  readAnswer,
  writeAnswer,
}
