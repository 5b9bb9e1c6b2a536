/**
 * The one way from this instance's memory to the database: one call at a time. After a call whose outcome is not known the leases are
 * read again, under a number that the lost call cannot follow. The files of the journal are its caller's.
 */
import type { Dice } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { GatewayError } from '#shared/errors'
import { type BookLine, isFenced, isUnwritable, type SyncAnswer } from '#store/leases'
import type { Account } from './account.ts'
import { type Home, tellShort, tellUnwritable } from './bring-home.ts'
import { createCallBack } from './call-back.ts'
import { createLaneCalls, type LaneCall, type LanePlace } from './lane-calls.ts'
import { createLineQueue } from './line-queue.ts'
import { createPace } from './pace.ts'
import { createSlices } from './slices.ts'
import { createTrust } from './trust.ts'
import type { Wish } from './wishes.ts'
import { unavailable } from './within.ts'

export interface LaneOptions extends LanePlace {
  dice: Dice
  log: Log
  /** How much traffic a slice should cover, in milliseconds; 0: nothing is taken ahead of need. */
  coverMs: number
  /** How long leases may be spent after the last word of the database, in milliseconds. */
  validMs: number
  /** The database has the line, or never will. */
  flushed(line: BookLine): void
  /** The database has lost its last commits: everything that it may have had is to be brought there again, before anything else. */
  forgotten(home: Home): Promise<void>
  /** The instance was closed by others: what it held is gone, its lines still go out. */
  closed(): void
}

export interface Lane {
  /**
   * Holds the amount in all of the accounts at once, or waits for the database, and so many milliseconds for others to give something
   * back. An account: that one cannot pay. Rejects with `books_unavailable`.
   */
  hold(accounts: readonly Account[], amount: bigint, patienceMs?: number): true | Promise<true | Account>
  /** Ends a hold; answers how much of what is owed the leases pay. */
  settle(accounts: readonly string[], amount: bigint, owed: bigint): bigint
  /** Takes a line along with the next call. Resolves when it is in the database, or as soon as the database does not answer. */
  push(line: BookLine): Promise<void>
  /** Gives back what nobody here needs, because somebody else does. Resolves after the call. */
  recall(account: string): Promise<void>
  /** There is more of it now: who waits for that is asked for again at once. */
  replenish(account: string): void
  /** Resolves when all lines so far are in the database (true), or as soon as it does not answer. */
  flush(): Promise<boolean>
  /** Since when (monotonic) every call has been answered; undefined when the last one was not. */
  answeringSince(): number | undefined
  /** Whether requests can be paid: the database answers, or there are leases and not everybody is sent away. */
  serving(): boolean
  /** Makes no more calls; resolves when the last one is over. */
  stop(): Promise<void>
}

// Milliseconds.
const beatMs = 1_000
/** With nothing on lease; others count who was seen within 30 s. */
const restMs = 10_000
/** How soon the database hears of holds. */
const heldMs = 250
const againMs = 100
const patienceMs = 250

export function createLane(options: LaneOptions): Lane {
  const { store, clock, dice, log, instance, coverMs, validMs } = options
  const calls = createLaneCalls(options)
  const slices = createSlices(coverMs)
  const queue = createLineQueue()
  const callBack = createCallBack(store)
  const pace = createPace(clock, {
    round: once,
    more: () => queue.size() > 0 || slices.hungry(),
    rest: () => (slices.empty() ? restMs : slices.unsaid() ? heldMs : beatMs),
  })
  const trust = createTrust(clock, validMs, log)
  let state: 'live' | 'closed' | 'stopped' = 'live'
  /** A call failed: how it went is not known. */
  let unsure = false
  /** The next call asks for nothing: what was asked for may be what cannot be answered, and lines must not wait for that. */
  let bare = false
  let beatAt = Number.NEGATIVE_INFINITY

  const mayServe = () => state === 'live' && calls.isWhole() && trust.valid()

  /** A database that does not answer is asked again by the timer only, however many come meanwhile. */
  function kick(): void {
    if (trust.answering() || !pace.waits()) pace.now()
  }

  /** One call. Answers how long to wait before the next, when it should not come at once. */
  async function once(): Promise<number | undefined> {
    // Whatever else happens in this turn goes along.
    await Promise.resolve()
    let lines: BookLine[] = []
    let wishes: Wish[] = []
    try {
      if (unsure && state !== 'stopped') await resync()
      const sentAt = { tick: clock.monotonic(), wall: clock.now() }
      lines = queue.next()
      const composed = compose(lines, sentAt.tick)
      wishes = composed.wishes
      const answer = await calls.sync(composed.call)
      trust.heard(sentAt)
      return accept(lines, wishes, answer)
    } catch (thrown) {
      return failed(thrown, lines, wishes)
    }
  }

  function compose(lines: BookLine[], now: number): { call: LaneCall; wishes: Wish[] } {
    // A line that may be at fault goes by itself.
    if (state !== 'live' || queue.isSplit()) return { call: { lines, own: [], ask: [], replay: state !== 'live' }, wishes: [] }
    const all = now - beatAt >= beatMs
    if (all) beatAt = now
    const own = slices.report(lines, all, now)
    const wishes = bare ? [] : slices.wishes(now)
    const ask = wishes.map(({ parts }) => parts.map(({ account, need, want, budget }) => ({ account, need, want, budget })))
    return { call: { lines, own, ask }, wishes }
  }

  function accept(lines: BookLine[], wishes: Wish[], answer: SyncAnswer): number | undefined {
    tellShort(lines, answer, log)
    over(lines)
    bare = false
    if (state !== 'live') return undefined
    const now = clock.monotonic()
    const short = slices.accept(wishes, answer, now)
    for (const account of short) callBack(account, now)
    return short.length > 0 && queue.size() === 0 ? 10 + 20 * dice.roll() : undefined
  }

  function over(lines: BookLine[]): void {
    for (const line of lines) {
      if (state === 'live') slices.acknowledge(line)
      options.flushed(line)
    }
    queue.remove(lines)
  }

  function failed(thrown: unknown, lines: BookLine[], wishes: Wish[]): number | undefined {
    unsure = true
    bare = true
    if (isFenced(thrown) && state === 'live') return undefined
    if (isUnwritable(thrown) && wishes.length > 0) {
      // Whoever asked for what cannot be asked must not stop the others.
      log.error({ err: thrown }, 'the database could not understand what was asked of it')
      slices.dismiss(wishes)
      return undefined
    }
    if (isUnwritable(thrown) && lines.length > 0) return queue.isSplit() ? giveUp(lines, thrown) : queue.split(lines)
    trust.lost(thrown instanceof GatewayError ? (thrown.cause ?? thrown) : thrown)
    queue.wake()
    sendAway(clock.monotonic() - patienceMs)
    return againMs
  }

  function sendAway(before: number): void {
    if (slices.refuse(before) > 0) trust.sentAway()
  }

  /** A line that the database will never have must not stop the others. */
  function giveUp(lines: BookLine[], err: unknown): undefined {
    for (const line of lines) tellUnwritable(line, err, log)
    over(lines)
  }

  async function resync(): Promise<void> {
    const leases = await calls.resync(again)
    unsure = false
    if (state === 'closed') return
    if (leases) return slices.reset(leases)
    state = 'closed'
    log.error({ instance: instance.toString() }, 'the leases of this instance were written off; it begins anew')
    sendAway(Number.POSITIVE_INFINITY)
    options.closed()
  }

  function again(home: Home): Promise<void> {
    log.error({ instance: instance.toString() }, 'the database has lost its last commits; they are written again from the journal')
    // Who waits is sent away meanwhile.
    const write: Home['write'] = (lines) => {
      sendAway(clock.monotonic() - patienceMs)
      return home.write(lines)
    }
    return options.forgotten({ ...home, write })
  }

  function round(): Promise<void> {
    const over = pace.over()
    kick()
    return over
  }

  pace.within(beatMs)
  return {
    hold(accounts, amount, patience = patienceMs) {
      const now = clock.monotonic()
      const taken = mayServe() && slices.take(accounts, amount, now)
      if (taken === true) {
        trust.served()
        if (slices.hungry() && trust.answering()) kick()
        else pace.within(heldMs)
        return true
      }
      if (taken !== false) return Promise.resolve(taken)
      if (state !== 'live') return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        const served = () => {
          trust.served()
          resolve(true)
        }
        const refused = (account: Account | undefined) => (account ? resolve(account) : reject(unavailable()))
        slices.wait({ accounts, need: amount, since: now, until: now + patience, served, refused })
        kick()
      })
    },
    settle: (accounts, amount, owed) => (state === 'closed' ? 0n : slices.settle(accounts, amount, owed)),
    push(line) {
      queue.add(line)
      if (!trust.answering()) return Promise.resolve()
      kick()
      return queue.gone(line)
    },
    async recall(account) {
      if (state !== 'live' || !slices.release(account, clock.monotonic())) return
      beatAt = Number.NEGATIVE_INFINITY
      await round()
    },
    replenish(account) {
      if (slices.replenish(account)) kick()
    },
    async flush() {
      while (queue.size() > 0 && state !== 'stopped') {
        await round()
        if (!trust.answering()) return false
      }
      return queue.size() === 0
    },
    answeringSince: trust.since,
    serving: () => trust.answering() || (mayServe() && slices.stocked() && !trust.refusing()),
    async stop() {
      state = 'stopped'
      await pace.stop()
      queue.wake()
    },
  }
}
