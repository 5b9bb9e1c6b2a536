/** What Parley itself reads and changes of a Completions request that passes; everything else passes unseen. */
import type { Head, RequestBody, RequestEdits, ScannedBody } from '#canonical/codec'
import { bodyNames } from '#protocols/codec/body-names'
import { scanned, standInsOf } from '#protocols/codec/head'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { CompletionsRequest } from '#shared/protocols/openai/completions'
import { scanObject } from '#wire/json-scan'
import { editFields } from '../edit.ts'
import { type Body, isAbsent, readCount, readFlag, readModel, wrong } from '../fields.ts'

const names = bodyNames('openai', [CompletionsRequest])
/** Scans a body. Throws GatewayError unless the text is an unambiguous JSON object. */
export const scan = (text: string): ScannedBody => scanObject(text, names)

/** Throws GatewayError 400 with the field's name as `param`; unknown fields pass. */
export function readHead(given: RequestBody): Head {
  const { text: raw, value: body } = scanned(given, scan)
  const answers = Math.max(readCount(body, 'n', 128) ?? 1, readCount(body, 'best_of', 128) ?? 1)
  const limit = readCount(body, 'max_tokens', Number.MAX_SAFE_INTEGER, 0)
  const { user } = body
  return {
    model: readModel(body.model),
    stream: readFlag(body, 'stream') ?? false,
    // Every prompt of a list is answered, and every candidate for the best answer is made.
    n: promptCount(body) * answers,
    ...(limit !== undefined && { maxOutput: limit }),
    inputBytes: Buffer.byteLength(raw),
    usageAsked: isObject(body.stream_options) && body.stream_options.include_usage === true,
    media: [],
    searchAsked: false,
    ...standInsOf(body),
    affinity: typeof user === 'string' && user !== '' && user.length <= 512 ? [user] : [],
  }
}

const isToken = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isPrompt = (value: unknown) => typeof value === 'string' || (Array.isArray(value) && value.length > 0 && value.every(isToken))

function promptCount({ prompt }: Body): number {
  if (isAbsent(prompt) || isPrompt(prompt)) return 1
  if (Array.isArray(prompt) && prompt.length > 0 && prompt.every(isPrompt)) return prompt.length
  throw wrong('prompt', 'text, a list of texts, or lists of token ids')
}

/**
 * `raw` is a body that readHead accepted. The channel's system prompt is put before every prompt, with a blank line between; throws
 * GatewayError `unsupported_value` unless the prompt is text.
 */
export function editRequest(raw: string, edits: RequestEdits): string {
  return editFields(raw, edits, { field: 'prompt', put: withPrefix })
}

function withPrefix(json: string | undefined, systemPrompt: string): string {
  const prompt: unknown = json === undefined ? '' : (JSON.parse(json) ?? '')
  const prefixed = (text: unknown) => {
    if (typeof text !== 'string') {
      throw new GatewayError('unsupported_value', 'This upstream puts its own text before every prompt.', { param: 'prompt' })
    }
    return `${systemPrompt}\n\n${text}`
  }
  return JSON.stringify(Array.isArray(prompt) ? prompt.map(prefixed) : prefixed(prompt))
}
