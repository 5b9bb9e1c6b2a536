/**
 * `countTokens`: the number of tokens of a request, given as bare contents or as a whole generateContent request. Contains both halves:
 * passing the caller's bytes through, and converting.
 */
import type { Head, RequestBody, RequestEdits, Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { readBody } from '#protocols/codec/fields'
import { scanned } from '#protocols/codec/head'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import type { GeminiCountTokensRequest, GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { scanFields } from '#wire/json-scan'
import { fieldEdits, splice } from '#wire/splice'
import { scan } from '../body-names.ts'
import { readInnerError } from '../error.ts'
import { contentHead } from '../generate-content/head.ts'
import { readConversation } from '../generate-content/request-read.ts'
import { writeRequest } from '../generate-content/request-write.ts'
import { readPath } from '../path.ts'
import { numeric, pick, protoRules, snake } from '../proto-json.ts'
import { editRequest } from '../request-edit.ts'

const whole = 'generateContentRequest'

/** `path` is `{model}:countTokens`. Throws as the head of generateContent does. */
export function readCountHead(given: RequestBody, path?: string): Head {
  const { model, fields, text } = readAsked(given, path)
  return { ...contentHead(fields.whole(), model, fields.path), stream: false, inputBytes: Buffer.byteLength(text) }
}

/** Throws GatewayError 400 with `param` as the path in the caller's body. */
export function readCountRequest(given: RequestBody, path?: string): ConversationRequest {
  const { model, ...body } = readAsked(given, path)
  return readConversation(body, model, false)
}

function readAsked(given: RequestBody, path: string | undefined) {
  const { model, action } = readPath(path)
  if (action !== 'countTokens') throw new GatewayError('not_found', 'This action does not count tokens.')
  const { text, value } = scanned(given, scan)
  const { fields, unread } = readBody<GeminiCountTokensRequest>(value, protoRules)
  const inside = fields.object(whole)
  return { model, text, unread, fields: inside ?? fields.as<GenerateContentRequest>() }
}

/** The closed list of edits; the request inside repeats the model's name. */
export function editCountRequest(raw: string, edits: RequestEdits): string {
  const spans = scanFields(raw)
  const isWhole = isObject(pick(scan(raw).value, whole))
  if (!spans || !isWhole) return editRequest(raw, edits)
  const change = (json: string | undefined) => (json?.startsWith('{') ? editRequest(json, edits) : json)
  return splice(raw, fieldEdits(raw, spans, new Map([whole, snake(whole)].map((name) => [name, change]))))
}

/** Throws GatewayError `unsupported_value` when this upstream cannot take the request. */
export function writeCountRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const written = writeRequest(request, target)
  return { ...written, body: { [whole]: { model: `models/${target.model}`, ...written.body } } }
}

/** The tokens that an upstream counted. Throws GatewayError `upstream_error` when the body is not a token count. */
export function readCountResponse(body: string): number {
  const answer = parse(body)
  if (isObject(answer) && pick(answer, 'error') !== undefined) throw readInnerError(pick(answer, 'error'))
  const tokens = isObject(answer) ? numeric(pick(answer, 'totalTokens') ?? 0) : undefined
  if (tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0) return tokens
  throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a token count.')
}

/** The body that a Gemini client expects. */
export function writeCountResponse(tokens: number): string {
  return JSON.stringify({ totalTokens: tokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens }] })
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
