/** Measures the choices of an answer, streamed or whole: whether they have content, and how much. */

import type { StateRef } from '#canonical/codec'
import { type Delivered, soundTokens, textBytes } from '#canonical/delivered'
import { carriesBeside } from '#canonical/has-content'
import { isObject } from '#shared/json'

/** Whether a piece has anything besides its index and name. */
export const carries = carriesBeside(new Set(['index', 'role', 'type']))

/** The audio that the upstream stores for later turns, by the id in a Chat choice. */
export function soundIn({ delta, message }: Record<string, unknown>): StateRef[] {
  const piece = delta ?? message
  const id = isObject(piece) && isObject(piece.audio) ? piece.audio.id : undefined
  return typeof id === 'string' && id !== '' ? [{ kind: 'audio', id }] : []
}

/** Adds one Chat choice, in a chunk or whole, to the running counters. */
export function measureMessage({ delta, message, logprobs }: Record<string, unknown>, delivered: Delivered): void {
  measure(delta ?? message, delivered)
  if (!isObject(logprobs)) return
  for (const tokens of [logprobs.content, logprobs.refusal]) {
    if (Array.isArray(tokens)) for (const one of tokens) if (isObject(one)) delivered.echoed += textBytes(one.token, delivered)
  }
}

/** The text of a Chat choice in a chunk that delivers nothing else; undefined if it may deliver more. */
export function textOnly({ delta, message, logprobs }: Record<string, unknown>): string | undefined {
  if (!isObject(delta) || message != null || logprobs != null || typeof delta.content !== 'string') return undefined
  for (const key in delta) if (key !== 'content' && key !== 'role' && delta[key] !== null) return undefined
  return delta.content
}

function measure(piece: unknown, delivered: Delivered): void {
  if (!isObject(piece)) return
  delivered.text += bytes(piece.content, delivered) + bytes(piece.refusal, delivered)
  if (Array.isArray(piece.tool_calls)) for (const call of piece.tool_calls) delivered.text += callBytes(call, delivered)
  if (isObject(piece.function_call)) delivered.text += callBytes({ function: piece.function_call }, delivered)
  measureMedia(piece, delivered)
  let most = 0
  // Upstreams that send reasoning under two names send the same text twice.
  const thoughts = [piece.reasoning_content, piece.reasoning, piece.reasoning_details]
  for (const thought of thoughts) most = Math.max(most, bytes(thought, delivered))
  delivered.reasoning += most
  // Text under an unknown name counts as well, unless it repeats other text.
  for (const key in piece) if (!known.has(key)) delivered.echoed += textBytes(piece[key], delivered)
}

/** Fields that are counted above, that only identify a piece, or that hold no readable text. */
const known = new Set([
  ...['content', 'refusal', 'reasoning_content', 'reasoning'],
  ...['role', 'type', 'id', 'name', 'object', 'model', 'tool_call_id'],
  ...['signature', 'reasoning_signature', 'thinking_signature', 'thought_signature', 'encrypted_content', 'reasoning_opaque'],
])

function measureMedia({ audio, images }: Record<string, unknown>, delivered: Delivered): void {
  if (Array.isArray(images)) delivered.images += images.length
  if (!isObject(audio)) return
  delivered.text += textBytes(audio.transcript, delivered)
  if (typeof audio.data === 'string') delivered.sound += soundTokens(audio.data, soundType(audio.data))
}

/** First letters, in base64, of sound that is not plain samples. */
const soundMarks: readonly [mark: string, type: string][] = [
  ['SUQz', 'mpeg'],
  ['T2dn', 'ogg'],
  ['ZkxhQ', 'flac'],
]
const soundType = (base64: string) => soundMarks.find(([mark]) => base64.startsWith(mark))?.[1]

/** The same for a choice of Completions, which contains its text directly. */
export function measureText({ text, logprobs }: Record<string, unknown>, delivered: Delivered): void {
  delivered.text += textBytes(text, delivered)
  if (!isObject(logprobs) || !Array.isArray(logprobs.tokens)) return
  for (const token of logprobs.tokens) delivered.echoed += textBytes(token, delivered)
}

function callBytes(call: unknown, delivered: Delivered): number {
  if (!isObject(call)) return 0
  const fields = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
  return textBytes(fields.name, delivered) + textBytes(fields.arguments ?? fields.input, delivered)
}

/** The UTF-8 length of a text, or of the texts in a list of parts. */
function bytes(value: unknown, delivered: Delivered): number {
  if (!Array.isArray(value)) return textBytes(value, delivered)
  let sum = 0
  for (const part of value) if (isObject(part)) sum += textBytes(part.text, delivered)
  return sum
}
