/** The randomly drawn behaviour of a simulated upstream for one attempt: its answer, and what goes wrong with it. */
import type { Seeded } from '#testing/seeded'

/** How a truncated answer ends. */
export type Ending = 'eof' | 'break' | 'hang'

/** The cause of a 400: input too long, a content filter, or an invalid request that no other model would accept either. */
export type Refused = 'context' | 'filter' | 'fault'

/** The upstream's behaviour for one attempt. */
export type Script =
  | { kind: 'refused' }
  | { kind: 'silent' }
  | { kind: 'status'; status: number; why: Refused; retryAfter?: number; html: boolean }
  | { kind: 'html' }
  | Answer

/** A successful answer, possibly with faults. */
export interface Answer {
  kind: 'answer'
  words: number
  /** Each word has about 300 tokens. */
  long: boolean
  /** Undefined: the upstream reports no usage. */
  usage: { in: number; out: number } | undefined
  /** The reported usage is implausible. */
  implausible: boolean
  finish: 'stop' | 'length' | 'filter'
  /** One embedding or image is missing. */
  short: boolean
  /** Number of partial images sent. */
  partialImages: number
  /** A stream frame that is replaced, by its index. */
  fault: { what: 'error' | 'garbage'; at: number } | undefined
  /** The part of the bytes that is sent, in thousandths; undefined = all. */
  cut: { at: number; ending: Ending } | undefined
  terminator: boolean
  /** Average size of a piece in bytes. */
  mean: number
}

/** True with a probability of 1 in `n`. */
export const oneIn = (random: Seeded, n: number): boolean => random.below(n) === 0

const statuses = [401, 403, 404, 400, 400, 429, 429, 500, 502, 503, 529] as const

/** What the client accepts. */
export interface AcceptedOutput {
  /** Any output length. */
  unlimited: boolean
  /** This many partial images. */
  partialImages: number
}

/** Draws a script. `faultRate`: the probability of a fault, in tenths. */
export function drawScript(random: Seeded, faultRate: number, taken: AcceptedOutput): Script {
  if (random.below(10) >= faultRate) return drawAnswer(random, false, taken)
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

/** Slightly less than the estimate for a long word. */
const tokensOfWord = 300

function drawAnswer(random: Seeded, faulty: boolean, { unlimited, partialImages }: AcceptedOutput): Answer {
  const implausible = faulty && oneIn(random, 5)
  const long = unlimited && !oneIn(random, 3)
  const words = random.below(6) * (long ? 7 : 1)
  const figures = () => (implausible ? random.pick([-5, 1e15, 0.5, 0]) : 1 + random.below(9))
  const out = () => figures() + (long && !implausible ? words * tokensOfWord : 0)
  const ends = words === 0 && oneIn(random, 2) ? 'filter' : oneIn(random, 5) ? 'length' : 'stop'
  return {
    kind: 'answer',
    words,
    long,
    usage: oneIn(random, 4) ? undefined : { in: figures(), out: out() },
    implausible,
    finish: ends,
    short: faulty && oneIn(random, 2),
    partialImages: oneIn(random, 3) ? random.below(partialImages + 1) : partialImages,
    fault: faulty && oneIn(random, 2) ? { what: random.pick(['error', 'garbage']), at: random.below(5) } : undefined,
    cut: faulty && oneIn(random, 2) ? { at: random.below(1000), ending: random.pick(['eof', 'break', 'hang']) } : undefined,
    terminator: !(faulty && oneIn(random, 3)),
    mean: long ? random.pick([1000, 4000]) : random.pick([20, 100, 1000]),
  }
}
