/** What the choices of an answer say, streamed or whole: do they carry anything, and how much. */
import { carriesBeside } from '#canonical/carries'
import { isObject } from '#wire/json-scan'
import type { Delivered } from './usage.ts'

/** Does a piece carry anything beside its place and name? */
export const carries = carriesBeside(new Set(['index', 'role', 'type']))

/** Adds the bytes of one `delta` or `message` to the running counters. */
export function measure(piece: unknown, delivered: Delivered): void {
  if (!isObject(piece)) return
  delivered.text += bytes(piece.content) + bytes(piece.refusal)
  if (Array.isArray(piece.tool_calls)) for (const call of piece.tool_calls) delivered.text += callBytes(call)
  if (isObject(piece.function_call)) delivered.text += bytes(piece.function_call.arguments)
  if (isObject(piece.audio)) delivered.text += bytes(piece.audio.transcript)
  // Upstreams that send reasoning under two names send the same text twice.
  delivered.reasoning += Math.max(bytes(piece.reasoning_content), bytes(piece.reasoning), bytes(piece.reasoning_details))
}

/** The same for a choice of Completions, whose text stands in it. */
export function measureText(choice: Record<string, unknown>, delivered: Delivered): void {
  delivered.text += bytes(choice.text)
}

function callBytes(call: unknown): number {
  if (!isObject(call)) return 0
  if (isObject(call.function)) return bytes(call.function.arguments)
  return isObject(call.custom) ? bytes(call.custom.input) : 0
}

/** The UTF-8 length of a text, or of the texts in a list of parts. */
function bytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (!Array.isArray(value)) return 0
  let sum = 0
  for (const part of value) if (isObject(part) && typeof part.text === 'string') sum += Buffer.byteLength(part.text)
  return sum
}
