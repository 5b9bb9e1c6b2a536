/** Converts answers to random streams of events, and such streams back to answers. */
import type { Choice, ConversationResponse, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { deltasOf, eventsOfResponse as eventsOfAnswer, gathered as gatheredAnswer, headOf } from '#canonical/response-events'
import type { Seeded } from '#testing/seeded'

/** The events of an answer; with `random` its texts arrive in pieces and neighbouring calls are interleaved. */
export function asEvents(answer: ConversationResponse, random?: Seeded): ConversationEvent[] {
  const events = eventsOfAnswer(answer)
  if (!random) return events
  const own = events.filter(({ kind }) => kind === 'start' || kind === 'usage' || kind === 'end')
  return [...own.slice(0, 1), ...answer.choices.flatMap((choice) => choiceEvents(choice, random)), ...own.slice(1)]
}

function choiceEvents({ index, parts, finish, logprobs }: Choice, random: Seeded): ConversationEvent[] {
  const firstText = parts.findIndex((part) => part.kind === 'text')
  const runs = parts.map((part, at): ConversationEvent[] => {
    if (part.kind === 'result') throw new Error('an answer contains no tool results')
    const deltas = [...deltasOf(part, (text) => textPieces(text, random)), ...(at === firstText && logprobs ? [{ logprobs }] : [])]
    return [
      { kind: 'open', choice: index, at, part: headOf(part) },
      ...deltas.map((delta) => ({ kind: 'delta', choice: index, at, delta }) as const),
      { kind: 'close', choice: index, at },
    ]
  })
  return [...sideBySide(parts, runs, random), { kind: 'finish', choice: index, finish }]
}

/** Interleaves the pieces of neighbouring calls, opened in their order. */
function sideBySide(parts: readonly Part[], runs: ConversationEvent[][], random: Seeded): ConversationEvent[] {
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
      events.push(...random.pick([first, ...others]).splice(0, 1))
    }
    at = end
  }
  return events
}

/** Never cuts between the halves of a surrogate pair, as no byte reader produces such pieces. */
function textPieces(text: string, random: Seeded): string[] {
  const letters = [...text]
  const pieces: string[] = []
  while (letters.length > 0) pieces.push(letters.splice(0, 1 + random.below(Math.max(1, letters.length))).join(''))
  return pieces
}

/** The answer that a stream contains; `end` is how it ended. */
export const gathered = (events: readonly ConversationEvent[]): ConversationResponse & { end: ConversationEvent | undefined } => ({
  ...gatheredAnswer(events),
  end: events.at(-1),
})
