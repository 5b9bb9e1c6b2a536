/** Reasoning of earlier answers, for an upstream of this dialect. */
import type { Opaque, ReasoningPart } from '#canonical/conversation'
import { type FieldWriters, writeFields, writtenElsewhere } from '#canonical/field-writers'
import type { Writing } from './request-write-content.ts'

type Item = Record<string, unknown>

/** Only the maker of a state can read it, and text without its state is refused; ids belong to an account and are left out. */
export function reasoningItem(part: ReasoningPart, { request, losses }: Writing): Item[] {
  const state = part.opaque.find((opaque) => opaque.dialect === 'responses' && opaque.kind === 'encrypted')
  if (!state && request.dialect !== 'responses') {
    losses.forgotten('turns.reasoning', 'Reasoning of another model means nothing to this one.')
    return []
  }
  return [{ type: 'reasoning', ...writeFields(part, reasoningWriters, state) }]
}

const reasoningWriters: FieldWriters<ReasoningPart, Opaque | undefined> = {
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

/** Reasoning must lead to what it produced: what lost that is left out. */
export function withReasoningLed(items: Item[], { request, losses }: Writing): Item[] {
  if (request.dialect === 'responses') return items
  const kept: Item[] = []
  for (const item of items.toReversed()) {
    if (item.type !== 'reasoning' || isMade(kept.at(-1))) kept.push(item)
    else losses.forgotten('turns.reasoning', 'Reasoning is left out where what it led to is gone.')
  }
  return kept.reverse()
}
