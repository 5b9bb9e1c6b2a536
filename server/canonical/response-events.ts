/** Converts whole answers to events and back. Pure. */
import type {
  CallPart,
  Choice,
  ConversationResponse,
  MediaPart,
  NativePart,
  Part,
  ReasoningPart,
  RefusalPart,
  TextPart,
} from './conversation.ts'
import type { ConversationEvent, Delta, PartHead } from './conversation-event.ts'
import { noUsage } from './usage.ts'

/** The events of a whole answer, in the order that stream readers guarantee. */
export function eventsOfResponse({ id, model, created, choices, usage, tier }: ConversationResponse): ConversationEvent[] {
  return [
    { kind: 'start', id, model, created },
    ...choices.flatMap(choiceEvents),
    { kind: 'usage', usage },
    { kind: 'end', ...(tier !== undefined && { tier }) },
  ]
}

function choiceEvents({ index, parts, finish, logprobs }: Choice): ConversationEvent[] {
  const said = parts.filter((part): part is Said => part.kind !== 'result')
  const firstText = said.findIndex((part) => part.kind === 'text')
  const runs = said.flatMap((part, at): ConversationEvent[] => [
    { kind: 'open', choice: index, at, part: headOf(part) },
    ...deltasOf(part).map((delta) => ({ kind: 'delta', choice: index, at, delta }) as const),
    ...(at === firstText && logprobs ? [{ kind: 'delta', choice: index, at, delta: { logprobs } } as const] : []),
    { kind: 'close', choice: index, at },
  ])
  return [...runs, { kind: 'finish', choice: index, finish }]
}

/** Answers contain no tool results. */
type Said = TextPart | MediaPart | ReasoningPart | CallPart | RefusalPart | NativePart

/** The head of a part: everything known before its content. */
export function headOf(part: Said): PartHead {
  switch (part.kind) {
    case 'text':
      return { kind: 'text', ...(part.phase && { phase: part.phase }) }
    case 'refusal':
      return { kind: 'refusal' }
    case 'reasoning':
      return { kind: 'reasoning', form: part.form }
    case 'call': {
      const { argsText: _, ...head } = part
      return head
    }
    case 'media':
      return { kind: 'media', media: part.media, ...(part.mimeType !== undefined && { mimeType: part.mimeType }) }
    case 'native':
      return part
  }
}

/** The deltas of a part; `cut` splits texts. */
export function deltasOf(part: Said, cut: (text: string) => readonly string[] = (text) => [text]): Delta[] {
  const pieces = (text: string): Delta[] => (text === '' ? [] : cut(text).map((piece) => ({ text: piece })))
  const state: Delta[] = part.kind === 'text' || part.kind === 'reasoning' ? (part.opaque ?? []).map((opaque) => ({ opaque })) : []
  switch (part.kind) {
    case 'text':
      return [...pieces(part.text), ...(part.citations ?? []).map((citation) => ({ citation })), ...state]
    case 'refusal':
      return pieces(part.text)
    case 'reasoning':
      return [...part.text.flatMap((text, index) => [...(index > 0 ? [{ segment: true } as const] : []), ...pieces(text)]), ...state]
    case 'call':
      return pieces(part.argsText)
    case 'media':
      return [...('data' in part.source ? [{ data: part.source.data }] : []), ...pieces(part.transcript ?? '')]
    case 'native':
      return []
  }
}

/** The answer that a stream adds up to. Its usage is estimated, and empty, when the stream reported none. */
export function gathered(events: readonly ConversationEvent[]): ConversationResponse {
  const choices = new Map<number, Choice & { open: Map<number, Part> }>()
  const answer: ConversationResponse = { id: '', model: '', created: 0, choices: [], usage: noUsage() }
  const choiceOf = (index: number) => {
    const choice = choices.get(index) ?? { index, parts: [], finish: { reason: 'stop' as const, raw: '' }, open: new Map<number, Part>() }
    choices.set(index, choice)
    return choice
  }
  for (const event of events) {
    if (event.kind === 'start')
      Object.assign(answer, { id: event.id, model: event.model, created: event.created, ...(event.usage && { usage: event.usage }) })
    else if (event.kind === 'usage') answer.usage = event.usage
    else if (event.kind === 'end' && event.tier !== undefined) answer.tier = event.tier
    else if (event.kind === 'finish') choiceOf(event.choice).finish = event.finish
    else if (event.kind === 'open') choiceOf(event.choice).open.set(event.at, begun(event.part))
    else if (event.kind === 'delta') {
      const choice = choiceOf(event.choice)
      if ('logprobs' in event.delta) choice.logprobs = [...(choice.logprobs ?? []), ...event.delta.logprobs]
      else grow(choice.open.get(event.at), event.delta)
    }
  }
  const inOrder = [...choices.values()].sort((a, b) => a.index - b.index)
  return { ...answer, choices: inOrder.map(({ open, ...choice }) => ({ ...choice, parts: [...open.values()] })) }
}

function begun(head: PartHead): Part {
  switch (head.kind) {
    case 'text':
    case 'refusal':
      return { ...head, text: '' }
    case 'reasoning':
      return { ...head, text: [], opaque: [] }
    case 'call':
      return { ...head, argsText: '' }
    case 'media':
      return { ...head, source: { data: '' } }
    case 'native':
      return { ...head }
  }
}

function grow(part: Part | undefined, delta: Exclude<Delta, { logprobs: unknown }>): void {
  if (part === undefined) return
  if ('citation' in delta && part.kind === 'text') part.citations = [...(part.citations ?? []), delta.citation]
  else if ('opaque' in delta && (part.kind === 'text' || part.kind === 'call' || part.kind === 'media')) {
    part.opaque = [...(part.opaque ?? []), delta.opaque]
  } else if ('opaque' in delta && part.kind === 'reasoning') part.opaque.push(delta.opaque)
  else if ('segment' in delta && part.kind === 'reasoning') part.text.push('')
  else if ('data' in delta && part.kind === 'media') part.source = { data: ('data' in part.source ? part.source.data : '') + delta.data }
  else if ('text' in delta) growText(part, delta.text)
}

function growText(part: Part, text: string): void {
  if (part.kind === 'text' || part.kind === 'refusal') part.text += text
  else if (part.kind === 'call') part.argsText += text
  else if (part.kind === 'reasoning') part.text = [...part.text.slice(0, -1), (part.text.at(-1) ?? '') + text]
  else if (part.kind === 'media') part.transcript = (part.transcript ?? '') + text
}
