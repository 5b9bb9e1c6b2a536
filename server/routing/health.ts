/**
 * Passive health of channels, learned from the requests that went through them; there are no active checks. A rejected key is out of
 * use for all models of its channel; a fault or a limit counts against one model with one key. Only what the upstream is to blame for
 * counts, every penalty is finite, and an administrator may clear all of a channel's. State is shared with other instances
 * (`shared-health.ts`); a new one starts empty.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { type Breaker, type BreakerRules, type BreakerState, createBreaker } from './breaker.ts'
import type { Candidate } from './order.ts'

/** One reason why a key or model is currently unavailable. */
export interface HealthState {
  channelId: string
  /** Name of the key; null where the channel has none. */
  key: string | null
  /** The caller's name of the model; null = all of them. */
  model: string | null
  state: BreakerState
  /** The error code of the last failure. */
  cause: string
  /** Milliseconds until the next attempt may be made. */
  waitMs: number
}

/** The state of one breaker as sent to other instances. */
export interface HealthNews {
  channelId: string
  keyId: string | null
  model: string | null
  cause: string
  /** Milliseconds it stays open from now; 0 = closed. */
  ms: number
}

/** Availability of candidates, by channel key and model. */
export interface Health {
  /** Milliseconds until this candidate may be tried; 0 = now. */
  wait(candidate: Candidate): number
  /**
   * The candidates that may be tried now, in the same order. Throws `no_channel_available`, or `upstream_rate_limited` when only
   * limits prevent it.
   */
  fit(candidates: readonly Candidate[]): Candidate[]
  /** Begins an attempt; false = not now. Every admitted attempt must end in exactly one of `succeeded`, `failed` and `withdrawn`. */
  admit(candidate: Candidate): boolean
  succeeded(candidate: Candidate): void
  failed(candidate: Candidate, error: GatewayError): void
  /** The quota of this key and model is nearly used up: prefer others for `ms` milliseconds. Not a penalty. */
  spent(candidate: Candidate, ms: number): void
  /** Moves candidates whose quota is nearly used up to the end; otherwise keeps the order. */
  plentyFirst(candidates: readonly Candidate[]): readonly Candidate[]
  /** The attempt ended without a result that concerns the upstream: the client disconnected. */
  withdrawn(candidate: Candidate): void
  /** Current penalties of one channel, or of all. */
  ailments(channelId?: string): HealthState[]
  /** Clears all penalties of a channel, here and on every other instance. */
  reset(channelId: string): void
  /** The state of a breaker by the id that `changed` got; undefined = nothing to report. */
  news(id: string): HealthNews | undefined
  /** Applies the state sent by another instance. `keyName` is the key's name here. */
  applyRemote(news: HealthNews, keyName: string | null): void
  /** Clears a channel because an administrator reset it on another instance. */
  forget(channelId: string): void
  /** Sets the one listener, called for every breaker that opens or closes and for every reset on this instance. */
  onChange(changed: (what: { breaker: string } | { reset: string }) => void): void
}

/** Opens after five faults in 30 seconds that are half of all outcomes; penalty 30 seconds, doubling to at most five minutes. */
const faults: BreakerRules = { failures: 5, windowMs: 30_000, penaltyMs: 30_000, longestMs: 300_000 }
/** Three rejections of a key within a minute: it was revoked or is wrong. */
const refusals: BreakerRules = { failures: 3, windowMs: 60_000, penaltyMs: 60_000, longestMs: 600_000 }

/** Seconds a rate-limited key is not used when the upstream names no time. */
export const usualRestSeconds = 5
const longestRestMs = 60_000
/** Caps a penalty received from another instance at the longest of ours. */
const longestRemoteMs = Math.max(faults.longestMs, refusals.longestMs)
/** Maximum number of keys and models remembered as nearly used up. */
const mostLow = 10_000

interface Entry {
  channelId: string
  keyId: string | null
  key: string | null
  model: string | null
  breaker: Breaker
  cause: string
  /** The candidate whose attempt is the probe. Candidates are new objects for every request. */
  probe: Candidate | undefined
}

const none: readonly Entry[] = []

/** Health without any history. */
export function createHealth(clock: Pick<Clock, 'monotonic'>): Health {
  const entries = new Map<string, Entry>()
  /** Until when others are preferred, by key and model. */
  const low = new Map<string, number>()
  let changed: Parameters<Health['onChange']>[0] = () => undefined

  const nameOf = (channelId: string, keyId: string | null, model: string | null) => JSON.stringify([channelId, keyId, model])
  const idOf = ({ channel, key }: Candidate, model: string | null) => nameOf(channel.id, key?.id ?? null, model)
  /** Most of the time nothing has failed lately, and there is nothing to look for. */
  const find = (candidate: Candidate) =>
    entries.size === 0 ? none : [idOf(candidate, null), idOf(candidate, candidate.model.name)].flatMap((id) => entries.get(id) ?? [])

  function entry(id: string, fields: Omit<Entry, 'breaker' | 'cause' | 'probe'>): Entry {
    const known = entries.get(id)
    if (known) return known
    const made: Entry = { ...fields, breaker: createBreaker(fields.model === null ? refusals : faults), cause: '', probe: undefined }
    entries.set(id, made)
    return made
  }

  const waitOf = ({ breaker }: Entry, now: number) => Math.max(0, (breaker.until(now) ?? now) - now)

  const wait = (candidate: Candidate, now: number) => Math.max(0, ...find(candidate).map((one) => waitOf(one, now)))

  /** Ends the candidate's attempt; true if it was the probe. */
  function ends(one: Entry, candidate: Candidate): boolean {
    const probe = one.probe === candidate
    if (probe) one.probe = undefined
    return probe
  }

  /** Changes a breaker and notifies the listener when that opened or closed it. */
  function notifying(one: Entry, now: number, act: () => void): void {
    const before = one.breaker.until(now)
    const closed = one.breaker.state(now) === 'closed'
    act()
    const after = one.breaker.until(now)
    if (after !== before || closed !== (one.breaker.state(now) === 'closed')) {
      changed({ breaker: nameOf(one.channelId, one.keyId, one.model) })
    }
  }

  function withdraw(candidate: Candidate): void {
    for (const one of find(candidate)) if (ends(one, candidate)) one.breaker.withdrawn()
  }

  function forget(channelId: string): void {
    for (const [id, one] of entries) if (one.channelId === channelId) entries.delete(id)
    for (const id of low.keys()) if (JSON.parse(id)[0] === channelId) low.delete(id)
  }

  const isLow = (candidate: Candidate, now: number) => (low.get(idOf(candidate, candidate.model.name)) ?? 0) > now

  function plentyFirst(candidates: readonly Candidate[]): readonly Candidate[] {
    const now = clock.monotonic()
    if (low.size === 0 || !candidates.some((candidate) => isLow(candidate, now))) return candidates
    return [...candidates.filter((one) => !isLow(one, now)), ...candidates.filter((one) => isLow(one, now))]
  }

  return {
    wait: (candidate) => wait(candidate, clock.monotonic()),
    plentyFirst,
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
      const probed: Entry[] = []
      for (const one of find(candidate)) {
        const admitted = one.breaker.admit(now)
        if (admitted === 'probe') probed.push(one)
        if (admitted) continue
        for (const other of probed) other.breaker.withdrawn()
        return false
      }
      for (const one of probed) one.probe = candidate
      return true
    },
    succeeded(candidate) {
      const now = clock.monotonic()
      for (const one of find(candidate)) notifying(one, now, () => one.breaker.succeeded(now, ends(one, candidate)))
    },
    failed(candidate, error) {
      const now = clock.monotonic()
      // The scripted demo model fails only on request.
      if (error.blame !== 'upstream' || candidate.channel.vendor.scripted) return withdraw(candidate)
      const { channel, key } = candidate
      const model = error.code === 'upstream_auth_failed' ? null : candidate.model.name
      const fields = { channelId: channel.id, keyId: key?.id ?? null, key: key?.name ?? null, model }
      const one = entry(idOf(candidate, model), fields)
      const probe = ends(one, candidate)
      withdraw(candidate)
      one.cause = error.code
      notifying(one, now, () => {
        if (error.code !== 'upstream_rate_limited') return one.breaker.failed(now, probe)
        const asked = (error.retryAfter ?? usualRestSeconds) * 1000
        one.breaker.rest(now, Math.min(Math.max(asked, 0), longestRestMs))
      })
    },
    spent(candidate, ms) {
      if (candidate.channel.vendor.scripted) return
      const now = clock.monotonic()
      if (low.size >= mostLow) for (const [id, until] of low) if (until <= now) low.delete(id)
      if (low.size < mostLow) low.set(idOf(candidate, candidate.model.name), now + Math.min(ms, longestRestMs))
    },
    withdrawn: withdraw,
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
      forget(channelId)
      changed({ reset: channelId })
    },
    forget,
    news(id) {
      const one = entries.get(id)
      const now = clock.monotonic()
      if (one?.breaker.state(now) === 'half-open') return undefined
      // A dropped breaker counts as closed.
      const [channelId, keyId, model] = JSON.parse(id)
      return { channelId, keyId, model, cause: one?.cause ?? '', ms: one ? Math.ceil(waitOf(one, now)) : 0 }
    },
    applyRemote({ channelId, keyId, model, cause, ms }, keyName) {
      const id = nameOf(channelId, keyId, model)
      if (ms <= 0 && !entries.has(id)) return
      const one = entry(id, { channelId, keyId, key: keyName, model })
      if (ms > 0) one.cause = cause
      one.breaker.applyRemote(clock.monotonic(), Math.min(ms, longestRemoteMs))
    },
    onChange(listener) {
      changed = listener
    },
  }
}
