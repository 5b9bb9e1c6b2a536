/**
 * The money of a stream while it runs: what it has cost so far is looked at as it grows, at every event when the hold is nearly
 * used up; more is held before that, and the journal is told at the first content and then each second, so that a crash charges
 * what was delivered.
 */
import { withTimeout } from '#billing/lease/with-timeout'
import type { Clock, Timer } from '#runtime/clock'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { TopUp } from './top-up.ts'

export interface RunningChargeParts {
  clock: Clock
  topUp: TopUp
  /** Nano-dollars so far: roughly, where the upstream does not say. */
  spent(): bigint
  /** The same, counted: asked when it decides whether the answer goes on. */
  counted(): bigint
  /** Nano-dollars that so many bytes of the upstream can come to, as far as they are not figures. */
  worth(bytes: number): bigint
  /** Tells the journal how far it is. */
  note(): void
}

export interface RunningCharge {
  /** Bytes of the upstream that may pass before the bill is looked at; one event may always pass. */
  room(): number
  /** So many bytes more have come from the upstream. Undefined = it may go on; else the reason why it may not, once that is known. */
  passed(bytes: number): Promise<GatewayError | undefined> | undefined
  /** Nothing is noted after this. Resolves when no question to the books is open, or they take too long; undefined = none is. */
  close(): Promise<unknown> | undefined
}

/** Bytes of the upstream between two looks, while there is money: a token has at least one, and seldom fewer than two hundred with its frame. */
const lookBytes = 4096
/**
 * Milliseconds that a stream waits at most once its hold is used up. The books take half a second for an answer, and a purse asks
 * them three times before it gives up.
 */
const patienceMs = 1_600
/** Milliseconds between two notes. */
const noteMs = 1_000

const noMoney = () =>
  new GatewayError('insufficient_quota', 'The balance does not cover the rest of this answer. What was answered is charged.')

const noAnswer = (cause: GatewayError) =>
  new GatewayError(
    'books_unavailable',
    'The accounts cannot be reached at the moment, and no more is held. What was answered is charged.',
    {
      retryAfter: 1,
      cause,
    },
  )

export function openRunningCharge({ clock, topUp, spent, counted, worth, note }: RunningChargeParts): RunningCharge {
  let sinceLook = 0
  /** What it had cost when it was last looked at; undefined = never. */
  let seen: bigint | undefined
  /** What was last counted, and the rough figure beside it: later ones are taken in the same proportion. */
  let exact = 1n
  let rough = 1n
  let later: Timer | undefined
  let isNew = true
  let isClosed = false

  function noteLater(): void {
    if (isNew) note()
    isNew = false
    later ??= clock.after(noteMs, () => {
      later = undefined
      note()
    })
  }

  async function answered(covered: Promise<boolean>): Promise<GatewayError | undefined> {
    try {
      return (await withTimeout(clock, patienceMs, covered)) ? undefined : noMoney()
    } catch (thrown) {
      const error = asGatewayError(thrown)
      return error.code === 'books_unavailable' ? noAnswer(error) : error
    }
  }

  /** Counting takes its time: it is done now and then once half of the hold is used up, and always before more is needed than it has. */
  function look(): bigint {
    const now = spent()
    const likely = (now * exact) / rough
    const isDue = topUp.left(2n * likely) < 0n && now * 4n >= rough * 5n
    seen = isDue || topUp.left(likely) < 0n ? exactly(now) : likely
    return seen
  }

  function exactly(now: bigint): bigint {
    const sum = counted()
    if (now > 0n && sum > 0n) [exact, rough] = [sum, now]
    return sum
  }

  /** As far as what is left of the hold goes. */
  function lookAfter(): number {
    if (seen === undefined) return 0
    const left = topUp.left(seen)
    if (left <= 0n) return 0
    const piece = (worth(lookBytes) * exact) / rough
    return left >= piece ? lookBytes : Number((left * BigInt(lookBytes)) / piece)
  }

  return {
    room: () => Math.max(0, lookAfter() - sinceLook),
    passed(bytes) {
      if (isClosed) return undefined
      noteLater()
      sinceLook += bytes
      if (sinceLook < lookAfter()) return undefined
      sinceLook = 0
      const covered = topUp.cover(look())
      return covered && answered(covered)
    },
    close() {
      isClosed = true
      later?.cancel()
      const asked = topUp.quiet()
      return asked && withTimeout(clock, patienceMs, asked).catch(() => undefined)
    },
  }
}
