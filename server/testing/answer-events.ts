/** Answers as the streams that tell them, cut and mixed by chance, and back: what a stream says, whatever it was cut into. */
import type { Choice, ConversationEvent, ConversationResponse, Part } from '#canonical/conversation'
import { deltasOf, gathered as gatheredAnswer, headOf, told as toldAnswer } from '#canonical/told'
import type { Seeded } from './seeded.ts'

/** The events that tell an answer; with `dice` its texts come in pieces, and calls grow side by side. */
export function told(answer: ConversationResponse, dice?: Seeded): ConversationEvent[] {
  const events = toldAnswer(answer)
  if (!dice) return events
  const own = events.filter(({ kind }) => kind === 'start' || kind === 'usage' || kind === 'end')
  return [...own.slice(0, 1), ...answer.choices.flatMap((choice) => choiceEvents(choice, dice)), ...own.slice(1)]
}

function choiceEvents({ index, parts, finish, logprobs }: Choice, dice: Seeded): ConversationEvent[] {
  const firstText = parts.findIndex((part) => part.kind === 'text')
  const runs = parts.map((part, at): ConversationEvent[] => {
    if (part.kind === 'result') throw new Error('an answer holds no results')
    const deltas = [...deltasOf(part, (text) => textPieces(text, dice)), ...(at === firstText && logprobs ? [{ logprobs }] : [])]
    return [
      { kind: 'open', choice: index, at, part: headOf(part) },
      ...deltas.map((delta) => ({ kind: 'delta', choice: index, at, delta }) as const),
      { kind: 'close', choice: index, at },
    ]
  })
  return [...sideBySide(parts, runs, dice), { kind: 'finish', choice: index, finish }]
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

/** Never between the halves of one character, as no reader of bytes hands them on. */
function textPieces(text: string, dice: Seeded): string[] {
  const letters = [...text]
  const pieces: string[] = []
  while (letters.length > 0) pieces.push(letters.splice(0, 1 + dice.below(Math.max(1, letters.length))).join(''))
  return pieces
}

/** What a stream amounts to; `end` is how it ended. */
export const gathered = (events: readonly ConversationEvent[]): ConversationResponse & { end: ConversationEvent | undefined } => ({
  ...gatheredAnswer(events),
  end: events.at(-1),
})
