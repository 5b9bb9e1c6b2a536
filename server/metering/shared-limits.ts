/**
 * The limits of `limits.ts`, kept by all instances of one database together: never more than the limit in any sixty seconds, never
 * more at once. Requests use what their instance has taken ahead (`share.ts`), in memory; one that finds too little there waits
 * for the lane (`limits-lane.ts`). Knows no SQL: start reading at `createSharedLimiter`.
 */
import type { Allowances } from '#canonical/allowance'
import type { Clock, Dice } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { RateAnswer, RateAsk, RateCall } from '#store/rates'
import { type Bounded, type Limiter, type LimitKind, limitReached, type Ticket, tightest } from './limits.ts'
import { createLimitsLane } from './limits-lane.ts'
import { createShare, type Share } from './share.ts'
import type { Moment } from './stock.ts'
import { unavailable, within } from './within.ts'

/** The place where all instances meet. */
export interface RateTable {
  sync(call: RateCall): Promise<ReadonlyMap<string, RateAnswer>>
  /** Everything that the holder has goes back. */
  forget(holder: string): Promise<void>
  /** Asks every instance for what it can spare of this limit. */
  recall(id: string): void
  onRecall(asked: (id: string) => void): void
}

export interface SharedLimiterOptions {
  table: RateTable
  clock: Clock
  dice: Dice
  log: Log
  /** After how many milliseconds without a word the others take the places of an instance. */
  writeOffMs: number
}

export interface SharedLimiter extends Limiter {
  /** Gives everything back. Never rejects. */
  close(): Promise<void>
}

interface Need {
  share: Share
  amount: number
}

interface Waiter {
  needs: readonly Need[]
  since: number
  served(ticket: Ticket): void
  refused(error: Error): void
}

// Milliseconds.
/** For the database to answer. */
const patienceMs = 250
const thriftyMs = 2_000
const forgetMs = 2_000
/** In one call; the others go with the next. */
const mostAsks = 500

export function createSharedLimiter({ table, clock, dice, log, writeOffMs }: SharedLimiterOptions): SharedLimiter {
  const holder = dice.hex(12)
  const shares = new Map<string, Share>()
  /** Those that may have something to tell, the longest unheard first. */
  const restless = new Set<Share>()
  let waiting: Waiter[] = []
  let closed = false
  /** There was more to tell than goes into one call. */
  let more = false
  const lane = createLimitsLane(
    { sync: table.sync, clock, log, holder, writeOffMs },
    { asks, answered, unanswered, isRestless: () => restless.size > 0, isBusy: () => shares.size > 0 },
  )
  table.onRecall(recalled)

  function needOf(id: string, kind: LimitKind, limit: number | undefined, amount: number, now: Moment): Need[] {
    if (limit === undefined) return []
    const key = `${kind}:${id}`
    const share = shares.get(key) ?? createShare(key, kind, lane.isValid)
    shares.set(key, share)
    restless.add(share)
    share.setLimit(limit, now)
    return [{ share, amount }]
  }

  /** In the order in which they refuse. A request larger than the limit passes when nothing else was used. */
  function needsOf(bounds: readonly Bounded[], tokens: number, now: Moment): Need[] {
    return bounds.flatMap(({ id, limits }) => [
      ...needOf(id, 'places', limits?.concurrency, 1, now),
      ...needOf(id, 'requests', limits?.rpm, 1, now),
      ...needOf(id, 'tokens', limits?.tpm, Math.min(limits?.tpm ?? 0, Math.max(1, tokens)), now),
    ])
  }

  function ticketFor(needs: readonly Need[], now: Moment): Ticket {
    const ends = needs.map(({ share, amount }) => share.take(amount, now))
    let open = true
    return {
      left: leftOf(needs, now),
      done(used) {
        if (!open) return
        open = false
        const later = lane.now()
        for (const end of ends) end(used, later)
        for (const { share } of needs) restless.add(share)
        serve(later)
        lane.soon()
      },
    }
  }

  /** In order; a later one passes only while those before it stay covered. */
  function serve(now: Moment): void {
    const claims = new Map<Share, number>()
    const covers = ({ share, amount }: Need) => share.spare(now) - (claims.get(share) ?? 0) >= amount
    endWaiting(({ needs, served }) => {
      const isCovered = needs.every(covers)
      if (isCovered) served(ticketFor(needs, now))
      else for (const { share, amount } of needs) claims.set(share, (claims.get(share) ?? 0) + amount)
      return isCovered
    })
  }

  function endWaiting(ends: (waiter: Waiter) => boolean): void {
    waiting = waiting.filter((waiter) => {
      if (!ends(waiter)) return true
      for (const { share, amount } of waiter.needs) share.claimed -= amount
      return false
    })
  }

  /** Those for whom there is a reason wait no longer. */
  function refuse(reasonOf: (waiter: Waiter) => Error | undefined): void {
    endWaiting((waiter) => {
      const error = reasonOf(waiter)
      if (error) waiter.refused(error)
      return error !== undefined
    })
  }

  /** Why it cannot be, as far as is known; undefined while it may. */
  function denial(needs: readonly Need[], now: Moment): Error | undefined {
    const denied = needs.find(({ share, amount }) => share.isDenied(amount, now) && !share.hasHope(now))
    return denied && limitReached(denied.share.kind, denied.share.msUntil(denied.amount, now))
  }

  function asks(now: Moment): RateAsk[] {
    const heads = new Map<Share, number>()
    for (const { needs } of waiting) for (const { share, amount } of needs) if (!heads.has(share)) heads.set(share, amount)
    const all: RateAsk[] = []
    more = false
    for (const share of new Set([...heads.keys(), ...restless])) {
      more = all.length === mostAsks
      if (more) break
      const ask = share.ask(now, heads.get(share))
      restless.delete(share)
      if (ask) all.push(ask)
      // How it goes with what is told is not known before the answer.
      if (ask || !share.isQuiet(now)) restless.add(share)
      else if (share.isUnused()) shares.delete(share.id)
    }
    return all
  }

  function answered(sent: readonly RateAsk[], answers: ReadonlyMap<string, RateAnswer>, at: Moment): number | undefined {
    const now = lane.now()
    for (const ask of sent) {
      const answer = answers.get(ask.id)
      if (!answer) continue
      shares.get(ask.id)?.answered(ask, answer, at, now)
      if (answer.tell) table.recall(ask.id)
    }
    serve(now)
    for (const { id, ahead } of sent) if (ahead > 0) shares.get(id)?.fed(now)
    refuse(({ needs }) => denial(needs, now))
    serve(now)
    if (waiting.length === 0) return more ? 0 : undefined
    const hopeful = waiting.some(({ needs }) => needs.some(({ share }) => share.hasHope(now)))
    return hopeful ? 10 + 20 * dice.roll() : 0
  }

  function unanswered(sent: readonly RateAsk[]): void {
    for (const ask of sent) shares.get(ask.id)?.lost(ask)
    const before = lane.now().tick - patienceMs
    refuse(({ since }) => (since <= before ? unavailable() : undefined))
  }

  function recalled(id: string): void {
    const share = shares.get(id)
    if (!share) return
    share.beThrifty(clock.monotonic() + thriftyMs)
    restless.add(share)
    if (share.claimed === 0) lane.kick()
  }

  function wait(needs: readonly Need[], { tick: since }: Moment): Promise<Ticket> {
    for (const { share, amount } of needs) share.claimed += amount
    return new Promise((served, refused) => {
      waiting.push({ needs, since, served, refused })
      lane.kick()
    })
  }

  return {
    take(bounds, tokens) {
      const now = lane.now()
      const needs = needsOf(bounds, tokens, now)
      if (needs.every(({ share, amount }) => share.spare(now) - share.claimed >= amount)) {
        const ticket = ticketFor(needs, now)
        if (needs.some(({ share }) => share.isHungry(now))) lane.kick()
        else lane.soon()
        return ticket
      }
      const error = closed ? unavailable() : denial(needs, now)
      if (error) throw error
      return wait(needs, now)
    },
    async close() {
      closed = true
      refuse(() => unavailable())
      for (const share of shares.values()) share.beThrifty(Number.POSITIVE_INFINITY)
      for (const share of shares.values()) restless.add(share)
      await lane.finish()
      // Where it cannot be told, the others find out by themselves.
      await within(clock, forgetMs, table.forget(holder)).catch(() => {})
    },
  }
}

function leftOf(needs: readonly Need[], now: Moment): Allowances {
  const left = (kind: LimitKind) => tightest(needs.flatMap(({ share }) => (share.kind === kind ? (share.allowance(now) ?? []) : [])))
  const requests = left('requests')
  const tokens = left('tokens')
  return { ...(requests && { requests }), ...(tokens && { tokens }) }
}
