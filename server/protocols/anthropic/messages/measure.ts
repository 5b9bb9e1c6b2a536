/** What a block or a delta of an answer says: does it carry anything, and how much. */
import { isObject } from '#wire/json-scan'
import { jsonText } from './frame.ts'
import type { Delivered } from './usage.ts'

/** Keys that place or name a piece without being one. */
const frame = new Set(['type', 'index'])

/** True when a person or program would miss `value`: any filled field, known or not. */
export function carries(value: unknown, depth = 0): boolean {
  if (value === null || value === undefined || value === false || value === '') return false
  if (typeof value !== 'object' || depth > 8) return true
  if (Array.isArray(value)) return value.some((item) => carries(item, depth + 1))
  for (const key in value) {
    if (!frame.has(key) && carries((value as Record<string, unknown>)[key], depth + 1)) return true
  }
  return false
}

/** Adds the bytes of one block or delta to the running counters. */
export function measure(piece: unknown, delivered: Delivered): void {
  if (!isObject(piece)) return
  delivered.text += bytes(piece.text) + bytes(piece.partial_json)
  if (isObject(piece.input) && carries(piece.input)) delivered.text += bytes(jsonText(piece.input))
  delivered.reasoning += bytes(piece.thinking)
}

const bytes = (value: unknown): number => (typeof value === 'string' ? Buffer.byteLength(value) : 0)
