/** What a simulated upstream does with one attempt, chosen by the dice: an answer, and what goes wrong with it. */
import type { Seeded } from '../seeded.ts'

/** How an answer that was cut ends. */
export type Ending = 'eof' | 'break' | 'hang'

export type Script =
  | { kind: 'refused' }
  | { kind: 'silent' }
  | { kind: 'status'; status: number; retryAfter?: number; html: boolean }
  | { kind: 'html' }
  | Answer

export interface Answer {
  kind: 'answer'
  words: number
  /** Undefined: the upstream does not say. */
  usage: { in: number; out: number } | undefined
  /** The figures are nonsense. */
  wild: boolean
  finish: 'stop' | 'length'
  /** Frames of a stream that are replaced, by their place. */
  fault: { what: 'error' | 'garbage'; at: number } | undefined
  /** What is left of the bytes, in 1/1000; undefined = all. */
  cut: { at: number; ending: Ending } | undefined
  terminator: boolean
  /** Bytes of a piece, on average. */
  mean: number
}

/** One in `n`. */
export const oneIn = (dice: Seeded, n: number): boolean => dice.below(n) === 0

const statuses = [401, 403, 404, 400, 429, 429, 500, 502, 503, 529] as const

/** `mood` is how often things go wrong, in 1/10. */
export function drawScript(dice: Seeded, mood: number): Script {
  if (dice.below(10) >= mood) return drawAnswer(dice, false)
  switch (dice.below(6)) {
    case 0:
      return { kind: 'refused' }
    case 1:
      return { kind: 'silent' }
    case 2:
    case 3: {
      const status = dice.pick(statuses)
      const html = oneIn(dice, 4)
      return status === 429 && oneIn(dice, 2)
        ? { kind: 'status', status, retryAfter: 1 + dice.below(90), html }
        : { kind: 'status', status, html }
    }
    case 4:
      return { kind: 'html' }
    default:
      return drawAnswer(dice, true)
  }
}

function drawAnswer(dice: Seeded, faulty: boolean): Answer {
  const wild = faulty && oneIn(dice, 5)
  const figures = () => (wild ? dice.pick([-5, 1e15, 0.5, 0]) : 1 + dice.below(9))
  return {
    kind: 'answer',
    words: dice.below(6),
    usage: oneIn(dice, 4) ? undefined : { in: figures(), out: figures() },
    wild,
    finish: oneIn(dice, 5) ? 'length' : 'stop',
    fault: faulty && oneIn(dice, 2) ? { what: dice.pick(['error', 'garbage']), at: dice.below(8) } : undefined,
    cut: faulty && oneIn(dice, 2) ? { at: dice.below(1000), ending: dice.pick(['eof', 'break', 'hang']) } : undefined,
    terminator: !(faulty && oneIn(dice, 3)),
    mean: dice.pick([20, 100, 1000]),
  }
}
