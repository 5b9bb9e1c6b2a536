/** What a block or a delta of an answer says: does it carry anything, and how much. */
import { carriesBeside } from '#canonical/carries'
import { type Delivered, textBytes } from '#canonical/delivered'
import { isObject } from '#wire/json-scan'
import { jsonText } from '../frame.ts'

/** Does a piece carry anything beside its place and name? */
export const carries = carriesBeside(new Set(['type', 'index']))

/** Adds the bytes of one block or delta to the running counters. Calls count by their names and arguments. */
export function measure(piece: unknown, delivered: Delivered): void {
  if (!isObject(piece)) return
  for (const text of [piece.text, piece.partial_json]) delivered.text += textBytes(text, delivered)
  if (isObject(piece.input)) {
    delivered.text += textBytes(piece.name, delivered)
    if (carries(piece.input)) delivered.text += textBytes(jsonText(piece.input), delivered)
  }
  delivered.reasoning += textBytes(piece.thinking, delivered)
}
