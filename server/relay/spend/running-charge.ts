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
  /** To be called before output is sent: writes the progress to the journal, at first and then every second. */
  delivering(): void
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
    'The accounts cannot be reached at the moment, and the hold is used up. What was answered is charged.',
    {
      retryAfter: 1,
      cause,
    },
  )

/** Tracks the cost of one stream; see the file comment. */
export const openRunningCharge = (parts: RunningChargeParts): RunningCharge => new StreamCharge(parts)

class StreamCharge implements RunningCharge {
  readonly #parts: RunningChargeParts
  readonly #topUp: TopUp
  #sinceLook = 0
  /** Bytes from one check to the next; none before the first. */
  #lookAfter = 0
  /** The last counted cost and the rough one at that time: later rough figures are scaled in proportion. */
  #exact = 1n
  #rough = 1n
  /** Whether the last check went by the rough figure. */
  #isRough = true
  #later: Timer | undefined
  #isNew = true
  #isClosed = false

  constructor(parts: RunningChargeParts) {
    this.#parts = parts
    this.#topUp = parts.topUp
  }

  room(): number {
    return Math.max(0, this.#lookAfter - this.#sinceLook)
  }

  passed(bytes: number): Promise<GatewayError | undefined> | undefined {
    if (this.#isClosed) return undefined
    this.#sinceLook += bytes
    if (this.#sinceLook < this.#lookAfter) return undefined
    this.#sinceLook = 0
    const covered = this.#topUp.cover(this.#look())
    return covered && this.#answered(covered)
  }

  close(): Promise<unknown> | undefined {
    this.#isClosed = true
    this.#later?.cancel()
    const asked = this.#topUp.quiet()
    return asked && withTimeout(this.#parts.clock, patienceMs, asked).catch(() => undefined)
  }

  delivering(): void {
    if (this.#isClosed || this.#later !== undefined) return
    if (this.#isNew) this.#parts.note()
    this.#isNew = false
    this.#later = this.#parts.clock.after(noteMs, () => {
      this.#later = undefined
      this.#parts.note()
    })
  }

  async #answered(covered: Promise<boolean>): Promise<GatewayError | undefined> {
    try {
      return (await withTimeout(this.#parts.clock, patienceMs, this.#suffices(covered))) ? undefined : noMoney()
    } catch (thrown) {
      const error = asGatewayError(thrown)
      return error.code === 'books_unavailable' ? noAnswer(error) : error
    }
  }

  /** Nothing is ended by a rough figure. */
  async #suffices(covered: Promise<boolean>): Promise<boolean> {
    return (await covered) || (this.#isRough && ((await this.#topUp.cover(this.#exactly(this.#parts.spent()))) ?? true))
  }

  /**
   * Counting is slow: where money is short it is done occasionally once half of the hold is used up, and always before the hold would be
   * exceeded.
   */
  #look(): bigint {
    const now = this.#parts.spent()
    const likely = (now * this.#exact) / this.#rough
    const isDue = this.#topUp.left(2n * likely) < 0n && now * 4n >= this.#rough * 5n
    this.#isRough = !(isDue || this.#topUp.left(likely) < 0n) || this.#parts.hasPlenty?.() === true
    const cost = this.#isRough ? likely : this.#exactly(now)
    this.#lookAfter = this.#bytesFor(this.#topUp.left(cost))
    return cost
  }

  #exactly(now: bigint): bigint {
    const sum = this.#parts.counted()
    if (now > 0n && sum > 0n) {
      this.#exact = sum
      this.#rough = now
    }
    this.#isRough = false
    return sum
  }

  /** Bytes that what is left of the hold covers; while it is much, half of them, so that the hold can grow before it is used up. */
  #bytesFor(left: bigint): number {
    if (left <= 0n) return 0
    const piece = (this.#parts.worth(lookBytes) * this.#exact) / this.#rough
    if (left < piece) return Number((left * BigInt(lookBytes)) / piece)
    const looks = piece === 0n ? 1n : left / (2n * piece)
    return lookBytes * Number(looks < 1n ? 1n : looks > mostLooks ? mostLooks : looks)
  }
}
