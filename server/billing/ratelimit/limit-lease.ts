/**
 * This instance's lease of one limit: how much of it is taken ahead, when that is given back, and what the database's answers mean for
 * waiting requests. The nearer the limit the less is kept, and nothing while another instance needs it. Amounts are whole tokens,
 * requests or places.
 */

import type { Moment } from '#billing/lease/database-availability'
import {
  conserve,
  isConserving,
  isInsufficient,
  isInUse,
  keepsAhead,
  larger,
  needsRefill,
  newRefill,
  refillAmount,
  refilled,
  rememberRefusal,
  smaller,
  surplus,
} from '#billing/lease/refill'
import type { Claimed } from '#billing/lease/waiting'
import type { Allowance } from '#canonical/allowance'
import type { RateAnswer, RateAsk } from '#store/ledger/rates'
import { type LimitKind, placeWaitMs } from './limits.ts'
import { createMinuteGrants, type MinuteGrants } from './minute-grants.ts'
import { createPlaceGrants, type Grants } from './place-grants.ts'

/** A lease of one limit. */
export interface LimitLease extends Claimed {
  readonly id: string
  readonly kind: LimitKind
  /** Sets the current limit. If it changed, what was taken under the old one is given back. */
  setLimit(limit: number, now: Moment): void
  /** What may be used now, claimed or not. */
  spare(now: Moment): bigint
  /** Takes an available amount. Call the result at the end with the total tokens used. */
  take(amount: bigint, now: Moment): (used: number, now: Moment) => void
  /** Whether there is less than is claimed, or than should be kept ahead. */
  needsRefill(now: Moment): boolean
  /** The request for the database, if any. `head`: the need of the first waiting request. */
  ask(now: Moment, head: bigint | undefined): RateAsk | undefined
  /** Applies the answer to a call sent at `sent`. */
  answered(ask: RateAsk, answer: RateAnswer, sent: Moment, now: Moment): void
  /** After the answer, when waiting requests were served: no more is expected to be ahead than there is. */
  refilled(now: Moment): void
  /** The outcome of the call is unknown. */
  lost(ask: RateAsk): void
  /** Whether the database recently did not have that much. */
  isRefused(amount: bigint, now: Moment): boolean
  /** Whether another instance may give something back at any moment. */
  hasHope(now: Moment): boolean
  /** Another instance needs it: nothing is kept ahead until `until` (monotonic milliseconds). */
  conserve(until: number): void
  /** Milliseconds until that much may be available. */
  msUntil(amount: bigint, now: Moment): number
  /** What is left of the limit for all instances; undefined for places. */
  allowance(now: Moment): Allowance | undefined
  /** Whether there is nothing to report until something happens here. */
  isQuiet(now: Moment): boolean
  /** Whether no request has a part in it. */
  isUnused(): boolean
}

/** What is taken of a minute expires with it, so little is kept ahead, and less when traffic falls. */
const rule = { coverMs: 1_000, trims: true }

/** `isValid`: whether the places of this instance are still its own. */
export function createLimitLease(id: string, kind: LimitKind, isValid: (now: Moment) => boolean): LimitLease {
  const minute: MinuteGrants | undefined = kind === 'places' ? undefined : createMinuteGrants()
  const grants: Grants = minute ?? createPlaceGrants(isValid)
  const refill = newRefill(rule)
  let cap = 0
  /** The step of the running call. */
  let nextStep = 0n
  /** What one request usually takes. */
  let usual = 1n
  let hopeUntil = Number.NEGATIVE_INFINITY
  /** Requests whose end may have something to report. */
  let open = 0

  const spareOf = (now: Moment) => BigInt(grants.spare(now))
  const lastingOf = (now: Moment) => BigInt(grants.lasting(now))
  const isLow = (now: Moment) => needsRefill(refill, lastingOf(now) - lease.claimed, now.tick)

  function shed(amount: bigint, now: Moment): void {
    if (amount > 0n) grants.shed(Number(amount), now)
  }

  /** Sheds what is not needed here; where there is too little for all, also what does not suffice for the first waiting request. */
  function shedSurplus(now: Moment, head: bigint): void {
    const spare = spareOf(now)
    if (lease.claimed > 0n) {
      if (isConserving(refill, now.tick) && spare < head) shed(spare, now)
      return
    }
    const lasting = lastingOf(now)
    const kept = keepsAhead(refill, now.tick) ? refill.step : 0n
    const ending = 2n * lasting >= kept ? spare - lasting : 0n
    shed(larger(ending, surplus(refill, spare, now.tick)), now)
  }

  function shedAll(now: Moment): void {
    shed(spareOf(now), now)
    refill.refused = undefined
  }

  /** How much to request beyond what is claimed. */
  function ahead(now: Moment): bigint {
    if (lease.claimed <= spareOf(now) && !isLow(now)) return 0n
    nextStep = smaller(BigInt(cap), refillAmount(refill, 2n * usual, now.tick))
    return larger(0n, nextStep - larger(0n, lastingOf(now) - lease.claimed))
  }

  const lease: LimitLease = {
    id,
    kind,
    claimed: 0n,
    waiting: 0,
    setLimit(limit, now) {
      if (limit === cap) return
      if (cap > 0) shedAll(now)
      cap = limit
    },
    spare: spareOf,
    take(amount, now) {
      refill.usedAt = now.tick
      usual = larger(1n, amount)
      const end = grants.spend(Number(amount), now)
      open += 1
      return (used, later) => {
        open -= 1
        // A request was made, however few tokens it used.
        end(kind === 'tokens' ? Math.ceil(used) : Number(amount), later)
      }
    },
    needsRefill: (now) => lease.claimed > spareOf(now) || isLow(now),
    ask(now, head = 0n) {
      if (head > 0n) refill.usedAt = now.tick
      shedSurplus(now, head)
      const spare = spareOf(now)
      const need = Number(larger(0n, head - spare))
      const claim = Number(larger(0n, lease.claimed - spare))
      const more = Number(ahead(now))
      if (need + claim + more === 0 && !grants.hasNews(now)) return undefined
      return { id, cap, need, claim, ahead: more, ...grants.parcel(now) }
    },
    answered(ask, answer, sent, now) {
      grants.receive(answer, sent)
      // The limit was changed meanwhile: the answer is about the old one.
      if (ask.cap !== cap) return shedAll(now)
      if (answer.scarceMs > 0) conserve(refill, now.tick + answer.scarceMs)
      hopeUntil = answer.short ? now.tick + answer.waitMs : Number.NEGATIVE_INFINITY
      if (answer.short) rememberRefusal(refill, BigInt(ask.need), now.tick)
      else refill.refused = undefined
    },
    refilled: (now) => refilled(refill, nextStep, lastingOf(now) - lease.claimed, now.tick),
    lost: grants.lost,
    isRefused: (amount, now) => isInsufficient(refill, amount - spareOf(now), now.tick),
    hasHope: ({ tick }) => tick < hopeUntil,
    conserve: (until) => conserve(refill, until),
    msUntil: (amount, now) => minute?.msUntil(Number(amount), cap, now) ?? placeWaitMs,
    allowance: (now) => minute?.allowance(cap, now),
    isQuiet: ({ tick }) => lease.waiting === 0 && grants.isQuiet() && (open > 0 || !isInUse(refill, tick)),
    isUnused: () => lease.waiting === 0 && open === 0,
  }
  return lease
}
