/**
 * The cost of a running stream: it is checked as the stream grows, at every event when the hold is nearly used up. The hold is
 * increased before that. The journal is updated at the first content and then every second, so that after a crash what was
 * delivered is charged.
 */
import { withTimeout } from '#billing/lease/with-timeout'
import type { Clock, Timer } from '#runtime/clock'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { TopUp } from './top-up.ts'

export interface RunningChargeParts {
  clock: Clock
  topUp: TopUp
  /** The cost so far in nano-dollars; estimated roughly if the upstream reports no usage. */
  spent(): bigint
  /** The same with counted tokens: called when it decides whether the answer may continue. */
  counted(): bigint
  /** Whether the accounts have so much that the rough cost may decide. Absent: never. */
  hasPlenty?(): boolean
  /** The most that this many upstream bytes of content can cost, in nano-dollars. */
  worth(bytes: number): bigint
  /** Writes the progress to the journal. */
  note(): void
}

export interface RunningCharge {
  /** Upstream bytes that may pass before the cost is checked; one event may always pass. */
  room(): number
  /** Adds received upstream bytes. Undefined: the stream may continue; otherwise resolves with the reason to end it, if any. */
  passed(bytes: number): Promise<GatewayError | undefined> | undefined
  /** Stops. Resolves when no call to the ledger is open, or it takes too long; undefined if none is. */
  close(): Promise<unknown> | undefined
}

/** The unit in which bytes between two checks are reckoned: a token has at least one, and with its frame seldom fewer than 200. */
const lookBytes = 4096
/** The most bytes between two checks, in that unit, however much is held. */
const mostLooks = 16n
/**
 * Longest wait of a stream whose hold is used up, in milliseconds. A call to the ledger may take half a second, and a lease tries
 * three times before it gives up.
 */
const patienceMs = 1_600
/** Milliseconds between two journal updates. */
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

/** Tracks the cost of one stream; see the file comment. */
export function openRunningCharge({ clock, topUp, spent, counted, hasPlenty, worth, note }: RunningChargeParts): RunningCharge {
  let sinceLook = 0
  /** Bytes from one check to the next; none before the first. */
  let lookAfter = 0
  /** The last counted cost and the rough one at that time: later rough figures are scaled in proportion. */
  let exact = 1n
  let rough = 1n
  /** Whether the last check went by the rough figure. */
  let isRough = true
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

  /** Nothing is ended by a rough figure. */
  async function suffices(covered: Promise<boolean>): Promise<boolean> {
    return (await covered) || (isRough && ((await topUp.cover(exactly(spent()))) ?? true))
  }

  async function answered(covered: Promise<boolean>): Promise<GatewayError | undefined> {
    try {
      return (await withTimeout(clock, patienceMs, suffices(covered))) ? undefined : noMoney()
    } catch (thrown) {
      const error = asGatewayError(thrown)
      return error.code === 'books_unavailable' ? noAnswer(error) : error
    }
  }

  /**
   * Counting is slow: where money is short it is done occasionally once half of the hold is used up, and always before the hold would be
   * exceeded.
   */
  function look(): bigint {
    const now = spent()
    const likely = (now * exact) / rough
    const isDue = topUp.left(2n * likely) < 0n && now * 4n >= rough * 5n
    isRough = !(isDue || topUp.left(likely) < 0n) || hasPlenty?.() === true
    const cost = isRough ? likely : exactly(now)
    lookAfter = bytesFor(topUp.left(cost))
    return cost
  }

  function exactly(now: bigint): bigint {
    const sum = counted()
    if (now > 0n && sum > 0n) [exact, rough] = [sum, now]
    isRough = false
    return sum
  }

  /** Bytes that what is left of the hold covers; while it is much, half of them, so that the hold can grow before it is used up. */
  function bytesFor(left: bigint): number {
    if (left <= 0n) return 0
    const piece = (worth(lookBytes) * exact) / rough
    if (left < piece) return Number((left * BigInt(lookBytes)) / piece)
    const looks = piece === 0n ? 1n : left / (2n * piece)
    return lookBytes * Number(looks < 1n ? 1n : looks > mostLooks ? mostLooks : looks)
  }

  return {
    room: () => Math.max(0, lookAfter - sinceLook),
    passed(bytes) {
      if (isClosed) return undefined
      noteLater()
      sinceLook += bytes
      if (sinceLook < lookAfter) return undefined
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
