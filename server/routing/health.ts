/**
 * Passive health of channels, learned from the requests that went through them (optional active checks: `channel-checks.ts`). A rejected
 * key rests for all models of its channel; a fault or a limit counts against one model with one key. Health orders candidates. It only
 * refuses until a time that the upstream itself named; when every candidate rests, the best one is still asked, a few attempts at a time
 * (`places.ts`). Only faults of the upstream count, every penalty is finite, and an administrator may clear all of a channel's penalties.
 * State is shared with other instances (`shared-health.ts`); a new one starts empty.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { type Breaker, type BreakerRules, createBreaker } from './breaker.ts'
import type { Health, HealthState, Rest } from './health-contract.ts'
import { createLowQuota } from './low-quota.ts'
import type { Candidate } from './order.ts'
import { createOutcomes } from './outcomes.ts'
import { createPlaces } from './places.ts'

/**
 * Opens after five faults in 30 seconds if they are at least half of all outcomes; penalty 30 seconds, doubling to at most five minutes.
 */
const faults: BreakerRules = { failures: 5, windowMs: 30_000, penaltyMs: 30_000, longestMs: 300_000 }
/** Three rejections of a key within a minute: it was revoked or is wrong. */
const refusals: BreakerRules = { failures: 3, windowMs: 60_000, penaltyMs: 60_000, longestMs: 600_000 }

/** Seconds a rate-limited key is not used when the upstream names no time. */
export const usualRestSeconds = 5
const longestRestMs = 60_000
/** Caps a penalty received from another instance at the longest of ours. */
const longestRemoteMs = Math.max(faults.longestMs, refusals.longestMs)

interface Entry {
  channelId: string
  keyId: string | null
  key: string | null
  model: string | null
  breaker: Breaker
  cause: string
  /** The candidate whose attempt is the probe. Candidates are new objects for every request. */
  probe: Candidate | undefined
  /** The time before which the upstream itself asked not to be called. */
  statedUntil: number
}

/** Longest Retry-After, in seconds, for a caller that found no place: one may be free before the penalty ends. */
const longestRetrySeconds = 5

const none: readonly Entry[] = []

/** Health without any history. */
export function createHealth(clock: Pick<Clock, 'monotonic' | 'after'>): Health {
  const places = createPlaces(clock)
  const outcomes = createOutcomes(clock)
  const entries = new Map<string, Entry>()
  let changed: Parameters<Health['onChange']>[0] = () => undefined

  const nameOf = (channelId: string, keyId: string | null, model: string | null) => JSON.stringify([channelId, keyId, model])
  const idOf = ({ channel, key }: Candidate, model: string | null) => nameOf(channel.id, key?.id ?? null, model)
  const low = createLowQuota(clock, (candidate) => idOf(candidate, candidate.model.name))
  /** Fast path: usually nothing has failed recently. */
  const find = (candidate: Candidate) =>
    entries.size === 0 ? none : [idOf(candidate, null), idOf(candidate, candidate.model.name)].flatMap((id) => entries.get(id) ?? [])

  function entry(id: string, fields: Pick<Entry, 'channelId' | 'keyId' | 'key' | 'model'>): Entry {
    const known = entries.get(id)
    if (known) return known
    const breaker = createBreaker(fields.model === null ? refusals : faults)
    const made: Entry = { ...fields, breaker, cause: '', probe: undefined, statedUntil: 0 }
    entries.set(id, made)
    return made
  }

  const waitOf = ({ breaker }: Entry, now: number) => Math.max(0, (breaker.until(now) ?? now) - now)

  const wait = (candidate: Candidate, now: number) => Math.max(0, ...find(candidate).map((one) => waitOf(one, now)))
  const stated = (candidate: Candidate, now: number) => Math.max(0, ...find(candidate).map(({ statedUntil }) => statedUntil - now))

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
    places.ended(candidate)
    for (const one of find(candidate)) if (ends(one, candidate)) one.breaker.withdrawn()
  }

  function forget(channelId: string): void {
    for (const [id, one] of entries) if (one.channelId === channelId) entries.delete(id)
    low.forget((id) => JSON.parse(id)[0] === channelId)
  }

  function ailments(channelId?: string): HealthState[] {
    const now = clock.monotonic()
    for (const [id, { breaker }] of entries) if (breaker.clean(now)) entries.delete(id)
    const some = [...entries.values()].filter((one) => channelId === undefined || one.channelId === channelId)
    return some.map((one) => {
      const { channelId, key, model, breaker, cause } = one
      return { channelId, key, model, state: breaker.state(now), cause, waitMs: waitOf(one, now) }
    })
  }

  /** Drops one breaker, and reports it to other instances as closed: they know only breakers. */
  function forgetOne(channelId: string, only: Rest): void {
    for (const [id, one] of entries) {
      if (one.channelId !== channelId || one.key !== only.key || one.model !== only.model) continue
      entries.delete(id)
      low.forget((other) => other === id)
      changed({ breaker: id })
    }
  }

  function refusal(candidates: readonly Candidate[]): GatewayError {
    const now = clock.monotonic()
    const seconds = (waits: readonly number[]) => Math.max(1, Math.ceil(Math.min(...waits) / 1000))
    const asked = candidates.map((candidate) => stated(candidate, now))
    if (asked.every((ms) => ms > 0)) {
      const message =
        "The upstream of every channel of this model limits requests at the moment. The limit is the upstream's, not this key's."
      return new GatewayError('upstream_rate_limited', message, { retryAfter: seconds(asked) })
    }
    const retryAfter = Math.min(longestRetrySeconds, seconds(candidates.map((candidate) => wait(candidate, now))))
    const message = 'Every channel of this model rests after failures, and already tries as many requests as it takes meanwhile.'
    return new GatewayError('no_channel_available', message, { retryAfter })
  }

  /** Takes a pass of every breaker, or of none. */
  function passes(candidate: Candidate, now: number): boolean {
    if (entries.size === 0) return true
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
  }

  function admit(candidate: Candidate, lastResort = false): boolean {
    const now = clock.monotonic()
    const well = passes(candidate, now)
    if (!well && !(lastResort && stated(candidate, now) === 0 && places.hasPlace(candidate))) return false
    places.began(candidate, !well)
    return true
  }

  return {
    wait: (candidate) => wait(candidate, clock.monotonic()),
    statedWait: (candidate) => stated(candidate, clock.monotonic()),
    plentyFirst: (candidates) => (candidates.length > 1 ? low.last(candidates) : candidates),
    fit(candidates) {
      if (entries.size === 0 && candidates.length > 0) return candidates
      const now = clock.monotonic()
      const open = candidates.filter((candidate) => stated(candidate, now) === 0)
      if (open.length === 0) throw refusal(candidates)
      const resting = open.filter((candidate) => wait(candidate, now) > 0)
      if (resting.length === 0) return open
      resting.sort((a, b) => wait(a, now) - wait(b, now))
      return [...open.filter((candidate) => wait(candidate, now) === 0), ...resting]
    },
    admit,
    place: (candidates, signal) => places.wait(candidates, (candidate) => admit(candidate, true), signal),
    refusal,
    succeeded(candidate) {
      const now = clock.monotonic()
      outcomes.note(candidate, false)
      const rested = places.ended(candidate)
      for (const one of find(candidate)) {
        const proof = ends(one, candidate) || rested
        if (one.statedUntil <= now) notifying(one, now, () => one.breaker.succeeded(now, proof))
      }
      if (rested) places.wake(candidate)
    },
    failed(candidate, error) {
      const now = clock.monotonic()
      // The scripted demo model fails only on request.
      if (error.blame !== 'upstream' || candidate.channel.vendor.scripted) return withdraw(candidate)
      outcomes.note(candidate, true)
      const { channel, key } = candidate
      const model = error.code === 'upstream_auth_failed' ? null : candidate.model.name
      const fields = { channelId: channel.id, keyId: key?.id ?? null, key: key?.name ?? null, model }
      const one = entry(idOf(candidate, model), fields)
      const probe = ends(one, candidate)
      withdraw(candidate)
      one.cause = error.code
      notifying(one, now, () => {
        if (error.code !== 'upstream_rate_limited') return one.breaker.failed(now, probe)
        const stated = error.retryAfter
        const ms = Math.min(Math.max((stated ?? usualRestSeconds) * 1000, 0), longestRestMs)
        if (stated !== undefined) one.statedUntil = Math.max(one.statedUntil, now + ms)
        one.breaker.rest(now, ms)
      })
    },
    spent(candidate, ms) {
      if (!candidate.channel.vendor.scripted) low.note(idOf(candidate, candidate.model.name), Math.min(ms, longestRestMs))
    },
    withdrawn: withdraw,
    ailments,
    resting: (channelId) => ailments(channelId).filter(({ state }) => state !== 'closed'),
    outcomes: outcomes.of,
    reset(channelId, only) {
      if (only) return forgetOne(channelId, only)
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
      const statedMs = Math.ceil(Math.max(0, (one?.statedUntil ?? 0) - now))
      return { channelId, keyId, model, cause: one?.cause ?? '', ms: one ? Math.ceil(waitOf(one, now)) : 0, statedMs }
    },
    applyRemote({ channelId, keyId, model, cause, ms, statedMs }, keyName) {
      const id = nameOf(channelId, keyId, model)
      if (ms <= 0 && !entries.has(id)) return
      const now = clock.monotonic()
      const one = entry(id, { channelId, keyId, key: keyName, model })
      if (ms > 0) one.cause = cause
      one.statedUntil = statedMs > 0 ? Math.max(one.statedUntil, now + Math.min(statedMs, longestRestMs)) : ms > 0 ? one.statedUntil : 0
      one.breaker.applyRemote(now, Math.min(ms, longestRemoteMs))
    },
    onChange(listener) {
      changed = listener
    },
  }
}
