/** Reasoning items: read from callers and upstreams alike, written for an upstream. */
import type { Opaque, ReasoningPart } from '#canonical/conversation'
import { type FieldWriters, type WrittenFields, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'
import type { Writing } from './request-write-content.ts'

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

/** Only the maker of a state can read it, and text without its state is refused; ids belong to an account and are left out. */
export function reasoningItem(part: ReasoningPart, { request, losses }: Writing): Item[] {
  const state = part.opaque.find((opaque) => opaque.dialect === 'responses' && opaque.kind === 'encrypted')
  if (!state && request.dialect !== 'responses') {
    losses.leftOut('turns.reasoning', 'Reasoning of another model means nothing to this one.')
    return []
  }
  return [{ type: 'reasoning', ...writeFields(part, reasoningWriters, state) }]
}

type State = WrittenFields<Opaque, { dialect: 'written'; value: 'written' }>

const reasoningWriters: FieldWriters<ReasoningPart, State | undefined> = {
  text: (text, _, { form }) => {
    const segments = (type: string) => text.map((segment) => ({ type, text: segment }))
    return {
      summary: form === 'summary' ? segments('summary_text') : [],
      ...(form === 'full' && { content: segments('reasoning_text') }),
    }
  },
  form: writtenElsewhere,
  opaque: (_, state) => state && { encrypted_content: state.value },
}

const made = new Set<unknown>(['function_call', 'custom_tool_call', 'reasoning'])
const isMade = (item: Item | undefined) =>
  item !== undefined && (made.has(item.type) || item.role === 'assistant' || /_call$/.test(String(item.type)))

/** Reasoning must be followed by what it produced, or is left out. */
export function withReasoningLed(items: Item[], { request, losses }: Writing): Item[] {
  if (request.dialect === 'responses') return items
  const kept: Item[] = []
  for (const item of items.toReversed()) {
    if (item.type !== 'reasoning' || isMade(kept.at(-1))) kept.push(item)
    else losses.leftOut('turns.reasoning', 'Reasoning is left out if what it led to is gone.')
  }
  return kept.reverse()
}
