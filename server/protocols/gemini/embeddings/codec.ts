/**
 * Embeddings in Google's format: the actions `embedContent` and `batchEmbedContents`. Start with `request.ts` and `response.ts`. Knows no
 * other style.
 */
import type { EmbeddingAnswer, EmbeddingQuestion } from '#canonical/operation/embedding'
import type { OperationCodec } from '#canonical/operation/operation'
import { readError } from '../error.ts'
import { type EmbeddingHead, readHead, readQuestion, writeQuestion } from './request.ts'
import { editRequest } from './request-edit.ts'
import { readAnswer, readWhole, writeAnswer } from './response.ts'

/** Embeddings, for Google's clients and upstreams. */
export const embeddingCodec: OperationCodec<EmbeddingQuestion, EmbeddingAnswer, EmbeddingHead> = {
  style: 'gemini',
  readHead,
  editRequest,
  readWhole,
  readQuestion,
  writeQuestion,
  readAnswer,
  writeAnswer,
  readError,
}
