/** What Parley itself reads of a Chat request; everything else passes unseen. */
import type { Head } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { isObject, scanObject } from '#wire/json-scan'

type Body = Record<string, unknown>

/** Throws GatewayError 400 with the field's name as `param`; unknown fields and kinds pass. */
export function readHead(raw: string): Head {
  const body = scanObject(raw).value
  const head: Head = {
    model: readModel(body.model),
    stream: readStream(body.stream),
    n: readCount(body, 'n', 128) ?? 1,
    inputBytes: Buffer.byteLength(raw),
    usageAsked: isObject(body.stream_options) && body.stream_options.include_usage === true,
    media: mediaIn(readMessages(body.messages)),
    searchAsked: asksSearch(body),
    affinity: affinityOf(body),
  }
  const limits = [readCount(body, 'max_tokens'), readCount(body, 'max_completion_tokens')].filter((limit) => limit !== undefined)
  if (limits.length > 0) head.maxOutput = Math.max(...limits)
  if (typeof body.group === 'string') head.group = body.group
  return head
}

function missing(param: string): GatewayError {
  return new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
}

function wrong(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })
}

function readModel(model: unknown): string {
  if (model === undefined || model === null) throw missing('model')
  const isName = typeof model === 'string' && model.length > 0 && model.length <= 256 && model.isWellFormed() && !/\p{Cc}/u.test(model)
  if (!isName) throw wrong('model', 'a name of 1 to 256 characters without control characters')
  return model
}

function readMessages(messages: unknown): unknown[] {
  if (messages === undefined || messages === null) throw missing('messages')
  if (!Array.isArray(messages) || messages.length === 0) throw wrong('messages', 'a list with at least one message')
  return messages
}

function readStream(stream: unknown): boolean {
  if (stream === undefined || stream === null) return false
  if (typeof stream !== 'boolean') throw wrong('stream', 'true or false')
  return stream
}

function readCount(body: Body, field: string, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most) return value
  throw wrong(field, most === Number.MAX_SAFE_INTEGER ? 'a positive integer' : `an integer from 1 to ${most}`)
}

/** Kinds of media by part type; a type that is not known here is `other`. */
const kinds: Readonly<Record<string, string>> = {
  image_url: 'image',
  input_image: 'image',
  image: 'image',
  input_audio: 'audio',
  audio: 'audio',
  file: 'file',
  input_file: 'file',
}

function mediaIn(messages: unknown[]): string[] {
  const media = new Set<string>()
  for (const message of messages) {
    if (!isObject(message)) continue
    if (isObject(message.audio)) media.add('audio')
    if (!Array.isArray(message.content)) continue
    for (const part of message.content) {
      if (!isObject(part) || part.type === 'text' || part.type === 'refusal') continue
      media.add((typeof part.type === 'string' && Object.hasOwn(kinds, part.type) && kinds[part.type]) || 'other')
    }
  }
  return [...media]
}

function asksSearch(body: Body): boolean {
  if (body.web_search_options !== undefined && body.web_search_options !== null) return true
  if (!Array.isArray(body.tools)) return false
  return body.tools.some((tool) => isObject(tool) && tool.type !== 'function' && tool.type !== 'custom' && !isObject(tool.function))
}

function affinityOf(body: Body): string[] {
  const userId = isObject(body.metadata) ? body.metadata.user_id : undefined
  return [body.prompt_cache_key, body.user, userId].filter(
    (value): value is string => typeof value === 'string' && value !== '' && value.length <= 512,
  )
}
