/** A reasoning item, from callers and upstreams alike: its visible text, and the state that only its maker can read. */
import type { Opaque, ReasoningPart } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'

type Item = Record<string, unknown>

/** An item with both a full text and a summary becomes two parts; the state is on the last. Empty items become none. */
export function reasoningParts(item: Item): ReasoningPart[] {
  const full = texts(item.content)
  const summary = texts(item.summary)
  const opaque = opaqueOf(item)
  const parts: ReasoningPart[] = []
  if (full.length > 0) parts.push({ kind: 'reasoning', text: full, form: 'full', opaque: [] })
  if (summary.length > 0) parts.push({ kind: 'reasoning', text: summary, form: 'summary', opaque: [] })
  const last = parts.at(-1)
  if (last) last.opaque = opaque
  else if (opaque.length > 0) parts.push({ kind: 'reasoning', text: [], form: 'hidden', opaque })
  return parts
}

/** The encrypted state of an item, if it has any. */
export function opaqueOf({ encrypted_content: value }: Item): Opaque[] {
  return typeof value === 'string' && value !== '' ? [{ dialect: 'responses', kind: 'encrypted', value }] : []
}

function texts(segments: unknown): string[] {
  if (!Array.isArray(segments)) return []
  return segments.filter(isObject).flatMap(({ text }) => (typeof text === 'string' && text !== '' ? [text] : []))
}
