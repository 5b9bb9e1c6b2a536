/**
 * Whether a failed attempt may be retried: only before the first content; never for the client's own mistakes; a bounded number of
 * times; every candidate once, plus one repeat after a pause when nothing else is left.
 */
import { GatewayError } from '#shared/errors'
import { usualRestSeconds } from './health.ts'
import type { Candidate } from './order.ts'

/** Bounds of retrying. */
export interface RetryPolicy {
  /** Attempts after the first one. */
  retries: number
  /** No new attempt starts later than this many milliseconds after the first. */
  deadlineMs: number
  /** Shortest pause before a candidate is repeated, in milliseconds; random up to twice as long. */
  pauseMs: number
}

/** The policy when nothing is configured. */
export const defaultRetry: RetryPolicy = { retries: 2, deadlineMs: 120_000, pauseMs: 250 }

/** A failed attempt. */
export interface Failure {
  candidate: Candidate
  error: GatewayError
}

/** The next attempt, after a pause in milliseconds. */
export interface NextAttempt {
  candidate: Candidate
  pauseMs: number
}

/** Transient faults, for which repeating the same candidate is worthwhile. */
const passing = (error: GatewayError) => error.code === 'upstream_error'

/** Whether a further attempt may be made after `failures` (oldest first). */
export function mayGoOn(failures: readonly Failure[], elapsedMs: number, policy: RetryPolicy): boolean {
  const last = failures.at(-1)
  return !last || (last.error.retry !== 'never' && failures.length <= policy.retries && elapsedMs <= policy.deadlineMs)
}

/** The next attempt after `failures` (oldest first); undefined = no retry. */
export function nextAttempt(
  candidates: readonly Candidate[],
  failures: readonly Failure[],
  elapsedMs: number,
  policy: RetryPolicy,
  fraction: () => number,
): NextAttempt | undefined {
  if (!mayGoOn(failures, elapsedMs, policy)) return undefined
  const untried = candidates[failures.length]
  if (untried) return { candidate: untried, pauseMs: 0 }
  const repeated = failures.length > candidates.length
  const again = failures.findLast((failure) => passing(failure.error))
  if (repeated || !again) return undefined
  return { candidate: again.candidate, pauseMs: policy.pauseMs * (1 + fraction()) }
}

/** The error for the caller: a rate limit only when every attempt hit one, otherwise the last other fault. */
export function verdict(failures: readonly Failure[]): GatewayError | undefined {
  const faults = failures.map((failure) => failure.error)
  const limited = (error: GatewayError) => error.code === 'upstream_rate_limited'
  const refused = (error: GatewayError) => error.code === 'upstream_auth_failed'
  return faults.findLast((error) => !limited(error) && !refused(error)) ?? soonest(faults.filter(limited)) ?? faults.at(-1)
}

/** The limit that ends first; an upstream that names no time counts with the default. */
function soonest(limits: readonly GatewayError[]): GatewayError | undefined {
  const last = limits.at(-1)
  if (!last) return undefined
  const retryAfter = Math.min(...limits.map((limit) => limit.retryAfter ?? usualRestSeconds))
  return new GatewayError('upstream_rate_limited', last.message, { retryAfter })
}
