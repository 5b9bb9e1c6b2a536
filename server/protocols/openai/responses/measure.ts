/** How much of an answer was delivered, in bytes, by its events or by its items; nothing is kept. */
import type { Gauge } from '#canonical/gauge'
import { isObject } from '#wire/json-scan'
import type { Delivered } from '../usage.ts'

type Fields = Record<string, unknown>

/** Adds what one event brought. Texts that are repeated when a part is done are not counted again. */
export function measureEvent(type: string, event: Fields, delivered: Delivered): void {
  if (!type.endsWith('.delta')) return
  const bytes = textBytes(event.delta, delivered)
  if (type.startsWith('response.reasoning')) delivered.reasoning += bytes
  else if (!type.startsWith('response.audio.')) delivered.text += bytes
}

/** What the items of a whole answer hold. */
export function measureOutput(output: unknown, hear?: Gauge['hear']): Delivered {
  const delivered: Delivered = { text: 0, reasoning: 0, hear }
  for (const item of list(output)) {
    if (item.type === 'reasoning') delivered.reasoning += listBytes(item.content, delivered) + listBytes(item.summary, delivered)
    else delivered.text += listBytes(item.content, delivered) + sum([item.arguments, item.input, item.code], delivered)
  }
  return delivered
}

/** Hosted searches among the items. */
export const searchCalls = (output: unknown) => list(output).filter((item) => item.type === 'web_search_call').length

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])

function textBytes(value: unknown, delivered: Delivered): number {
  if (typeof value !== 'string') return 0
  delivered.hear?.(value)
  return Buffer.byteLength(value)
}

const sum = (texts: unknown[], delivered: Delivered): number => texts.reduce<number>((all, text) => all + textBytes(text, delivered), 0)

function listBytes(parts: unknown, delivered: Delivered): number {
  return list(parts).reduce((all, part) => all + sum([part.text, part.refusal, part.transcript], delivered), 0)
}
