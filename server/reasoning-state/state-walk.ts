/** Walks every place in a conversation that can hold opaque state, in both directions. */
import type { Citation, ConversationRequest, Opaque, Part, ReasoningPart, Turn } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Dialect } from '#shared/ids'

/** Replaces one state; undefined removes it, and what it was attached to stays without it. */
export type Change = (opaque: Opaque) => Opaque | undefined

/** The parts with their state changed. */
export const changeParts = (parts: readonly Part[], change: Change): Part[] => parts.map((part) => changePart(part, change))

/** Every state in these parts, in order. */
export function statesIn(parts: readonly Part[]): Opaque[] {
  const found: Opaque[] = []
  changeParts(parts, (opaque) => {
    found.push(opaque)
    return opaque
  })
  return found
}

/** The states in one event of a stream. */
export function statesOf(event: ConversationEvent): Opaque[] {
  if (event.kind === 'open') return 'opaque' in event.part ? (event.part.opaque ?? []) : []
  return event.kind === 'delta' && 'opaque' in event.delta ? [event.delta.opaque] : []
}

/** The event with its state changed. */
export function changeEvent(event: ConversationEvent, change: (opaque: Opaque) => Opaque): ConversationEvent {
  if (event.kind === 'open') return event.part.kind === 'call' ? { ...event, part: withState(event.part, change) } : event
  if (event.kind !== 'delta') return event
  const { delta } = event
  if ('opaque' in delta) return { ...event, delta: { opaque: change(delta.opaque) } }
  if ('citation' in delta) return { ...event, delta: { citation: withState(delta.citation, change) } }
  return event
}

/** A caller's request with its state replaced; reasoning that returns to its maker gets the maker's form again. */
export function changeRequest(request: ConversationRequest, change: Change): ConversationRequest {
  const restore = (part: Part) => (part.kind === 'reasoning' ? inMakersForm(part, request.dialect) : part)
  const turns = request.turns.map((turn): Turn => ({ ...turn, parts: changeParts(turn.parts, change).map(restore) }))
  return { ...request, turns }
}

function changePart(part: Part, change: Change): Part {
  switch (part.kind) {
    case 'text':
      return part.citations ? { ...withState(part, change), citations: changeCitations(part.citations, change) } : withState(part, change)
    case 'media':
    case 'call':
    case 'reasoning':
      return withState(part, change)
    case 'result':
      return { ...part, parts: part.parts.map((one) => withState(one, change)) }
    case 'native':
      return withState(part, change)
    case 'refusal':
      return part
  }
}

const changeCitations = (citations: readonly Citation[], change: Change) => citations.map((one) => withState(one, change))

function withState<T extends { opaque?: Opaque[] }>(holder: T, change: Change): T {
  if (holder.opaque === undefined) return holder
  return { ...holder, opaque: holder.opaque.flatMap((one) => change(one) ?? []) }
}

/** The form in which each vendor returns the text of sealed reasoning; slots of other dialects do not keep it. Chat has none of its own. */
const makersForm: Readonly<Partial<Record<Dialect, ReasoningPart['form']>>> = { messages: 'full', responses: 'summary', gemini: 'summary' }

/** State of another dialect than the caller's came out of an envelope. */
function inMakersForm(part: ReasoningPart, callers: Dialect): ReasoningPart {
  const foreign = part.opaque.find(({ dialect }) => dialect !== callers)
  const form = foreign && makersForm[foreign.dialect]
  return form === undefined ? part : { ...part, form: part.text.length === 0 ? 'hidden' : form }
}
