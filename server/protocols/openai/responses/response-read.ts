/** A whole answer of an upstream of this dialect. Tolerant: unknown items become native parts, broken ones are dropped. */
import type { CodecContext, Memo, ReadResponse } from '#canonical/codec'
import type { CallPart, MediaPart, NativePart, Part, Phase, TokenLogprob } from '#canonical/conversation'
import type { PartHead } from '#canonical/conversation-event'
import { type JsonObject, readBody } from '#protocols/codec/fields'
import { clientName } from '#protocols/codec/tool-names'
import { isObject } from '#shared/json'
import { unplaced } from '../answer.ts'
import { itemsAmount } from '../item-meter.ts'
import { readAnnotations } from './citations.ts'
import { compactionState } from './compaction.ts'
import { notAnAnswer } from './error.ts'
import { readFinish } from './finish.ts'
import { reasoningParts } from './reasoning.ts'
import { parseResponse } from './response-meter.ts'
import { readUsage, searchCalls, searchesOf, settleUsage } from './usage.ts'

/** Throws GatewayError `upstream_error` when the body is not an answer, or an unfinished one. */
export function readResponse(body: string, memo: Memo, codecContext: CodecContext): ReadResponse {
  const response = parseResponse(body)
  if (response.status === 'queued' || response.status === 'in_progress') throw notAnAnswer()
  const { parts, logprobs } = readOutputItems(response.output, { memo, codecContext })
  const held = { call: parts.some((part) => part.kind === 'call'), refusal: parts.some((part) => part.kind === 'refusal') }
  const delivered = itemsAmount(response.output)
  const searches = searchesOf(response, searchCalls(response.output))
  return {
    ...headOf(response, codecContext),
    choices: [{ index: 0, parts, finish: readFinish(response, held), ...(logprobs.length > 0 && { logprobs }) }],
    usage: settleUsage(readUsage(response.usage, delivered), delivered, searches, { inputBytes: 0, isOver: true }),
    ...(typeof response.service_tier === 'string' && { tier: response.service_tier }),
    ...unplaced(unplacedIn(response)),
  }
}

/** Fields of a response that are read here, that repeat the request, or that only its upstream uses. */
export const placed = `id object model created_at completed_at status error incomplete_details output usage tool_usage service_tier
  background conversation frequency_penalty instructions max_output_tokens max_tool_calls metadata parallel_tool_calls
  presence_penalty previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning
  safety_identifier store temperature text tool_choice tools top_logprobs top_p truncation user billing`.split(/\s+/)

/** The same for items, by type; those of other types are kept unchanged. A prompt that was revised has no place. */
export const placedInItem: Readonly<Record<string, readonly string[]>> = {
  message: ['type', 'id', 'status', 'role', 'content', 'phase'],
  reasoning: ['type', 'id', 'status', 'summary', 'content', 'encrypted_content'],
  function_call: ['type', 'id', 'status', 'call_id', 'name', 'namespace', 'arguments'],
  custom_tool_call: ['type', 'id', 'status', 'call_id', 'name', 'namespace', 'input'],
  image_generation_call: ['type', 'id', 'status', 'result', 'output_format', 'action', 'background', 'quality', 'size'],
}

export const placedInContent = ['type', 'text', 'transcript', 'refusal', 'annotations', 'logprobs']

/** Paths of the fields of a response that have no place in a conversation. */
function unplacedIn(response: Item): string[] {
  const { fields, unread } = readBody(response)
  for (const one of fields.objectsIf('output')) {
    const item = one.as<JsonObject>()
    const type = item.textIf('type') ?? ''
    const known = Object.hasOwn(placedInItem, type) ? placedInItem[type] : undefined
    if (!known) item.whole()
    if (type === 'message') for (const part of item.objectsIf('content')) part.as<JsonObject>().ignore(...placedInContent)
    item.ignore(...(known ?? []))
  }
  fields.ignore(...placed)
  return unread()
}

/** Id, model and date of an answer, with defaults for those that the upstream leaves out. */
export function headOf({ id, model, created_at: created }: Record<string, unknown>, codecContext: CodecContext) {
  return {
    id: typeof id === 'string' && id !== '' ? id : codecContext.id('resp_'),
    model: typeof model === 'string' ? model : '',
    created: typeof created === 'number' && created > 0 ? Math.floor(created) : Math.floor(codecContext.now() / 1000),
  }
}

type Item = Record<string, unknown>

export interface Output {
  parts: Part[]
  logprobs: TokenLogprob[]
}

/** The context of reading an answer. */
export interface Reading {
  memo: Memo
  codecContext: CodecContext
}

/** The items of an `output` as parts, with the log probabilities of their texts. */
export function readOutputItems(output: unknown, reading: Reading): Output {
  const logprobs: TokenLogprob[] = []
  const items = Array.isArray(output) ? output.filter(isObject) : []
  return { parts: items.flatMap((item) => readOutputItem(item, reading, logprobs)), logprobs }
}

function readOutputItem(item: Item, reading: Reading, logprobs: TokenLogprob[]): Part[] {
  switch (item.type) {
    case 'message':
      return readMessage(item, logprobs)
    case 'reasoning':
      return reasoningParts(item)
    case 'function_call':
    case 'custom_tool_call': {
      const { opaque: _, ...head } = callHead(item, reading)
      return [{ ...head, argsText: callText(item) }]
    }
    case 'image_generation_call':
      return [imageOf(item) ?? native(item)]
    default:
      return [native(item)]
  }
}

function readMessage(item: Item, logprobs: TokenLogprob[]): Part[] {
  const phase = phaseOf(item)
  const content = Array.isArray(item.content) ? item.content.filter(isObject) : []
  return content.flatMap((part): Part[] => {
    if (part.type === 'refusal')
      return typeof part.refusal === 'string' && part.refusal !== '' ? [{ kind: 'refusal', text: part.refusal }] : []
    logprobs.push(...readLogprobs(part.logprobs))
    const text = textOf(part)
    const citations = readAnnotations(part.annotations)
    return text === '' && citations.length === 0
      ? []
      : [{ kind: 'text', text, ...(phase && { phase }), ...(citations.length > 0 && { citations }) }]
  })
}

/** The text of a part; for sound, its transcript. */
export function textOf(part: Item): string {
  const text = part.text ?? part.transcript
  return typeof text === 'string' ? text : ''
}

/** The phase of a message item, if known. */
export const phaseOf = ({ phase }: Item): Phase | undefined => (phase === 'commentary' || phase === 'final_answer' ? phase : undefined)

/** The head of a call, with the client's own name of the tool. */
export function callHead(item: Item, { memo, codecContext }: Reading): Extract<PartHead, { kind: 'call' }> {
  const named = clientName(memo, typeof item.name === 'string' ? item.name : '')
  const namespace = typeof item.namespace === 'string' ? item.namespace : named.namespace
  return {
    kind: 'call',
    callId: typeof item.call_id === 'string' && item.call_id !== '' ? item.call_id : codecContext.id('call_'),
    name: named.name,
    form: formOf(item),
    ...(namespace !== undefined && { namespace }),
  }
}

/** The form of the arguments of a call item. */
export const formOf = ({ type }: Item): CallPart['form'] => (type === 'custom_tool_call' ? 'text' : 'json')

/** Arguments or input; a function without arguments has an empty object. */
export function callText(item: Item): string {
  const text = item.type === 'custom_tool_call' ? item.input : item.arguments
  const written = typeof text === 'string' ? text : ''
  return written === '' && item.type === 'function_call' ? '{}' : written
}

/** The picture that a call made, if it did. */
export function imageOf({ result, output_format: format }: Item): MediaPart | undefined {
  if (typeof result !== 'string' || result === '') return undefined
  const kind = typeof format === 'string' && /^[a-z]{2,8}$/.test(format) ? format : 'png'
  return { kind: 'media', media: 'image', source: { data: result }, mimeType: `image/${kind === 'svg' ? 'svg+xml' : kind}` }
}

/** An item without a canonical equivalent, unchanged. */
export const native = (item: Item): NativePart => ({ kind: 'native', dialect: 'responses', raw: item, ...compactionState(item) })

/** Log probabilities of a text part, in the canonical form. */
export function readLogprobs(entries: unknown): TokenLogprob[] {
  if (!Array.isArray(entries)) return []
  return entries.filter(isObject).map((entry) => ({
    ...readToken(entry),
    top: Array.isArray(entry.top_logprobs) ? entry.top_logprobs.filter(isObject).map(readToken) : [],
  }))
}

function readToken({ token, logprob, bytes }: Item): Omit<TokenLogprob, 'top'> {
  return {
    token: typeof token === 'string' ? token : '',
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : null,
  }
}
