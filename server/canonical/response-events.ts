/** Converts whole answers to events and back. Pure. */
import type { Choice, ConversationResponse, Opaque, Part, ResultPart } from './conversation.ts'
import type { ConversationEvent, Delta, PartHead } from './conversation-event.ts'
import { noUsage } from './usage.ts'
import type { WrittenFields, WrittenKind } from './written-fields.ts'

type Whole = WrittenFields<
  ConversationResponse,
  { id: 'written'; model: 'written'; created: 'written'; choices: 'written'; usage: 'written'; tier: 'written' }
>

/** The events of a whole answer, in the order that stream readers guarantee. */
export function eventsOfResponse({ id, model, created, choices, usage, tier }: Whole): ConversationEvent[] {
  return [
    { kind: 'start', id, model, created },
    ...choices.flatMap(choiceEvents),
    { kind: 'usage', usage },
    { kind: 'end', ...(tier !== undefined && { tier }) },
  ]
}

type WholeChoice = WrittenFields<Choice, { index: 'written'; parts: 'written'; finish: 'written'; logprobs: 'written' }>

function choiceEvents({ index, parts, finish, logprobs }: WholeChoice): ConversationEvent[] {
  const content = parts.filter((part): part is ContentPart => part.kind !== 'result')
  const firstText = content.findIndex((part) => part.kind === 'text')
  const runs = content.flatMap((part, at): ConversationEvent[] => [
    { kind: 'open', choice: index, at, part: headOf(part) },
    ...deltasOf(part).map((delta) => ({ kind: 'delta', choice: index, at, delta }) as const),
    ...(at === firstText && logprobs ? [{ kind: 'delta', choice: index, at, delta: { logprobs } } as const] : []),
    { kind: 'close', choice: index, at },
  ])
  return [...runs, { kind: 'finish', choice: index, finish }]
}

/** Answers contain no tool results. */
type ContentPart = Exclude<Part, ResultPart>
type ContentOf<Kind extends ContentPart['kind']> = Extract<ContentPart, { kind: Kind }>
type HeadOf<Kind extends ContentPart['kind']> = Extract<PartHead, { kind: Kind }>

/** Cuts a text into the pieces that the deltas carry. */
type Cut = (text: string) => Delta[]

/** How a stream carries a field of a part: in the head, in deltas, or not at all, since only requests have it. */
type Carrier<Value, IsInHead> = IsInHead extends true ? 'head' : 'request only' | ((value: Exclude<Value, undefined>, cut: Cut) => Delta[])

/** Every field of every part and of its head must be named; deltas go in the order of the fields. */
type Carriers = {
  readonly [Kind in ContentPart['kind']]: {
    readonly [Key in Exclude<keyof ContentOf<Kind> | keyof HeadOf<Kind>, 'kind'>]-?: Carrier<
      ContentOf<Kind>[Key & keyof ContentOf<Kind>],
      Key extends keyof HeadOf<Kind> ? true : false
    >
  }
}

const states = (opaque: readonly Opaque[]) => opaque.map((one): Delta => ({ opaque: one }))

const carriers: Carriers = {
  text: {
    phase: 'head',
    text: (text, cut) => cut(text),
    citations: (citations) => citations.map((citation) => ({ citation })),
    opaque: states,
    cache: 'request only',
  },
  refusal: { text: (text, cut) => cut(text) },
  reasoning: {
    form: 'head',
    text: (text, cut) => text.flatMap((segment, index) => [...(index > 0 ? [{ segment: true } as const] : []), ...cut(segment)]),
    opaque: states,
  },
  call: {
    callId: 'head',
    name: 'head',
    form: 'head',
    namespace: 'head',
    opaque: 'head',
    argsText: (text, cut) => cut(text),
    path: 'request only',
  },
  media: {
    media: 'head',
    mimeType: 'head',
    source: (source) => ('data' in source ? [{ data: source.data }] : []),
    transcript: (text, cut) => cut(text),
    opaque: states,
    name: 'request only',
    title: 'request only',
    detail: 'request only',
    cache: 'request only',
    extra: 'request only',
    path: 'request only',
  },
  native: { dialect: 'head', raw: 'head', summary: 'head', opaque: 'head' },
}

/** The fields of a part that have a value, each with its carrier, in the order of the table. */
const carried = (part: ContentPart) =>
  Object.entries<unknown>(carriers[part.kind]).flatMap(([field, carrier]) => {
    const value: unknown = part[field as keyof ContentPart]
    return value === undefined ? [] : [{ field, carrier, value }]
  })

/** The head of a part: everything known before its content. */
export function headOf(part: ContentPart): PartHead {
  const fields = carried(part).filter(({ carrier }) => carrier === 'head')
  return { kind: part.kind, ...Object.fromEntries(fields.map(({ field, value }) => [field, value])) } as PartHead
}

/** The deltas of a part; `cut` splits texts. */
export function deltasOf(part: ContentPart, cut: (text: string) => readonly string[] = (text) => [text]): Delta[] {
  const pieces: Cut = (text) => (text === '' ? [] : cut(text).map((piece) => ({ text: piece })))
  return carried(part).flatMap(({ carrier, value }): Delta[] => (typeof carrier === 'function' ? carrier(value, pieces) : []))
}

/** The events that are read; the end of a part adds nothing. */
type Gathered =
  | WrittenKind<ConversationEvent, 'start', { id: 'written'; model: 'written'; created: 'written'; usage: 'written' }>
  | WrittenKind<ConversationEvent, 'open', { choice: 'written'; at: 'written'; part: 'written' }>
  | WrittenKind<ConversationEvent, 'delta', { choice: 'written'; at: 'written'; delta: 'written' }>
  | WrittenKind<ConversationEvent, 'close', { choice: 'notNeeded'; at: 'notNeeded' }>
  | WrittenKind<ConversationEvent, 'usage', { usage: 'written' }>
  | WrittenKind<ConversationEvent, 'finish', { choice: 'written'; finish: 'written' }>
  | WrittenKind<ConversationEvent, 'end', { tier: 'written' }>
  | WrittenKind<ConversationEvent, 'error', { error: 'notNeeded' }>

/** The answer that a stream adds up to. Its usage is estimated, and empty, when the stream reported none. */
export function gathered(events: readonly Gathered[]): ConversationResponse {
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

type Piece = WrittenFields<
  Delta,
  { text: 'written'; segment: 'written'; data: 'written'; citation: 'written'; opaque: 'written'; logprobs: 'written' }
>

function grow(part: Part | undefined, delta: Exclude<Piece, { logprobs: unknown }>): void {
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
