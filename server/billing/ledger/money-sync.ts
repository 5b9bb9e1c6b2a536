/**
 * Keeps the money leases of this instance and the database in sync, and sends finished requests there. After a call with an unknown
 * outcome the leases are read again, under a number that invalidates the lost call. The caller owns the journal's files.
 */

import type { EncodedLine } from '#billing/journal/encoded-line'
import type { Account } from '#billing/lease/account'
import { createCallSize } from '#billing/lease/call-size'
import { createDatabaseAvailability, type Moment } from '#billing/lease/database-availability'
import type { LeaseLevels } from '#billing/lease/lease-levels'
import type { LeaseRequest } from '#billing/lease/lease-requests'
import { createMoneyLeases } from '#billing/lease/money-leases'
import { createSyncLoop } from '#billing/lease/sync-loop'
import { unavailable } from '#billing/lease/with-timeout'
import { isFenced, isUnwritable, type SyncAnswer } from '#store/ledger/leases'
import { areTakesPaused } from '#store/ledger/recoveries'
import { directBooks } from './books-database.ts'
import { createLineQueue, linesPerCall } from './line-queue.ts'
import { createMoneyCalls, type MoneyCall, type MoneySyncOptions } from './money-calls.ts'
import { createRecall } from './recall.ts'
import { chargedFor, logShortCharges, logUnwritable, type WriteBackTarget } from './write-back.ts'

/** The money leases of one instance, kept in sync with the database. */
export interface MoneySync {
  /**
   * Holds the amount (nano-dollars) in all of the accounts, or waits for the database, and `patienceMs` for other instances to
   * give something back. An account: that one cannot pay. Rejects with `books_unavailable`.
   */
  hold(accounts: readonly Account[], amount: bigint, patienceMs?: number): true | Promise<true | Account>
  /** Ends a hold; returns how much of the owed amount the leases pay. */
  settle(accounts: readonly string[], amount: bigint, owed: bigint): bigint
  /** What is on lease now. */
  levels(): LeaseLevels
  /** Whether all of these accounts have many times what is held of them, as far as known here. */
  arePlentiful(accounts: readonly string[]): boolean
  /** Sends a line with the next call. */
  push(line: EncodedLine): void
  /** Resolves when a pushed line is in the database, or as soon as the database does not answer. */
  gone(line: EncodedLine): Promise<void>
  /** Gives back what is not needed here, because another instance needs it. Resolves after the call. */
  recall(account: string): Promise<void>
  /** There is more of it now: waiting holds for it are requested again at once. */
  replenish(account: string): void
  /** Sends queued lines without further delay. */
  hurry(): void
  /** Resolves when all lines so far are in the database (true), or as soon as it does not answer. */
  flush(): Promise<boolean>
  /** Since when (monotonic milliseconds) every call has been answered; undefined when the last one was not. */
  answeringSince(): number | undefined
  /** Whether requests can be paid: the database answers, or there are leases and not every hold is refused. */
  serving(): boolean
  /** Makes no more calls; resolves when the last one is over. */
  stop(): Promise<void>
}

interface Call extends MoneyCall {
  requests: readonly LeaseRequest[]
}

// Milliseconds.
const beatMs = 1_000
/** With nothing on lease; other instances count those seen within 30 s. */
const restMs = 10_000
/** How soon holds are reported to the database. */
const heldMs = 250
/** How long after a hold the loop keeps checking that often. */
const usedMs = 3_000
const patienceMs = 250
/** Lines that are sent without waiting for more: as many as fit into a call. */
const enoughLines = linesPerCall
/** How long nothing is requested after takes were paused. */
const pausedMs = 100
/** How long after a served hold refusals are not taken as an outage. */
const servedMs = 2_000

/** Makes its first call within a second. */
export function createMoneySync(options: MoneySyncOptions): MoneySync {
  const { clock, random, log, coverMs, validMs, lingerMs } = options
  const instance = options.instance.toString()
  const calls = createMoneyCalls({ ...options, database: options.database ?? directBooks(options.store, clock) })
  const leases = createMoneyLeases(coverMs, () => maySpend())
  const queue = createLineQueue(() => options.writeDown?.())
  const recall = createRecall(options.store)
  const availability = createDatabaseAvailability(clock, validMs, {
    away: (err) => log.warn({ err }, 'the database does not answer'),
    back: () => log.info({}, 'the database answers again'),
  })
  let state: 'live' | 'closed' | 'stopped' = 'live'
  /** The next call requests nothing: the last request may be what cannot be answered, and lines must not wait for it. */
  let asksNothing = false
  /** Until then takes are paused for all instances, as far as known. */
  let pausedUntil = Number.NEGATIVE_INFINITY
  const callSize = createCallSize()
  /** The last call had lines. */
  let wroteLast = false
  let beatAt = Number.NEGATIVE_INFINITY
  /** When the loop next checks for something to report, if planned. */
  let nextAt = Number.POSITIVE_INFINITY
  let [servedAt, refusedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const loop = createSyncLoop<Call, SyncAnswer>(clock, availability, {
    recover,
    compose: ({ tick }) => compose(queue.next(), tick),
    send: calls.sync,
    accept,
    handled,
    unanswered() {
      queue.wake()
      refuseWaiting(clock.monotonic() - patienceMs)
    },
    hasMore: () => isEnough() || needsRefill(),
    restMs: plannedRest,
  })

  /** While holds arrive, the loop checks often enough that none of them need schedule it. */
  function plannedRest(): number {
    const now = clock.monotonic()
    const due = leases.isEmpty() ? restMs : leases.hasUnreported() || now - servedAt < usedMs ? heldMs : beatMs
    const soon = leases.needsRefill() ? Math.min(due, pausedMs) : due
    const rest = queue.size() > 0 ? Math.min(lingerMs, soon) : soon
    nextAt = now + rest
    return rest
  }

  /** Whether the queued lines are worth a call, whose cost does not depend on their number. */
  const isEnough = () => queue.size() >= (lingerMs > 0 && !queue.isSplit() ? enoughLines : 1)

  const needsRefill = () => leases.needsRefill() && clock.monotonic() >= pausedUntil

  /** `tick`: the current moment. Comparisons only: called for every hold. */
  function maySpend(tick = clock.monotonic()): boolean {
    const wall = clock.now()
    const { validity } = availability
    return state === 'live' && calls.whole && tick < validity.tick && wall > validity.wallFrom && wall < validity.wallTo
  }
  const refusesMost = () => refusedAt > servedAt && clock.monotonic() - servedAt > servedMs

  function compose(lines: EncodedLine[], now: number): Call | undefined {
    // A possibly bad line is sent alone.
    if (state !== 'live' || queue.isSplit()) return { lines, own: [], ask: [], replay: state !== 'live', requests: [] }
    const all = now - beatAt >= beatMs
    const isPaused = now < pausedUntil
    if (!all && lines.length === 0 && !leases.hasUnreported() && (isPaused || !leases.needsRefill())) return undefined
    if (all) beatAt = now
    // While a crowd waits, lines and holds alternate: neither lengthens the other's call.
    const isApart = lines.length > 0 && leases.isCrowded()
    const sent = isApart && wroteLast ? [] : lines
    wroteLast = sent.length > 0
    const own = leases.report(sent, all, now)
    const requests = asksNothing || isPaused || (isApart && wroteLast) ? [] : leases.leaseRequests(now, callSize.most)
    const ask = requests.map(({ parts }) => parts.map(({ account, need, want, budget }) => ({ account, need, want, budget })))
    return { lines: sent, own, ask, requests }
  }

  function accept(call: Call, answer: SyncAnswer, { tick }: Moment): number | undefined {
    const { lines, requests } = call
    callSize.took(
      requests.reduce((sum, { parts }) => sum + parts.length, 0),
      clock.monotonic() - tick,
    )
    logShortCharges(lines, answer, log)
    options.charged?.(chargedFor(lines, answer))
    over(lines)
    asksNothing = false
    if (state !== 'live') return undefined
    const now = clock.monotonic()
    const scarce = leases.accept(requests, answer, now)
    for (const account of scarce) recall(account, now)
    return scarce.length > 0 && queue.size() === 0 && !leases.isBehind() ? 10 + 20 * random.fraction() : undefined
  }

  function over(lines: readonly EncodedLine[]): void {
    for (const line of lines) {
      if (state === 'live') leases.acknowledge(line)
      options.flushed(line)
    }
    queue.remove(lines)
  }

  function handled(error: unknown, call: Call | undefined): boolean {
    asksNothing = true
    if (areTakesPaused(error)) {
      if (pausedUntil === Number.NEGATIVE_INFINITY)
        log.warn({ instance }, 'the database has lost commits, or is another server: leases wait')
      pausedUntil = clock.monotonic() + pausedMs
      refuseWaiting(clock.monotonic() - patienceMs)
      return true
    }
    if (isFenced(error) && state === 'live') return true
    if (!call || !isUnwritable(error)) return false
    const { lines, requests } = call
    if (requests.length > 0) {
      // A request that cannot be written must not stop the others.
      log.error({ err: error }, 'the database could not process a request for leases')
      leases.dismiss(requests)
      return true
    }
    if (lines.length === 0) return false
    if (queue.isSplit()) giveUp(lines, error)
    else queue.split(lines)
    return true
  }

  function refuseWaiting(before: number): void {
    if (leases.refuse(before) > 0) refusedAt = clock.monotonic()
  }

  /** A line that the database will never have must not stop the others. */
  function giveUp(lines: readonly EncodedLine[], err: unknown): void {
    for (const line of lines) logUnwritable(line, err, log)
    over(lines)
  }

  async function recover(): Promise<void> {
    if (state === 'stopped') return
    const isLive = await calls.resync(writeAgain, leases.shortOf, leases.reset)
    if (isLive || state === 'closed') return
    state = 'closed'
    log.error({ instance }, 'the leases of this instance were written off; it starts again as a new instance')
    refuseWaiting(Number.POSITIVE_INFINITY)
    options.closed()
  }

  function writeAgain(target: WriteBackTarget): Promise<void> {
    log.error({ instance }, 'the database has lost its last commits; they are written back from the journal')
    // Waiting holds are refused meanwhile.
    const write: WriteBackTarget['write'] = (lines) => {
      refuseWaiting(clock.monotonic() - patienceMs)
      return target.write(lines)
    }
    return options.forgotten({ ...target, write })
  }

  function served(): void {
    servedAt = clock.monotonic()
  }

  loop.within(beatMs)
  return {
    hold(accounts, amount, patience = patienceMs) {
      const now = clock.monotonic()
      const taken = maySpend(now) && leases.take(accounts, amount, now)
      if (taken === true) {
        servedAt = now
        if (leases.hasLow() && availability.isAnswering()) loop.kick()
        else if (now + heldMs < nextAt) {
          nextAt = now + heldMs
          loop.within(heldMs)
        }
        return true
      }
      if (taken !== false) return Promise.resolve(taken)
      if (state !== 'live') return Promise.reject(unavailable())
      return new Promise((resolve, reject) => {
        const until = now + patience
        const refused = (account: Account | undefined) => (account ? resolve(account) : reject(unavailable()))
        const granted = () => {
          served()
          resolve(true)
        }
        leases.wait({ accounts, amount, since: now, until, served: granted, refused })
        loop.kick()
      })
    },
    settle: (accounts, amount, owed) => (state === 'closed' ? 0n : leases.settle(accounts, amount, owed)),
    levels: leases.levels,
    arePlentiful: (accounts) => maySpend() && leases.arePlentiful(accounts),
    push(line) {
      queue.add(line)
      if (!availability.isAnswering()) return
      if (isEnough()) loop.kick()
      else loop.within(lingerMs)
    },
    gone: (line) => (state !== 'stopped' && availability.isAnswering() ? queue.gone(line) : Promise.resolve()),
    hurry: loop.kick,
    async recall(account) {
      if (state !== 'live' || !leases.release(account, clock.monotonic())) return
      beatAt = Number.NEGATIVE_INFINITY
      await loop.round()
    },
    replenish(account) {
      if (leases.replenish(account)) loop.kick()
    },
    async flush() {
      while (queue.size() > 0 && state !== 'stopped') {
        await loop.round()
        if (!availability.isAnswering()) return false
      }
      return queue.size() === 0
    },
    answeringSince: availability.answeringSince,
    serving: () => availability.isAnswering() || (maySpend() && leases.hasMoney() && !refusesMost()),
    async stop() {
      state = 'stopped'
      await loop.stop()
      queue.wake()
    },
  }
}
