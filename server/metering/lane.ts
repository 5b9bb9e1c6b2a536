/**
 * The one way from this instance's memory to the database: one call at a time, that settles lines, gives slices back and takes new
 * ones. After a call whose outcome is not known the leases are read again, under a number that the lost call cannot follow.
 * Knows amounts and wallets; the files of the journal are its caller's.
 */
import type { Clock, Dice, Timer } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { GatewayError } from '#shared/errors'
import { type BookLine, isFenced, isUnwritable, type LeaseState, resyncLeases, type SyncCall, syncBooks } from '#store/leases'
import type { Store } from '#store/store'
import { createCallBack } from './call-back.ts'
import { createLineQueue } from './line-queue.ts'
import { createSlices, type Wish } from './slices.ts'
import { unavailable, within } from './within.ts'

export interface LaneOptions {
  store: Store
  clock: Clock
  dice: Dice
  log: Log
  instance: bigint
  /** How much traffic a slice should cover, in milliseconds; 0: nothing is taken ahead of need. */
  coverMs: number
  /** How long leases may be spent after the last word of the database, in milliseconds. */
  validMs: number
  /** The database has the line, or never will. */
  flushed(line: BookLine): void
  /** The instance was closed by others: what it held is gone, its lines still go out. */
  closed(): void
}

export interface Lane {
  /** Holds the amount at once, or waits for the database. False when the wallet cannot pay. Rejects with `books_unavailable`. */
  hold(wallet: string, amount: bigint): boolean | Promise<boolean>
  /** Ends a hold; answers how much of what is owed the lease pays. */
  settle(wallet: string, amount: bigint, owed: bigint): bigint
  /** Takes a line along with the next call. Resolves when it is in the database, or as soon as the database does not answer. */
  push(line: BookLine): Promise<void>
  /** Gives back what nobody here needs, because somebody else does. Resolves after the call. */
  recall(wallet: string): Promise<void>
  /** Resolves when all lines so far are in the database, or as soon as it does not answer; tells which. */
  flush(): Promise<boolean>
  /** Since when (monotonic) every call has been answered; undefined when the last one was not. */
  answeringSince(): number | undefined
  /** Makes no more calls; resolves when the last one is over. */
  stop(): Promise<void>
}

// Milliseconds.
const callMs = 2_000
const beatMs = 1_000
/** With nothing on lease; others count who was seen within 30 s. */
const restMs = 10_000
const againMs = 100
const patienceMs = 250

export function createLane(options: LaneOptions): Lane {
  const { store, clock, dice, log, instance, coverMs, validMs } = options
  const slices = createSlices(coverMs)
  const queue = createLineQueue()
  const rounds: (() => void)[] = []
  const callBack = createCallBack(store)
  let state: 'live' | 'closed' | 'stopped' = 'live'
  let seq = 0n
  let heard = { tick: Number.NEGATIVE_INFINITY, wall: 0 }
  /** A call failed: how it went is not known. */
  let unsure = false
  let answering = true
  let since = clock.monotonic()
  let beatAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  let timer: Timer | undefined

  /**
   * By both clocks: one stands still while the machine sleeps, the other may be set. A call whose outcome is not known takes nothing
   * away from this: what it gives back was taken off before, what it settles still counts as owed, what it takes comes on top.
   */
  function valid(): boolean {
    const bound = validMs * 0.99
    return state === 'live' && clock.monotonic() - heard.tick < bound && Math.abs(clock.now() - heard.wall) < bound
  }

  function kick(): void {
    // A database that does not answer is asked again by the timer only, however many come meanwhile.
    if (running || state === 'stopped' || (timer && !answering)) return
    timer?.cancel()
    timer = undefined
    running = run()
  }

  function plan(ms: number): void {
    timer = clock.after(ms, () => {
      timer = undefined
      kick()
    })
  }

  const hasWork = () => queue.size() > 0 || slices.hungry() || rounds.length > 0

  /** Calls until there is nothing to do; then again with the next beat, or when what failed may be tried again. */
  async function run(): Promise<void> {
    let pause: number | undefined
    do {
      // Whatever else happens in this turn goes along.
      await Promise.resolve()
      pause = await once()
    } while (pause === undefined && hasWork() && state !== 'stopped')
    running = undefined
    if (state !== 'stopped') plan(pause ?? (slices.empty() ? restMs : beatMs))
  }

  /** One call. Answers how long to wait before the next, when it should not come at once. */
  async function once(): Promise<number | undefined> {
    const waiting = rounds.splice(0)
    let lines: BookLine[] = []
    try {
      if (unsure && state === 'live') await resync()
      const sentAt = { tick: clock.monotonic(), wall: clock.now() }
      lines = queue.next()
      const { call, wishes } = compose(lines, sentAt.tick)
      const answer = await within(clock, callMs, syncBooks(store, call))
      heard = sentAt
      return accept(lines, wishes, answer)
    } catch (thrown) {
      return failed(thrown, lines)
    } finally {
      for (const done of waiting) done()
    }
  }

  function compose(lines: BookLine[], now: number): { call: SyncCall; wishes: Wish[] } {
    seq += 1n
    if (state !== 'live') return { call: { instance, seq, lines, give: [], ask: [], replay: true }, wishes: [] }
    const all = now - beatAt >= beatMs
    if (all) beatAt = now
    const give = slices.gifts(lines, all, now)
    const wishes = slices.wishes(now)
    return { call: { instance, seq, lines, give, ask: wishes.map(({ wallet, need, want }) => ({ wallet, need, want })) }, wishes }
  }

  function accept(lines: BookLine[], wishes: Wish[], answer: Map<string, LeaseState>): number | undefined {
    if (!answering) back()
    over(lines)
    if (state !== 'live') return undefined
    const now = clock.monotonic()
    const short = slices.accept(wishes, answer, now)
    for (const wallet of short) callBack(wallet, now)
    return short.length > 0 && queue.size() === 0 ? 10 + 20 * dice.roll() : undefined
  }

  function back(): void {
    log.info({}, 'the database answers again')
    since = clock.monotonic()
    answering = true
  }

  function over(lines: BookLine[]): void {
    for (const line of lines) {
      if (state === 'live') slices.acknowledge(line)
      options.flushed(line)
    }
    queue.remove(lines)
  }

  function failed(thrown: unknown, lines: BookLine[]): number | undefined {
    unsure = true
    // Those who wait were taken off the list of wishes.
    slices.refuse(Number.NEGATIVE_INFINITY)
    if (isFenced(thrown) && state === 'live') return undefined
    if (isUnwritable(thrown) && lines.length > 0) {
      if (lines.length > 1) queue.split(lines)
      else giveUp(lines, thrown)
      return undefined
    }
    if (answering) log.warn({ err: thrown instanceof GatewayError ? (thrown.cause ?? thrown) : thrown }, 'the database does not answer')
    answering = false
    queue.wake()
    slices.refuse(clock.monotonic() - patienceMs)
    return againMs
  }

  /** A line that the database will never have must not stop the others. */
  function giveUp(lines: BookLine[], err: unknown): void {
    for (const { row, owed } of lines) {
      log.error({ requestId: row.requestId, row, owed: owed.toString(), err }, 'a request could not be settled')
    }
    over(lines)
  }

  async function resync(): Promise<void> {
    seq += 1n
    const leases = await within(clock, callMs, resyncLeases(store, instance, seq))
    unsure = false
    if (leases) return slices.reset(leases)
    state = 'closed'
    log.error({ instance: instance.toString() }, 'the leases of this instance were written off; it begins anew')
    slices.refuse(Number.POSITIVE_INFINITY)
    options.closed()
  }

  const round = () =>
    new Promise<void>((resolve) => {
      rounds.push(resolve)
      kick()
    })

  plan(beatMs)
  return {
    hold(wallet, amount) {
      const now = clock.monotonic()
      if (valid() && slices.take(wallet, amount, now)) {
        if (slices.hungry() && answering) kick()
        return true
      }
      if (state !== 'live') return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        const refused = (why: 'poor' | 'silent') => (why === 'poor' ? resolve(false) : reject(unavailable()))
        slices.wait(wallet, { need: amount, since: now, served: () => resolve(true), refused })
        kick()
      })
    },
    settle: (wallet, amount, owed) => (state === 'closed' ? 0n : slices.settle(wallet, amount, owed)),
    push(line) {
      queue.add(line)
      if (!answering) return Promise.resolve()
      kick()
      return queue.gone(line)
    },
    async recall(wallet) {
      if (state !== 'live' || !slices.release(wallet, clock.monotonic())) return
      beatAt = Number.NEGATIVE_INFINITY
      await round()
    },
    async flush() {
      while (queue.size() > 0 && state !== 'stopped') {
        await round()
        if (!answering) return false
      }
      return queue.size() === 0
    },
    answeringSince: () => (answering ? since : undefined),
    async stop() {
      state = 'stopped'
      timer?.cancel()
      await running
      queue.wake()
      for (const done of rounds.splice(0)) done()
    },
  }
}
