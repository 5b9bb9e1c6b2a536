/** What the choices of an answer say, streamed or whole: do they carry anything, and how much. */
import { carriesBeside } from '#canonical/carries'
import { isObject } from '#wire/json-scan'
import type { Delivered } from './usage.ts'

/** Does a piece carry anything beside its place and name? */
export const carries = carriesBeside(new Set(['index', 'role', 'type']))

/** Adds the bytes of one `delta` or `message` to the running counters. */
export function measure(piece: unknown, delivered: Delivered): void {
  if (!isObject(piece)) return
  delivered.text += bytes(piece.content, delivered) + bytes(piece.refusal, delivered)
  if (Array.isArray(piece.tool_calls)) for (const call of piece.tool_calls) delivered.text += callBytes(call, delivered)
  if (isObject(piece.function_call)) delivered.text += bytes(piece.function_call.arguments, delivered)
  if (isObject(piece.audio)) delivered.text += bytes(piece.audio.transcript, delivered)
  let most = 0
  // Upstreams that send reasoning under two names send the same text twice.
  const thoughts = [piece.reasoning_content, piece.reasoning, piece.reasoning_details]
  for (const thought of thoughts) most = Math.max(most, bytes(thought, delivered))
  delivered.reasoning += most
}

/** The same for a choice of Completions, whose text stands in it. */
export function measureText(choice: Record<string, unknown>, delivered: Delivered): void {
  delivered.text += bytes(choice.text, delivered)
}

function callBytes(call: unknown, delivered: Delivered): number {
  if (!isObject(call)) return 0
  if (isObject(call.function)) return bytes(call.function.arguments, delivered)
  return isObject(call.custom) ? bytes(call.custom.input, delivered) : 0
}

/** The UTF-8 length of a text, or of the texts in a list of parts. */
function bytes(value: unknown, delivered: Delivered): number {
  if (typeof value === 'string') {
    delivered.hear?.(value)
    return Buffer.byteLength(value)
  }
  if (!Array.isArray(value)) return 0
  let sum = 0
  for (const part of value) if (isObject(part) && typeof part.text === 'string') sum += bytes(part.text, delivered)
  return sum
}
