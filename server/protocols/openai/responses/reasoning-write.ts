/** Reasoning of earlier answers, for an upstream of this dialect. */
import type { ReasoningPart } from '#canonical/conversation'
import type { Writing } from './content-write.ts'

type Item = Record<string, unknown>

/** Only the maker of a state can read it, and text without its state is refused; ids belong to an account and are left out. */
export function reasoningItem(part: ReasoningPart, { request, losses }: Writing): Item[] {
  const state = part.opaque.find((opaque) => opaque.dialect === 'responses' && opaque.kind === 'encrypted')
  if (!state && request.dialect !== 'responses') {
    losses.forgotten('turns.reasoning', 'Reasoning of another model means nothing to this one.')
    return []
  }
  const segments = (type: string) => part.text.map((text) => ({ type, text }))
  return [
    {
      type: 'reasoning',
      summary: part.form === 'summary' ? segments('summary_text') : [],
      ...(part.form === 'full' && { content: segments('reasoning_text') }),
      ...(state && { encrypted_content: state.value }),
    },
  ]
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
