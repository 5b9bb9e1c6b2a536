/**
 * What is known about how channels are doing, from the requests that went through them; nothing is asked on the side. A key
 * that is refused rests for all of its channel's models; a fault or a limit counts against one model with one key. Only what
 * the upstream is to blame for counts, every penalty ends by itself, and an administrator may end all of a channel's at once.
 * Of this process alone.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { type Breaker, type BreakerRules, type BreakerState, createBreaker } from './breaker.ts'
import type { Candidate } from './order.ts'

/** One thing that is not as it should be. */
export interface Ailment {
  channelId: string
  /** Name of the key; null where the channel has none. */
  key: string | null
  /** The caller's name of the model; null = all of them. */
  model: string | null
  state: BreakerState
  /** The error code of the last failure. */
  cause: string
  /** Milliseconds until it is tried again. */
  waitMs: number
}

export interface Health {
  /** Milliseconds until this candidate may be tried; 0 = now. */
  wait(candidate: Candidate): number
  /** Those that may be tried now, order kept. Throws `no_channel_available` or, when limits are all that is in the way, `upstream_rate_limited`. */
  fit(candidates: readonly Candidate[]): Candidate[]
  /** Begins an attempt; false = not now. Every admitted attempt ends in exactly one of the three below. */
  admit(candidate: Candidate): boolean
  succeeded(candidate: Candidate): void
  failed(candidate: Candidate, error: GatewayError): void
  /** It ended without a word about the upstream: the client left. */
  withdrawn(candidate: Candidate): void
  /** Everything that is held against a channel, or against any. */
  ailments(channelId?: string): Ailment[]
  /** Forgets what is held against a channel. */
  reset(channelId: string): void
}

/** Five faults in half a minute that are half of all outcomes; then half a minute of rest, at most five. */
const faults: BreakerRules = { failures: 5, windowMs: 30_000, penaltyMs: 30_000, longestMs: 300_000 }
/** A key that is refused three times in a row of a minute was withdrawn or is wrong. */
const refusals: BreakerRules = { failures: 3, windowMs: 60_000, penaltyMs: 60_000, longestMs: 600_000 }

/** How long a limited key rests when the upstream does not say, and the most milliseconds that it does. */
export const usualRestSeconds = 5
const longestRestMs = 60_000

interface Entry {
  channelId: string
  key: string | null
  model: string | null
  breaker: Breaker
  cause: string
}

export function createHealth(clock: Pick<Clock, 'monotonic'>): Health {
  const entries = new Map<string, Entry>()

  const idOf = ({ channel, key }: Candidate, model: string | null) => JSON.stringify([channel.id, key?.id ?? null, model])
  const find = (candidate: Candidate) =>
    [idOf(candidate, null), idOf(candidate, candidate.model.name)].flatMap((id) => entries.get(id) ?? [])

  function entry(candidate: Candidate, ofKey: boolean): Entry {
    const model = ofKey ? null : candidate.model.name
    const id = idOf(candidate, model)
    const known = entries.get(id)
    if (known) return known
    const breaker = createBreaker(ofKey ? refusals : faults)
    const made = { channelId: candidate.channel.id, key: candidate.key?.name ?? null, model, breaker, cause: '' }
    entries.set(id, made)
    return made
  }

  const waitOf = ({ breaker }: Entry, now: number) => Math.max(0, (breaker.until(now) ?? now) - now)

  const wait = (candidate: Candidate, now: number) => Math.max(0, ...find(candidate).map((one) => waitOf(one, now)))

  return {
    wait: (candidate) => wait(candidate, clock.monotonic()),
    fit(candidates) {
      const now = clock.monotonic()
      const fit = candidates.filter((candidate) => wait(candidate, now) === 0)
      if (fit.length > 0) return fit
      const retryAfter = Math.max(1, Math.ceil(Math.min(...candidates.map((candidate) => wait(candidate, now))) / 1000))
      const limitsOnly = candidates.every((candidate) => find(candidate).every(({ cause }) => cause === 'upstream_rate_limited'))
      throw limitsOnly
        ? new GatewayError('upstream_rate_limited', 'Every channel of this model has reached a limit of its upstream.', { retryAfter })
        : new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter })
    },
    admit(candidate) {
      const now = clock.monotonic()
      const admitted: Entry[] = []
      for (const one of find(candidate)) {
        if (one.breaker.admit(now)) admitted.push(one)
        else {
          for (const other of admitted) other.breaker.withdrawn()
          return false
        }
      }
      return true
    },
    succeeded(candidate) {
      const now = clock.monotonic()
      for (const one of find(candidate)) one.breaker.succeeded(now)
    },
    failed(candidate, error) {
      const now = clock.monotonic()
      for (const one of find(candidate)) one.breaker.withdrawn()
      // The scripted model fails because it was told to.
      if (error.blame !== 'upstream' || candidate.channel.vendor.scripted) return
      const one = entry(candidate, error.code === 'upstream_auth_failed')
      one.cause = error.code
      if (error.code !== 'upstream_rate_limited') return one.breaker.failed(now)
      const asked = (error.retryAfter ?? usualRestSeconds) * 1000
      one.breaker.rest(now, Math.min(Math.max(asked, 0), longestRestMs))
    },
    withdrawn(candidate) {
      for (const one of find(candidate)) one.breaker.withdrawn()
    },
    ailments(channelId) {
      const now = clock.monotonic()
      for (const [id, { breaker }] of entries) if (breaker.clean(now)) entries.delete(id)
      return [...entries.values()]
        .filter((one) => channelId === undefined || one.channelId === channelId)
        .map((one) => ({
          channelId: one.channelId,
          key: one.key,
          model: one.model,
          state: one.breaker.state(now),
          cause: one.cause,
          waitMs: waitOf(one, now),
        }))
    },
    reset(channelId) {
      for (const [id, one] of entries) if (one.channelId === channelId) entries.delete(id)
    },
  }
}
