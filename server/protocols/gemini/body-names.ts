/** Scans bodies of this family: every field has two spellings, of which a body may have one. */
import type { ScannedBody } from '#canonical/codec'
import { bodyNames } from '#protocols/codec/body-names'
import { GeminiBatchEmbedRequest } from '#shared/protocols/gemini/embeddings'
import { GeminiCountTokensRequest, GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { GeminiPredictRequest } from '#shared/protocols/gemini/predict'
import { scanObject } from '#wire/json-scan'
import { snake } from './proto-json.ts'

const names = bodyNames(
  'google',
  [GenerateContentRequest, GeminiCountTokensRequest, GeminiBatchEmbedRequest, GeminiPredictRequest],
  '',
  snake,
)

/** Scans a body. Throws GatewayError unless the text is an unambiguous JSON object. */
export const scan = (text: string): ScannedBody => scanObject(text, names)
