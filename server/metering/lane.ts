/**
 * The one way from this instance's memory to the database: one call at a time. After a call whose outcome is not known the leases are
 * read again, under a number that the lost call cannot follow. The files of the journal are its caller's.
 */
import type { Clock, Dice } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { GatewayError } from '#shared/errors'
import {
  type BookLine,
  isFenced,
  isUnwritable,
  linesNotInBooks,
  type Resynced,
  resyncLeases,
  type SyncAnswer,
  type SyncCall,
  syncBooks,
} from '#store/leases'
import type { Store } from '#store/store'
import type { Account } from './account.ts'
import { type Home, tellShort, tellUnwritable } from './bring-home.ts'
import { createCallBack } from './call-back.ts'
import { createLineQueue } from './line-queue.ts'
import { createPace } from './pace.ts'
import { createSlices, type Wish } from './slices.ts'
import { createTrust } from './trust.ts'
import { unavailable, within } from './within.ts'

export interface LaneOptions {
  store: Store
  clock: Clock
  dice: Dice
  log: Log
  instance: bigint
  /** Which installation it belongs to. */
  folder: string
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
const callMs = 2_000
const beatMs = 1_000
/** With nothing on lease; others count who was seen within 30 s. */
const restMs = 10_000
/** How soon the database hears of holds. */
const heldMs = 250
const againMs = 100
const patienceMs = 250

export function createLane(options: LaneOptions): Lane {
  const { store, clock, dice, log, instance, folder, coverMs, validMs } = options
  const slices = createSlices(coverMs)
  const queue = createLineQueue()
  const rounds: (() => void)[] = []
  const callBack = createCallBack(store)
  const pace = createPace(clock, {
    round: once,
    more: () => queue.size() > 0 || slices.hungry() || rounds.length > 0,
    rest: () => (slices.empty() ? restMs : slices.unsaid() ? heldMs : beatMs),
  })
  const trust = createTrust(clock, validMs, log)
  let state: 'live' | 'closed' | 'stopped' = 'live'
  let seq = 0n
  /** Of the last call that was answered. */
  let heard = 0n
  /** A call failed: how it went is not known. */
  let unsure = false
  /** The database has lost commits, and does not have them again yet: nobody may spend what memory says. */
  let forgot = false
  /** The next call asks for nothing: what was asked for may be what cannot be answered, and lines must not wait for that. */
  let bare = false
  let beatAt = Number.NEGATIVE_INFINITY

  /** A database that does not answer is asked again by the timer only, however many come meanwhile. */
  function kick(): void {
    if (trust.answering() || !pace.waits()) pace.now()
  }

  /** One call. Answers how long to wait before the next, when it should not come at once. */
  async function once(): Promise<number | undefined> {
    // Whatever else happens in this turn goes along.
    await Promise.resolve()
    const waiting = rounds.splice(0)
    let lines: BookLine[] = []
    try {
      if (unsure && state !== 'stopped') await resync()
      const sentAt = { tick: clock.monotonic(), wall: clock.now() }
      lines = queue.next()
      const { call, wishes } = compose(lines, sentAt.tick)
      const answer = await within(clock, callMs, syncBooks(store, call))
      trust.heard(sentAt)
      heard = call.seq
      return accept(lines, wishes, answer)
    } catch (thrown) {
      return failed(thrown, lines)
    } finally {
      for (const done of waiting) done()
    }
  }

  function compose(lines: BookLine[], now: number): { call: SyncCall; wishes: Wish[] } {
    seq += 1n
    // A line that may be at fault goes by itself.
    if (state !== 'live' || queue.isSplit())
      return { call: { instance, seq, heard, lines, own: [], ask: [], replay: state !== 'live' }, wishes: [] }
    const all = now - beatAt >= beatMs
    if (all) beatAt = now
    const own = slices.report(lines, all, now)
    const wishes = bare ? [] : slices.wishes(now)
    const ask = wishes.map(({ parts }) => parts.map(({ account, need, want, budget }) => ({ account, need, want, budget })))
    return { call: { instance, seq, heard, lines, own, ask }, wishes }
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

  function failed(thrown: unknown, lines: BookLine[]): number | undefined {
    unsure = true
    bare = true
    if (isFenced(thrown) && state === 'live') return undefined
    if (isUnwritable(thrown) && lines.length > 0) {
      if (!queue.isSplit()) queue.split(lines)
      else giveUp(lines, thrown)
      return undefined
    }
    trust.lost(thrown instanceof GatewayError ? (thrown.cause ?? thrown) : thrown)
    queue.wake()
    sendAway(clock.monotonic() - patienceMs)
    return againMs
  }

  function sendAway(before: number): void {
    if (slices.refuse(before) > 0) trust.sentAway()
  }

  /** A line that the database will never have must not stop the others. */
  function giveUp(lines: BookLine[], err: unknown): void {
    for (const line of lines) tellUnwritable(line, err, log)
    over(lines)
  }

  async function resync(): Promise<void> {
    let now = await leasesNow()
    if (forgot) {
      log.error({ instance: instance.toString() }, 'the database has lost its last commits; they are written again from the journal')
      await options.forgotten({ missing: (lines) => within(clock, callMs, linesNotInBooks(store, lines)), write: writeAgain })
      forgot = false
      now = await leasesNow()
    }
    unsure = false
    if (state === 'closed') return
    if (now.leases) return slices.reset(now.leases)
    state = 'closed'
    log.error({ instance: instance.toString() }, 'the leases of this instance were written off; it begins anew')
    sendAway(Number.POSITIVE_INFINITY)
    options.closed()
  }

  async function leasesNow(): Promise<Resynced> {
    seq += 1n
    const now = await within(clock, callMs, resyncLeases(store, { instance, seq, heard, folder }))
    forgot ||= now.forgot
    if (now.forgot) heard = 0n
    else if (now.leases) heard = seq
    return now
  }

  async function writeAgain(lines: readonly BookLine[]): Promise<SyncAnswer> {
    sendAway(clock.monotonic() - patienceMs)
    seq += 1n
    const answer = await within(clock, callMs, syncBooks(store, { instance, seq, heard, lines, own: [], ask: [], replay: true }))
    heard = seq
    return answer
  }

  function round(): Promise<void> {
    kick()
    return new Promise((resolve) => rounds.push(resolve))
  }

  pace.within(beatMs)
  return {
    hold(accounts, amount, patience = patienceMs) {
      const now = clock.monotonic()
      const taken = state === 'live' && !forgot && trust.valid() && slices.take(accounts, amount, now)
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
    serving: () => trust.answering() || (state === 'live' && !forgot && trust.valid() && slices.stocked() && !trust.refusing()),
    async stop() {
      state = 'stopped'
      await pace.stop()
      queue.wake()
      for (const done of rounds.splice(0)) done()
    },
  }
}
