/**
 * The limits of `limits.ts`, kept by all instances of one database together: never more than the limit in any sixty seconds, never
 * more at once. Requests use what their instance has taken ahead (`limit-lease.ts`), in memory; one that finds too little there waits
 * for the sync loop. Knows no SQL: start reading at `createSharedLimiter`.
 */

import { createDatabaseAvailability, type Moment, momentOf } from '#billing/lease/database-availability'
import { conserveMs } from '#billing/lease/refill'
import { createSyncLoop } from '#billing/lease/sync-loop'
import { createWaitingList, type Need as NeedOf, type Waiter } from '#billing/lease/waiting'
import { callMs, unavailable, withTimeout } from '#billing/lease/with-timeout'
import type { Allowances } from '#canonical/allowance'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { RateAnswer, RateAsk, RateCall } from '#store/ledger/rates'
import { createLimitLease, type LimitLease } from './limit-lease.ts'
import { type Bounded, type Limiter, type LimitKind, limitReached, type Ticket, tightest } from './limits.ts'

/** The database, as far as limits are concerned. */
export interface RateTable {
  /** One numbered call. Rejects when there is no answer, or when a later call came first. */
  sync(call: RateCall): Promise<ReadonlyMap<string, RateAnswer>>
  /** Whether a call times out by itself after `callMs`, so that a busy thread need not time it; otherwise it is timed here. */
  readonly isTimed?: boolean
  /** Returns everything that the holder has. */
  forget(holder: string): Promise<void>
  /** Asks every instance to give back what it can spare of this limit. */
  recall(id: string): void
  /** Subscribes to the recalls of other instances. */
  onRecall(asked: (id: string) => void): void
}

/** Options of a shared limiter. */
export interface SharedLimiterOptions {
  table: RateTable
  clock: Clock
  random: Random
  log: Log
  /** After how many milliseconds of silence an instance loses its places to others. */
  writeOffMs: number
}

/** A limiter that gives back what it holds at its end. */
export interface SharedLimiter extends Limiter {
  /** Gives everything back. Never rejects. */
  close(): Promise<void>
}

type Need = NeedOf<LimitLease>
type WaitingRequest = Waiter<LimitLease, Error>

// Milliseconds.
/** How long to wait for the database. */
const patienceMs = 250
const forgetMs = 2_000
const tickMs = 100
/** In one call; the others go with the next. */
const mostAsks = 500

/** Makes its first call with the first request. */
export function createSharedLimiter({ table, clock, random, log, writeOffMs }: SharedLimiterOptions): SharedLimiter {
  const holder = random.hex(12)
  const leases = new Map<string, LimitLease>()
  /** Leases that may have something to report, those silent longest first. */
  const changed = new Set<LimitLease>()
  /** An instance with places must report regularly, or they are given to others. */
  const beatMs = writeOffMs / 6
  let seq = 0
  let isKicked = false
  let isClosed = false
  /** There was more to report than fits into one call. */
  let hasMore = false
  const now = () => momentOf(clock)
  const waiting = createWaitingList<LimitLease, Error, WaitingRequest>({ spare: (lease) => lease.spare(now()), claims: 'all needs' })
  const availability = createDatabaseAvailability(clock, writeOffMs, {
    away: (err) => log.warn({ err }, 'the limits cannot be shared'),
    back: () => log.info({}, 'the limits are shared again'),
  })
  const loop = createSyncLoop<RateCall, ReadonlyMap<string, RateAnswer>>(clock, availability, {
    // Nothing need be read again: each call states what this instance counts on, and what is lost of a minute expires with it.
    recover: async () => {},
    compose,
    send: (call) => (table.isTimed ? table.sync(call) : withTimeout(clock, callMs, table.sync(call))),
    accept: ({ asks }, answers, sentAt) => accept(asks, answers, sentAt),
    handled: () => false,
    unanswered,
    hasMore: () => isKicked,
    restMs: () => (changed.size > 0 ? tickMs : leases.size > 0 ? beatMs : undefined),
  })
  table.onRecall(recalled)

  function kick(): void {
    isKicked = true
    loop.kick()
  }

  function needOf(id: string, kind: LimitKind, limit: number | undefined, amount: number, at: Moment): Need[] {
    if (limit === undefined) return []
    const key = `${kind}:${id}`
    const lease = leases.get(key) ?? createLimitLease(key, kind, availability.isValid)
    leases.set(key, lease)
    changed.add(lease)
    lease.setLimit(limit, at)
    return [{ lease, amount: BigInt(Math.ceil(amount)) }]
  }

  /** In the order in which they refuse. A request larger than the limit passes when nothing else was used. */
  function needsOf(bounded: readonly Bounded[], tokens: number, at: Moment): Need[] {
    return bounded.flatMap(({ id, limits }) => [
      ...needOf(id, 'places', limits?.concurrency, 1, at),
      ...needOf(id, 'requests', limits?.rpm, 1, at),
      ...needOf(id, 'tokens', limits?.tpm, Math.min(limits?.tpm ?? 0, Math.max(1, tokens)), at),
    ])
  }

  function ticketFor(needs: readonly Need[], at: Moment): Ticket {
    const ends = needs.map(({ lease, amount }) => lease.take(amount, at))
    let open = true
    return {
      left: leftOf(needs, at),
      done(used) {
        if (!open) return
        open = false
        const later = now()
        for (const end of ends) end(used, later)
        for (const { lease } of needs) changed.add(lease)
        waiting.serve()
        loop.within(tickMs)
      },
    }
  }

  /** The error if the needs cannot be met, as far as known; undefined while they may be. */
  function denial(needs: readonly Need[], at: Moment): Error | undefined {
    const denied = needs.find(({ lease, amount }) => lease.isRefused(amount, at) && !lease.hasHope(at))
    if (!denied) return undefined
    const { kind, id } = denied.lease
    return limitReached(kind, id.slice(kind.length + 1), denied.lease.msUntil(denied.amount, at))
  }

  function compose(sentAt: Moment): RateCall | undefined {
    isKicked = false
    const asks = asksFor(sentAt)
    const isDue = leases.size > 0 && sentAt.tick - availability.lastAnsweredAt().tick >= beatMs
    if (asks.length === 0 && !isDue) return undefined
    seq += 1
    const since = availability.answeringSince()
    return { holder, seq, asks, writeOffMs, trusting: since !== undefined && sentAt.tick - since >= writeOffMs }
  }

  function asksFor(sentAt: Moment): RateAsk[] {
    const heads = new Map<LimitLease, bigint>()
    for (const { needs } of waiting.all()) for (const { lease, amount } of needs) if (!heads.has(lease)) heads.set(lease, amount)
    const asks: RateAsk[] = []
    hasMore = false
    for (const lease of new Set([...heads.keys(), ...changed])) {
      hasMore = asks.length === mostAsks
      if (hasMore) break
      const ask = lease.ask(sentAt, heads.get(lease))
      changed.delete(lease)
      if (ask) asks.push(ask)
      // The outcome of what is reported is unknown before the answer.
      if (ask || !lease.isQuiet(sentAt)) changed.add(lease)
      else if (lease.isUnused()) leases.delete(lease.id)
    }
    return asks
  }

  function accept(asks: readonly RateAsk[], answers: ReadonlyMap<string, RateAnswer>, sentAt: Moment): number | undefined {
    const at = now()
    for (const ask of asks) {
      const answer = answers.get(ask.id)
      if (!answer) continue
      leases.get(ask.id)?.answered(ask, answer, sentAt, at)
      if (answer.tell) table.recall(ask.id)
    }
    waiting.serve()
    for (const { id, ahead } of asks) if (ahead > 0) leases.get(id)?.refilled(at)
    waiting.refuse(({ needs }) => denial(needs, at))
    if (isKicked) return 0
    if (waiting.size() === 0) return hasMore ? 0 : undefined
    return waiting.all().some(({ needs }) => needs.some(({ lease }) => lease.hasHope(at))) ? 10 + 20 * random.fraction() : 0
  }

  function unanswered(call: RateCall | undefined): void {
    for (const ask of call?.asks ?? []) leases.get(ask.id)?.lost(ask)
    const before = clock.monotonic() - patienceMs
    waiting.refuse(({ since }) => (since <= before ? unavailable() : undefined))
  }

  function recalled(id: string): void {
    const lease = leases.get(id)
    if (!lease) return
    lease.conserve(clock.monotonic() + conserveMs)
    changed.add(lease)
    if (lease.waiting === 0) kick()
  }

  function wait(needs: readonly Need[], { tick: since }: Moment): Promise<Ticket> {
    return new Promise((resolve, reject) => {
      waiting.add({ needs, since, served: () => resolve(ticketFor(needs, now())), refused: reject })
      kick()
    })
  }

  return {
    take(bounded, tokens) {
      const at = now()
      const needs = needsOf(bounded, tokens, at)
      if (waiting.covers(needs)) {
        const ticket = ticketFor(needs, at)
        if (needs.some(({ lease }) => lease.needsRefill(at))) kick()
        else loop.within(tickMs)
        return ticket
      }
      const error = isClosed ? unavailable() : denial(needs, at)
      if (error) throw error
      return wait(needs, at)
    },
    refusal(bounded) {
      const at = now()
      const kinds = ['places', 'requests', 'tokens'] as const
      const known = bounded.flatMap(({ id }) => kinds.flatMap((kind) => leases.get(`${kind}:${id}`) ?? []))
      return denial(
        known.map((lease) => ({ lease, amount: 1n })),
        at,
      )
    },
    async close() {
      isClosed = true
      waiting.refuse(() => unavailable())
      for (const lease of leases.values()) {
        lease.conserve(Number.POSITIVE_INFINITY)
        changed.add(lease)
      }
      await loop.finish()
      // If this fails, the others find out by themselves.
      await withTimeout(clock, forgetMs, table.forget(holder)).catch(() => {})
    },
  }
}

function leftOf(needs: readonly Need[], now: Moment): Allowances {
  const left = (kind: LimitKind) => tightest(needs.flatMap(({ lease }) => (lease.kind === kind ? (lease.allowance(now) ?? []) : [])))
  const requests = left('requests')
  const tokens = left('tokens')
  return { ...(requests && { requests }), ...(tokens && { tokens }) }
}
