/** How much of an answer was delivered, in bytes, by its events or by its items; nothing is kept. */
import { isObject } from '#wire/json-scan'
import type { Delivered } from '../usage.ts'

type Fields = Record<string, unknown>

/** Adds what one event brought. Texts that are repeated when a part is done are not counted again. */
export function measureEvent(type: string, event: Fields, delivered: Delivered): void {
  if (!type.endsWith('.delta')) return
  const bytes = textBytes(event.delta)
  if (type.startsWith('response.reasoning')) delivered.reasoning += bytes
  else if (!type.startsWith('response.audio.')) delivered.text += bytes
}

/** What the items of a whole answer hold. */
export function measureOutput(output: unknown): Delivered {
  const delivered = { text: 0, reasoning: 0 }
  for (const item of list(output)) {
    if (item.type === 'reasoning') delivered.reasoning += listBytes(item.content) + listBytes(item.summary)
    else delivered.text += listBytes(item.content) + textBytes(item.arguments) + textBytes(item.input) + textBytes(item.code)
  }
  return delivered
}

/** Hosted searches among the items. */
export const searchCalls = (output: unknown) => list(output).filter((item) => item.type === 'web_search_call').length

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textBytes = (value: unknown) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)

function listBytes(parts: unknown): number {
  let sum = 0
  for (const part of list(parts)) sum += textBytes(part.text) + textBytes(part.refusal) + textBytes(part.transcript)
  return sum
}
