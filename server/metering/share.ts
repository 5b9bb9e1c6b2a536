/**
 * This instance's share of one limit: how much of it is taken ahead, when that goes back, and what the database's answers mean
 * for those who wait. The nearer the limit the less is kept, and nothing while somebody else asks for it.
 */
import type { Allowance } from '#canonical/allowance'
import type { RateAnswer, RateAsk } from '#store/rates'
import { type LimitKind, placeWaitMs } from './limits.ts'
import { createMinuteStock, type MinuteStock } from './minute-stock.ts'
import { createPlaces, type Moment, type Stock } from './stock.ts'

export interface Share {
  readonly id: string
  readonly kind: LimitKind
  /** What those who wait here will take. */
  claimed: number
  /** The limit as it is now. Where it was another, what was taken under that goes back. */
  setLimit(limit: number, now: Moment): void
  /** What may be used now, those who wait included. */
  spare(now: Moment): number
  /** Takes what is there. To be called at the end with the tokens used in all. */
  take(amount: number, now: Moment): (used: number, now: Moment) => void
  /** Whether less is there than should be kept ahead. */
  isHungry(now: Moment): boolean
  /** What to say to the database, if anything. `head`: the need of the first who waits. */
  ask(now: Moment, head: number | undefined): RateAsk | undefined
  answered(ask: RateAsk, answer: RateAnswer, sent: Moment, now: Moment): void
  /** After those who waited were served: no more is expected to be ahead than there is. */
  fed(now: Moment): void
  lost(ask: RateAsk): void
  /** Whether the database said just now that there is less. */
  isDenied(amount: number, now: Moment): boolean
  /** Whether somebody else may give something back at any moment. */
  hasHope(now: Moment): boolean
  /** Somebody else needs it: until then nothing is kept ahead. */
  beThrifty(until: number): void
  /** Milliseconds until so much may be there. */
  msUntil(amount: number, now: Moment): number
  /** Undefined for places. */
  allowance(now: Moment): Allowance | undefined
  /** Whether there is nothing to tell before something happens here. */
  isQuiet(now: Moment): boolean
  /** Whether no request has a part in it. */
  isUnused(): boolean
}

/** Milliseconds. */
const idleMs = 3_000
const coverMs = 1_000
const denialMs = 100

/** `valid`: whether the places of this instance are its own still. */
export function createShare(id: string, kind: LimitKind, valid: (now: Moment) => boolean): Share {
  const minute: MinuteStock | undefined = kind === 'places' ? undefined : createMinuteStock()
  const stock: Stock = minute ?? createPlaces(valid)
  let cap = 0
  /** How much is kept ahead: doubled while takes come often. */
  let step = 0
  let usual = 1
  let usedAt = Number.NEGATIVE_INFINITY
  let askedAt = Number.NEGATIVE_INFINITY
  let thriftyUntil = Number.NEGATIVE_INFINITY
  let hopeUntil = Number.NEGATIVE_INFINITY
  /** Requests whose end may have something to tell. */
  let open = 0
  let denied = { need: 0, until: Number.NEGATIVE_INFINITY }

  const keepsAhead = ({ tick }: Moment) => tick >= thriftyUntil && tick - usedAt < idleMs
  const isLow = (now: Moment) => step > 0 && stock.lasting(now) - share.claimed < step / 2

  /** What nobody here needs; where there is too little for all, also what is not enough for the first who waits: together it may be. */
  function shedSurplus(now: Moment, head: number): void {
    const spare = stock.spare(now)
    if (share.claimed > 0) {
      if (now.tick < thriftyUntil && spare > 0 && spare < head) stock.shed(spare, now)
      return
    }
    const lasting = stock.lasting(now)
    const kept = keepsAhead(now) ? step : 0
    const ending = lasting >= kept / 2 ? spare - lasting : 0
    const surplus = kept === 0 || spare > 2 * kept ? Math.max(0, spare - kept) : 0
    const shed = Math.max(ending, surplus)
    if (shed > 0) stock.shed(shed, now)
  }

  function shedAll(now: Moment): void {
    const spare = stock.spare(now)
    if (spare > 0) stock.shed(spare, now)
    denied.until = Number.NEGATIVE_INFINITY
  }

  /** What to ask for beyond what is claimed. */
  function appetite(now: Moment): number {
    if (!keepsAhead(now) || !(share.claimed > stock.spare(now) || isLow(now))) return 0
    const since = now.tick - askedAt
    const grown = since < coverMs ? step * 2 : since > 5 * coverMs ? step / 2 : step
    step = Math.min(cap, Math.max(Math.ceil(grown), 2 * usual))
    askedAt = now.tick
    return Math.max(0, step - Math.max(0, stock.lasting(now) - share.claimed))
  }

  const share: Share = {
    id,
    kind,
    claimed: 0,
    setLimit(limit, now) {
      if (limit === cap) return
      if (cap > 0) shedAll(now)
      cap = limit
    },
    spare: stock.spare,
    take(amount, now) {
      usedAt = now.tick
      usual = Math.max(1, amount)
      const end = stock.spend(amount, now)
      open += 1
      return (used, later) => {
        open -= 1
        // A request was made, however few tokens it used.
        end(kind === 'tokens' ? used : amount, later)
      }
    },
    isHungry: (now) => share.claimed > stock.spare(now) || (keepsAhead(now) && isLow(now)),
    ask(now, head) {
      if (head !== undefined) usedAt = now.tick
      shedSurplus(now, head ?? 0)
      const spare = stock.spare(now)
      const need = Math.max(0, (head ?? 0) - spare)
      const claim = Math.max(0, share.claimed - spare)
      const ahead = appetite(now)
      if (need + claim + ahead === 0 && !stock.hasNews(now)) return undefined
      return { id, cap, need, claim, ahead, ...stock.parcel(now) }
    },
    answered(ask, answer, sent, now) {
      stock.receive(answer, sent)
      // The limit was changed meanwhile: what was said of another counts for nothing.
      if (ask.cap !== cap) return shedAll(now)
      if (answer.scarceMs > 0) thriftyUntil = Math.max(thriftyUntil, now.tick + answer.scarceMs)
      hopeUntil = answer.short ? now.tick + answer.waitMs : Number.NEGATIVE_INFINITY
      denied = { need: ask.need, until: answer.short ? now.tick + denialMs : Number.NEGATIVE_INFINITY }
    },
    fed(now) {
      step = Math.min(step, Math.max(0, stock.lasting(now) - share.claimed))
    },
    lost: stock.lost,
    isDenied: (amount, now) => now.tick < denied.until && amount - stock.spare(now) >= denied.need,
    hasHope: ({ tick }) => tick < hopeUntil,
    beThrifty(until) {
      thriftyUntil = Math.max(thriftyUntil, until)
    },
    msUntil: (amount, now) => minute?.msUntil(amount, cap, now) ?? placeWaitMs,
    allowance: (now) => minute?.allowance(cap, now),
    isQuiet: (now) => share.claimed === 0 && stock.isQuiet() && (open > 0 || now.tick - usedAt >= idleMs),
    isUnused: () => share.claimed === 0 && open === 0,
  }
  return share
}
