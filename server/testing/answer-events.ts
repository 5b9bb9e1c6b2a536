/** Answers as the streams that tell them, and back: what a stream says, whatever it was cut into. */
import type { Choice, ConversationEvent, ConversationResponse, Delta, Part, PartHead, TokenLogprob } from '#canonical/conversation'
import { noUsage } from '#canonical/usage'
import type { Seeded } from './seeded.ts'

/** The events that tell an answer; with `dice` its texts come in pieces, and calls grow side by side. */
export function told({ id, model, created, choices, usage, tier }: ConversationResponse, dice?: Seeded): ConversationEvent[] {
  return [
    { kind: 'start', id, model, created },
    ...choices.flatMap((choice) => choiceEvents(choice, dice)),
    { kind: 'usage', usage },
    { kind: 'end', ...(tier !== undefined && { tier }) },
  ]
}

function choiceEvents({ index, parts, finish, logprobs }: Choice, dice?: Seeded): ConversationEvent[] {
  const firstText = parts.findIndex((part) => part.kind === 'text')
  const runs = parts.map((part, at) => {
    const deltas = [...deltasOf(part, dice), ...(at === firstText && logprobs ? [{ logprobs }] : [])]
    return [
      { kind: 'open', choice: index, at, part: headOf(part) },
      ...deltas.map((delta) => ({ kind: 'delta', choice: index, at, delta })),
      { kind: 'close', choice: index, at },
    ] as ConversationEvent[]
  })
  return [...(dice ? sideBySide(parts, runs, dice) : runs.flat()), { kind: 'finish', choice: index, finish }]
}

/** Neighbouring calls grow in turns, opened in their order. */
function sideBySide(parts: readonly Part[], runs: ConversationEvent[][], dice: Seeded): ConversationEvent[] {
  const events: ConversationEvent[] = []
  for (let at = 0; at < runs.length; ) {
    let end = at + 1
    while (parts[at]?.kind === 'call' && parts[end]?.kind === 'call') end++
    const open = runs.slice(at, end)
    events.push(...open.flatMap((run) => run.splice(0, 1)))
    for (;;) {
      const left = open.filter((run) => run.length > 0)
      const [first, ...others] = left
      if (!first) break
      events.push(...dice.pick([first, ...others]).splice(0, 1))
    }
    at = end
  }
  return events
}

function headOf(part: Part): PartHead {
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
    case 'result':
      throw new Error('an answer holds no results')
  }
}

function deltasOf(part: Part, dice?: Seeded): Delta[] {
  const pieces = (text: string): Delta[] => (text === '' ? [] : (dice ? textPieces(text, dice) : [text]).map((piece) => ({ text: piece })))
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
    case 'result':
      return []
  }
}

/** Never between the halves of one character, as no reader of bytes hands them on. */
function textPieces(text: string, dice: Seeded): string[] {
  const letters = [...text]
  const pieces: string[] = []
  while (letters.length > 0) pieces.push(letters.splice(0, 1 + dice.below(Math.max(1, letters.length))).join(''))
  return pieces
}

/** What a stream amounts to; `end` is how it ended. */
export function gathered(events: readonly ConversationEvent[]): ConversationResponse & { end: ConversationEvent | undefined } {
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
      if ('logprobs' in event.delta) choice.logprobs = [...(choice.logprobs ?? []), ...event.delta.logprobs] as TokenLogprob[]
      else grow(choice.open.get(event.at), event.delta)
    }
  }
  const inOrder = [...choices.values()].sort((a, b) => a.index - b.index)
  return { ...answer, choices: inOrder.map(({ open, ...choice }) => ({ ...choice, parts: [...open.values()] })), end: events.at(-1) }
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
