/**
 * Embeddings in OpenAI's format, which most services copy. Start with `request.ts` and `response.ts`; formats of vectors are in
 * `vectors.ts`. Knows no other style.
 */
import type { RequestEdits } from '#canonical/codec'
import type { EmbeddingAnswer, EmbeddingQuestion } from '#canonical/operation/embedding'
import type { Incoming, OperationCodec } from '#canonical/operation/operation'
import { scanFields } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'
import { editFields } from '../edit.ts'
import { readError } from '../error.ts'
import { type EmbeddingHead, readHead, readQuestion, textOf, writeQuestion } from './request.ts'
import { readAnswer, readWhole, writeAnswer } from './response.ts'

/** A system prompt is for conversations. */
const nowhere = { field: '', put: (json: string | undefined) => json }

const editRequest = (incoming: Incoming, edits: RequestEdits): string => editFields(textOf(incoming), edits, nowhere)

/** `raw` with the model from the URL, overriding the body's; unchanged unless it is a JSON object. */
export function withModel(raw: string, model: string): string {
  const spans = scanFields(raw)
  return spans ? splice(raw, fieldEdits(raw, spans, new Map([['model', () => JSON.stringify(model)]]))) : raw
}

/** `POST /v1/embeddings`, passed and converted. */
export const embeddingCodec: OperationCodec<EmbeddingQuestion, EmbeddingAnswer, EmbeddingHead> = {
  style: 'openai',
  readHead,
  editRequest,
  readWhole,
  readQuestion,
  writeQuestion,
  readAnswer,
  writeAnswer,
  readError,
}
