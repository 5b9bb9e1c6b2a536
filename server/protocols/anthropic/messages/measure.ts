/** What a block or a delta of an answer says: does it carry anything, and how much. */
import { carriesBeside } from '#canonical/carries'
import { isObject } from '#wire/json-scan'
import { jsonText } from './frame.ts'
import type { Delivered } from './usage.ts'

/** Does a piece carry anything beside its place and name? */
export const carries = carriesBeside(new Set(['type', 'index']))

/** Adds the bytes of one block or delta to the running counters. */
export function measure(piece: unknown, delivered: Delivered): void {
  if (!isObject(piece)) return
  delivered.text += bytes(piece.text, delivered) + bytes(piece.partial_json, delivered)
  if (isObject(piece.input) && carries(piece.input)) delivered.text += bytes(jsonText(piece.input), delivered)
  delivered.reasoning += bytes(piece.thinking, delivered)
}

function bytes(value: unknown, delivered: Delivered): number {
  if (typeof value !== 'string') return 0
  delivered.hear?.(value)
  return Buffer.byteLength(value)
}
