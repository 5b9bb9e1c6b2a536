/**
 * Stop sequences for an upstream that does not support them: the answer ends before the first match, exactly as if the upstream had stopped
 * there. Only text that may begin a match is held back. Pure.
 */
import type { ReadResponse, StreamReader } from './codec.ts'
import type { Choice, Finish, Part } from './conversation.ts'
import type { ConversationEvent } from './conversation-event.ts'

/** The first of `sequences` that ends in a text, and where it begins; of two that begin at the same place the longer one. */
function firstMatch(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
  let first: { at: number; sequence: string } | undefined
  for (const sequence of sequences) {
    const at = text.indexOf(sequence)
    if (at < 0) continue
    if (!first || at < first.at || (at === first.at && sequence.length > first.sequence.length)) first = { at, sequence }
  }
  return first
}

/** How many characters at the end of a text may begin a sequence. */
function pendingLength(text: string, sequences: readonly string[]): number {
  let longest = 0
  for (const sequence of sequences) {
    for (let length = Math.min(sequence.length - 1, text.length); length > longest; length--) {
      if (sequence.startsWith(text.slice(-length))) longest = length
    }
  }
  return longest
}

const stopped = (sequence: string, { raw }: Partial<Finish> = {}): Finish => ({
  reason: 'stop-sequence',
  raw: raw ?? 'stop',
  stopSequence: sequence,
})

/** The answer up to the first match in each choice. */
export function cutResponse(response: ReadResponse, sequences: readonly string[]): ReadResponse {
  return { ...response, choices: response.choices.map((choice) => cutChoice(choice, sequences)) }
}

function cutChoice(choice: Choice, sequences: readonly string[]): Choice {
  const parts: Part[] = []
  for (const part of choice.parts) {
    const match = part.kind === 'text' ? firstMatch(part.text, sequences) : undefined
    if (part.kind !== 'text' || !match) {
      parts.push(part)
      continue
    }
    const citations = part.citations?.filter(({ end = 0 }) => end <= match.at)
    if (match.at > 0) parts.push({ ...part, text: part.text.slice(0, match.at), ...(citations && { citations }) })
    return { ...choice, parts, finish: stopped(match.sequence, choice.finish) }
  }
  return choice
}

interface OpenText {
  choice: number
  at: number
  /** Held back: it may begin a match. */
  held: string
}

/** The same stream, ended with `stop-sequence` before the first match; the reader is not asked for more after that. */
export function cutReader(reader: StreamReader, sequences: readonly string[]): StreamReader {
  const texts = new Map<string, OpenText>()
  const open = new Map<string, { choice: number; at: number }>()
  let isOver = false
  const keyOf = ({ choice, at }: { choice: number; at: number }) => `${choice}/${at}`

  const deltaOf = ({ choice, at }: OpenText, text: string): ConversationEvent[] =>
    text === '' ? [] : [{ kind: 'delta', choice, at, delta: { text } }]

  function grow(text: OpenText, piece: string): ConversationEvent[] {
    const all = text.held + piece
    const match = firstMatch(all, sequences)
    if (match) return [...deltaOf(text, all.slice(0, match.at)), ...ending(text.choice, match.sequence)]
    const pending = pendingLength(all, sequences)
    text.held = pending === 0 ? '' : all.slice(-pending)
    return deltaOf(text, pending === 0 ? all : all.slice(0, -pending))
  }

  function ending(choice: number, sequence: string): ConversationEvent[] {
    isOver = true
    const closes = [...open.values()].map((part): ConversationEvent => ({ kind: 'close', ...part }))
    return [...closes, { kind: 'finish', choice, finish: stopped(sequence) }, { kind: 'end' }]
  }

  function pass(event: ConversationEvent): ConversationEvent[] {
    switch (event.kind) {
      case 'open':
        open.set(keyOf(event), { choice: event.choice, at: event.at })
        if (event.part.kind === 'text') texts.set(keyOf(event), { choice: event.choice, at: event.at, held: '' })
        return [event]
      case 'delta': {
        const text = texts.get(keyOf(event))
        return text && 'text' in event.delta ? grow(text, event.delta.text) : [event]
      }
      case 'close': {
        const text = texts.get(keyOf(event))
        texts.delete(keyOf(event))
        open.delete(keyOf(event))
        return text ? [...deltaOf(text, text.held), event] : [event]
      }
      default:
        return [event]
    }
  }

  function cut(events: readonly ConversationEvent[]): ConversationEvent[] {
    const passed: ConversationEvent[] = []
    for (const event of events) if (!isOver) passed.push(...pass(event))
    return passed
  }

  return {
    push: (frame) => (isOver ? [] : cut(reader.push(frame))),
    end: (broke) => (isOver ? [] : cut(reader.end(broke))),
    ...(reader.losses && { losses: () => reader.losses?.() ?? [] }),
  }
}
