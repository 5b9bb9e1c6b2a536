/** A whole Messages answer as a conversation's. */
import type { CodecContext, Memo, ReadResponse } from '#canonical/codec'
import type { CallPart, NativePart, Part } from '#canonical/conversation'
import type { PartHead } from '#canonical/conversation-event'
import { nothingDelivered, settled } from '#canonical/delivered'
import { lossList } from '#protocols/codec/field-writers'
import { type Fields, readBody } from '#protocols/codec/fields'
import { clientName } from '#protocols/codec/tool-names'
import { unwrapInput } from '#protocols/codec/wrapped-tool'
import { exact, keepDigits, keepFloats } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { MessagesBlock, MessagesResponse } from '#shared/protocols/anthropic/messages'
import { broken, type Json, jsonText } from '../frame.ts'
import { readCitation } from './citations.ts'
import { readFinish } from './finish.ts'
import { measure, parseAnswer } from './response-meter.ts'
import { readUsage, recordBreakdown } from './usage.ts'

/** Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function readResponse(body: string, memo: Memo, codecContext: CodecContext): ReadResponse {
  const answer = parseAnswer(body)
  keepDigits(body, answer)
  if (body.includes('"tool_use"')) keepFloats(body, answer)
  const { fields, unread } = readBody<MessagesResponse>(answer)
  const parts = fields
    .objectsIf('content')
    .map((block) => readAnswerBlock(block, memo))
    .filter((part) => part !== undefined)
  const hasCalls = parts.some(({ kind }) => kind === 'call')
  const delivered = nothingDelivered()
  for (const block of answer.content) measure(block, delivered)
  const usage = fields.json('usage')
  const tier = readServedTier(usage)
  const finish = readFinish(fields.json('stop_reason'), fields.json('stop_sequence'), hasCalls)
  const losses = lossList()
  recordBreakdown(usage, losses)
  fields.ignore(...placed)
  for (const path of unread().slice(0, mostPaths)) losses.dropped(path, 'Parley does not know this field of the answer.')
  return {
    id: fields.textIf('id') ?? codecContext.id('msg_'),
    model: fields.textIf('model') ?? '',
    created: Math.floor(codecContext.now() / 1000),
    choices: [{ index: 0, parts, finish }],
    usage: settled(readUsage(usage, delivered), delivered, { inputBytes: 0, isOver: true }),
    ...(tier !== undefined && { tier }),
    ...(losses.losses.length > 0 && { losses: losses.losses }),
  }
}

/** Fields of an answer that have a place in every other dialect, or are the same in every answer. */
export const placed = ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'] as const

/** Maximum paths that are listed one by one: an upstream that invents fields must not fill the log. */
const mostPaths = 32

/** The canonical tier that served the answer; undefined when the usage does not report it. */
export function readServedTier(usage: unknown): string | undefined {
  if (!isObject(usage) || typeof usage.service_tier !== 'string') return undefined
  return usage.service_tier === 'standard' ? 'default' : usage.service_tier
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Undefined for empty text. Unknown kinds are kept unchanged. */
export function readAnswerBlock(block: Fields<MessagesBlock>, memo: Memo): Part | undefined {
  switch (block.textIf('type')) {
    case 'text': {
      const list = block.json('citations')
      const citations = Array.isArray(list) ? list.map(readCitation).filter((one) => one !== undefined) : []
      const words = block.textIf('text') ?? ''
      return words === '' ? undefined : { kind: 'text', text: words, ...(citations.length > 0 && { citations }) }
    }
    case 'thinking': {
      const [thought, value] = [block.textIf('thinking') ?? '', block.textIf('signature') ?? '']
      const opaque = value === '' ? [] : [{ dialect: 'messages' as const, kind: 'signature' as const, value }]
      return { kind: 'reasoning', text: thought === '' ? [] : [thought], form: 'full', opaque }
    }
    case 'redacted_thinking': {
      const value = block.textIf('data') ?? ''
      return { kind: 'reasoning', text: [], form: 'hidden', opaque: [{ dialect: 'messages', kind: 'redacted', value }] }
    }
    case 'tool_use':
      return readAnswerCall(block, memo)
    default:
      return nativeOf(exact(block.whole()))
  }
}

function readAnswerCall(block: Fields<MessagesBlock>, memo: Memo): CallPart {
  // A call of the client's tools is always made by the model itself.
  block.objectIf('caller')?.ignore('type')
  const call = { id: block.json('id'), name: block.json('name'), input: block.json('input') }
  const head = callHead(call, memo)
  const argsText = inputText(call)
  return { ...head, argsText: head.form === 'text' ? unwrapInput(argsText) : argsText }
}

/** The whole input of a call as JSON text. Throws GatewayError `upstream_error` when it nests too deep to be written. */
export function inputText({ input }: Json): string {
  const json = jsonText(isObject(input) ? input : {})
  if (json === undefined) throw broken()
  return json
}

/** The head of a call, before its arguments, with the client's tool name. */
export function callHead(block: Json, memo: Memo): Extract<PartHead, { kind: 'call' }> {
  const client = clientName(memo, text(block.name))
  return { kind: 'call', callId: text(block.id), ...client, form: memo.wrappedTools.includes(client.name) ? 'text' : 'json' }
}

/** A block that only this dialect can show. It has no text replacement, because the answer makes sense without it. */
export const nativeOf = (raw: Json): NativePart => ({ kind: 'native', dialect: 'messages', raw })
