/**
 * Limits on requests and tokens per minute and on concurrent requests, of a key, its user and its group: a request is taken from all
 * of them or from none. This file keeps them in the memory of one process; `shared-limits.ts` keeps the same promise for all instances
 * of one database. Tokens count when they are known: an estimate when the request begins, the rest when it ends. So a request that
 * exceeds a token limit is finished, and the next one is refused.
 */
import type { Allowance, Allowances } from '#canonical/allowance'
import type { Clock } from '#runtime/clock'
import type { Limits } from '#shared/console/limits'
import { asGatewayError, GatewayError } from '#shared/errors'
import { createMinuteWindow, type MinuteWindow } from './minute-window.ts'

/** A holder of limits. `id` includes the kind (`key:...`). */
export interface Bounded {
  id: string
  limits: Limits | null
}

/** An admitted request. */
export interface Ticket {
  /** What is left after this request. */
  left: Allowances
  /** The request is over; `tokens` is what it used in all. Only the first call counts. */
  done(tokens: number): void
}

/** Admits requests within limits. */
export interface Limiter {
  /**
   * Admits a request that will use at least `tokens`. Throws or rejects with `rate_limit_exceeded` (with Retry-After), or with
   * `books_unavailable` where limits are shared and the database does not answer.
   */
  take(bounded: readonly Bounded[], tokens: number): Ticket | Promise<Ticket>
  /** The error if not even the smallest request would be admitted now, as far as this process knows; takes nothing. */
  refusal(bounded: readonly Bounded[]): Error | undefined
}

/** Synchronous. */
export interface LocalLimiter extends Limiter {
  take(bounded: readonly Bounded[], tokens: number): Ticket
}

/** `places`: concurrent requests. The others are per minute. */
export type LimitKind = 'places' | 'requests' | 'tokens'

interface Counter {
  requests: MinuteWindow
  tokens: MinuteWindow
  running: number
}

const minuteMs = 60_000

/** Limits of this process alone; nothing counts yet. */
export function createLimiter(clock: Pick<Clock, 'monotonic'>): LocalLimiter {
  const counters = new Map<string, Counter>()
  let sweptAt = clock.monotonic()

  function counterOf(id: string): Counter {
    const known = counters.get(id)
    if (known) return known
    const made = { requests: createMinuteWindow(), tokens: createMinuteWindow(), running: 0 }
    counters.set(id, made)
    return made
  }

  function sweep(now: number): void {
    if (now - sweptAt < minuteMs) return
    sweptAt = now
    for (const [id, { requests, tokens, running }] of counters) {
      if (running === 0 && requests.sum(now) === 0 && tokens.sum(now) === 0) counters.delete(id)
    }
  }

  return {
    refusal(bounded) {
      const now = clock.monotonic()
      try {
        for (const { id, limits } of bounded) {
          const counter = counters.get(id)
          if (limits && counter) refuse(id, limits, counter, 1, now)
        }
        return undefined
      } catch (thrown) {
        return asGatewayError(thrown)
      }
    },
    take(bounded, tokens) {
      const now = clock.monotonic()
      sweep(now)
      const held = bounded.flatMap(({ id, limits }) => (limits === null ? [] : [{ id, limits, counter: counterOf(id) }]))
      for (const { id, limits, counter } of held) refuse(id, limits, counter, tokens, now)
      for (const { counter } of held) {
        counter.requests.add(now, 1)
        counter.tokens.add(now, tokens)
        counter.running += 1
      }
      let open = true
      return {
        left: leftOf(held, now),
        done(used) {
          if (!open) return
          open = false
          for (const { counter } of held) {
            counter.running -= 1
            if (used > tokens) counter.tokens.add(clock.monotonic(), used - tokens)
            else counter.tokens.giveBack(now, tokens - used)
          }
        },
      }
    },
  }
}

function refuse(id: string, { rpm, tpm, concurrency }: Limits, counter: Counter, tokens: number, now: number): void {
  if (concurrency !== undefined && counter.running >= concurrency) {
    throw limitReached('places', id, placeWaitMs)
  }
  if (rpm !== undefined && counter.requests.sum(now) + 1 > rpm) {
    throw limitReached('requests', id, counter.requests.msUntil(now, rpm - 1))
  }
  // A request larger than the limit itself passes when nothing else was used; it could never pass otherwise.
  const most = tpm === undefined ? 0 : Math.max(0, tpm - Math.min(tokens, tpm))
  if (tpm !== undefined && counter.tokens.sum(now) > most) {
    throw limitReached('tokens', id, counter.tokens.msUntil(now, most))
  }
}

/** Retry-After for concurrency, in milliseconds: nobody knows when a request ends. */
export const placeWaitMs = 1000

const words: Record<LimitKind, string> = {
  places: 'Too many requests at once',
  requests: 'Too many requests in a minute',
  tokens: 'Too many tokens in a minute',
}

/** By the kind in an id of `Bounded`. */
const holders: Record<string, string> = { key: 'this API key', user: 'this user', group: 'this group' }

/** `rate_limit_exceeded` for this limit of the owner with this id, to be retried after `waitMs`, at least a second. */
export function limitReached(kind: LimitKind, id: string, waitMs: number): GatewayError {
  const message = `${words[kind]} for ${holders[id.split(':', 1)[0] ?? ''] ?? 'this caller'}.`
  return new GatewayError('rate_limit_exceeded', message, { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) })
}

/** The allowance that leaves least; undefined when there is none. */
export const tightest = (all: readonly Allowance[]): Allowance | undefined => all.toSorted((a, b) => a.remaining - b.remaining)[0]

function leftOf(held: readonly { limits: Limits; counter: Counter }[], now: number): Allowances {
  const left = (kind: 'requests' | 'tokens', limitOf: (limits: Limits) => number | undefined): Allowance | undefined => {
    const all = held.flatMap(({ limits, counter }) => {
      const limit = limitOf(limits)
      if (limit === undefined) return []
      return [{ limit, remaining: Math.max(0, limit - counter[kind].sum(now)), resetMs: counter[kind].msUntil(now, 0) }]
    })
    return tightest(all)
  }
  const requests = left('requests', ({ rpm }) => rpm)
  const tokens = left('tokens', ({ tpm }) => tpm)
  return { ...(requests && { requests }), ...(tokens && { tokens }) }
}
