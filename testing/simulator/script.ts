/** What a simulated upstream does with one attempt, chosen by the dice: an answer, and what goes wrong with it. */
import type { Seeded } from '#testing/seeded'

/** How an answer that was cut ends. */
export type Ending = 'eof' | 'break' | 'hang'

/** Why a request was refused with 400: for its length, by a filter, or for something that no other model would like better. */
export type Refused = 'context' | 'filter' | 'fault'

export type Script =
  | { kind: 'refused' }
  | { kind: 'silent' }
  | { kind: 'status'; status: number; why: Refused; retryAfter?: number; html: boolean }
  | { kind: 'html' }
  | Answer

export interface Answer {
  kind: 'answer'
  words: number
  /** Each word is some 300 tokens. */
  long: boolean
  /** Undefined: the upstream does not say. */
  usage: { in: number; out: number } | undefined
  /** The figures are nonsense. */
  wild: boolean
  finish: 'stop' | 'length' | 'filter'
  /** One embedding or picture is missing. */
  short: boolean
  /** Unfinished pictures that are shown. */
  sketches: number
  /** Frames of a stream that are replaced, by their place. */
  fault: { what: 'error' | 'garbage'; at: number } | undefined
  /** What is left of the bytes, in 1/1000; undefined = all. */
  cut: { at: number; ending: Ending } | undefined
  terminator: boolean
  /** Bytes of a piece, on average. */
  mean: number
}

/** One in `n`. */
export const oneIn = (random: Seeded, n: number): boolean => random.below(n) === 0

const statuses = [401, 403, 404, 400, 400, 429, 429, 500, 502, 503, 529] as const

/** What the caller takes. */
export interface Taken {
  /** An answer of any length. */
  roomy: boolean
  /** So many unfinished pictures. */
  sketches: number
}

/** `mood` is how often things go wrong, in 1/10. */
export function drawScript(random: Seeded, mood: number, taken: Taken): Script {
  if (random.below(10) >= mood) return drawAnswer(random, false, taken)
  switch (random.below(6)) {
    case 0:
      return { kind: 'refused' }
    case 1:
      return { kind: 'silent' }
    case 2:
    case 3: {
      const status = random.pick(statuses)
      const why = status === 400 ? random.pick<Refused>(['fault', 'context', 'filter']) : 'fault'
      const refused = { kind: 'status', status, why } as const
      const html = oneIn(random, 4)
      return status === 429 && oneIn(random, 2) ? { ...refused, retryAfter: 1 + random.below(90), html } : { ...refused, html }
    }
    case 4:
      return { kind: 'html' }
    default:
      return drawAnswer(random, true, taken)
  }
}

/** A little less than what is estimated for a long one. */
const tokensOfWord = 300

function drawAnswer(random: Seeded, faulty: boolean, { roomy, sketches }: Taken): Answer {
  const wild = faulty && oneIn(random, 5)
  const long = roomy && !oneIn(random, 3)
  const words = random.below(6) * (long ? 7 : 1)
  const figures = () => (wild ? random.pick([-5, 1e15, 0.5, 0]) : 1 + random.below(9))
  const out = () => figures() + (long && !wild ? words * tokensOfWord : 0)
  const ends = words === 0 && oneIn(random, 2) ? 'filter' : oneIn(random, 5) ? 'length' : 'stop'
  return {
    kind: 'answer',
    words,
    long,
    usage: oneIn(random, 4) ? undefined : { in: figures(), out: out() },
    wild,
    finish: ends,
    short: faulty && oneIn(random, 2),
    sketches: oneIn(random, 3) ? random.below(sketches + 1) : sketches,
    fault: faulty && oneIn(random, 2) ? { what: random.pick(['error', 'garbage']), at: random.below(5) } : undefined,
    cut: faulty && oneIn(random, 2) ? { at: random.below(1000), ending: random.pick(['eof', 'break', 'hang']) } : undefined,
    terminator: !(faulty && oneIn(random, 3)),
    mean: long ? random.pick([1000, 4000]) : random.pick([20, 100, 1000]),
  }
}
