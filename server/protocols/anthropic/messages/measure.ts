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
  delivered.text += bytes(piece.text) + bytes(piece.partial_json)
  if (isObject(piece.input) && carries(piece.input)) delivered.text += bytes(jsonText(piece.input))
  delivered.reasoning += bytes(piece.thinking)
}

const bytes = (value: unknown): number => (typeof value === 'string' ? Buffer.byteLength(value) : 0)
