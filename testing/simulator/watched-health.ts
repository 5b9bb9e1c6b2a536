/**
 * Checks channel health against simpler rules: a rate-limited model rests for the requested time, repeated failures lead to a rest, and
 * after a rest a single probe comes first. If no other candidate is left, a resting one gets a few attempts at a time, unless the upstream
 * said until when it must rest.
 */
import type { Health } from '#routing/health-contract'
import type { Candidate } from '#routing/order'
import type { GatewayError } from '#shared/errors'
import type { StepClock } from '#testing/step-clock'
import type { RunLog } from './run-log.ts'

/** The real health, with access for the checks. */
export interface WatchedHealth extends Health {
  /** Checks that an attempt at this key and model was admitted. */
  opening(place: string, model: string): void
  /** Number of admitted attempts that have not ended. */
  admitted(): number
}

interface Shadow {
  restUntil: number
  /** As its upstream asked. */
  statedUntil: number
  /** Times of the failures since the last success. */
  faults: number[]
  lastGood: number
  probe: Candidate | undefined
  /** It rested and has had no success since. */
  suspect: boolean
}

const withSlack = 0.8
/** Attempts at once at a candidate that rests; the schedules here are too small for more. */
const mostResting = 4

/** Wraps the real health in checks. */
export function watchHealth(real: Health, clock: StepClock, log: RunLog): WatchedHealth {
  const shadows = new Map<string, Shadow>()
  const admitted = new Map<Candidate, number>()
  const lastResorts = new Set<Candidate>()

  const modelOf = (candidate: Candidate) => `model ${candidate.model.name} of ${secret(candidate)}`
  const secret = ({ channel, key }: Candidate) => key?.secret ?? channel.id
  const shadowOf = (id: string): Shadow => {
    const made = shadows.get(id) ?? {
      restUntil: 0,
      statedUntil: 0,
      faults: [],
      lastGood: Number.NEGATIVE_INFINITY,
      probe: undefined,
      suspect: false,
    }
    shadows.set(id, made)
    return made
  }
  /** The state of the key, and of the model on that key. */
  const both = (candidate: Candidate) => [shadowOf(`key ${secret(candidate)}`), shadowOf(modelOf(candidate))]

  function rest(shadow: Shadow, ms: number): void {
    shadow.restUntil = Math.max(shadow.restUntil, clock.monotonic() + ms)
    shadow.suspect = true
    shadow.probe = undefined
    shadow.faults = []
  }

  function fault(shadow: Shadow, most: number, windowMs: number, penaltyMs: number): void {
    const now = clock.monotonic()
    shadow.faults = [...shadow.faults.filter((at) => at > now - windowMs * withSlack), now]
    // Recent successes may outweigh the failures; the breaker decides how.
    const many = shadow.faults.length >= most && shadow.lastGood < now - windowMs
    if (shadow.suspect || many) rest(shadow, penaltyMs)
  }

  /**
   * `counts`: a failure while it rests already is not new, and it may have had more reason to rest than we saw. After a rest only the
   * probe counts.
   */
  function failed(candidate: Candidate, error: GatewayError, counts: boolean): void {
    const [key, model] = both(candidate)
    if (!key || !model) return
    const probes = new Map([key, model].map((shadow) => [shadow, shadow.probe === candidate]))
    for (const [shadow, probe] of probes) if (probe) shadow.probe = undefined
    const judges = (shadow: Shadow) => counts && (!shadow.suspect || probes.get(shadow) === true)
    if (error.blame !== 'upstream') return
    if (error.code === 'upstream_rate_limited') {
      const ms = Math.min((error.retryAfter ?? 5) * 1000, 60_000)
      rest(model, ms)
      if (error.retryAfter !== undefined) model.statedUntil = Math.max(model.statedUntil, clock.monotonic() + ms)
    }
    if (error.code === 'upstream_auth_failed' && judges(key)) fault(key, 3, 60_000, 60_000)
    else if (error.code !== 'upstream_auth_failed' && error.code !== 'upstream_rate_limited' && judges(model))
      fault(model, 5, 30_000, 30_000)
  }

  function enter(candidate: Candidate): void {
    admitted.set(candidate, (admitted.get(candidate) ?? 0) + 1)
  }

  /** Attempts made although their candidate rests, of the same key and model. */
  const restingWith = (candidate: Candidate) => [...lastResorts].filter((other) => modelOf(other) === modelOf(candidate)).length

  function asLastResort(candidate: Candidate): void {
    enter(candidate)
    if (both(candidate).every(({ suspect }) => !suspect)) return
    lastResorts.add(candidate)
    log.check(restingWith(candidate) <= mostResting, `${secret(candidate)} is asked by ${restingWith(candidate)} at once while it rests`)
    for (const { statedUntil } of both(candidate)) {
      log.check(clock.monotonic() >= statedUntil, `${secret(candidate)} is asked before the time that its upstream named`)
    }
  }

  function leave(candidate: Candidate): void {
    const count = admitted.get(candidate) ?? 0
    if (count > 1) admitted.set(candidate, count - 1)
    else admitted.delete(candidate)
  }

  return {
    ...real,
    async place(candidates, signal) {
      const got = await real.place(candidates, signal)
      if (got) asLastResort(got)
      const full = candidates.every((one) => restingWith(one) >= mostResting || real.statedWait(one) > 0)
      log.check(got !== undefined || signal.aborted || full, 'a caller is refused although a resting candidate has a place')
      return got
    },
    admit(candidate, lastResort) {
      if (lastResort) {
        const got = real.admit(candidate, true)
        if (got) asLastResort(candidate)
        return got
      }
      if (!real.admit(candidate)) {
        const busy = [...admitted.keys()].some((other) => secret(other) === secret(candidate))
        log.check(busy || real.wait(candidate) > 0, `${secret(candidate)} is not admitted although it need not wait`)
        return false
      }
      enter(candidate)
      for (const shadow of both(candidate)) {
        log.check(clock.monotonic() >= shadow.restUntil, `${secret(candidate)} is admitted while it rests`)
        if (!shadow.suspect) continue
        log.check(!shadow.probe, `${secret(candidate)} is probed twice at once`)
        shadow.probe = candidate
      }
      return true
    },
    succeeded(candidate) {
      leave(candidate)
      const proof = lastResorts.delete(candidate)
      real.succeeded(candidate)
      for (const shadow of both(candidate)) {
        shadow.lastGood = clock.monotonic()
        if (clock.monotonic() < shadow.statedUntil) continue
        if (!proof && (clock.monotonic() < shadow.restUntil || (shadow.suspect && shadow.probe !== candidate))) continue
        shadow.restUntil = 0
        shadow.suspect = false
        shadow.faults = []
        shadow.probe = undefined
      }
    },
    failed(candidate, error) {
      leave(candidate)
      lastResorts.delete(candidate)
      const counts = real.wait(candidate) === 0
      real.failed(candidate, error)
      failed(candidate, error, counts)
    },
    withdrawn(candidate) {
      leave(candidate)
      lastResorts.delete(candidate)
      real.withdrawn(candidate)
      for (const shadow of both(candidate)) if (shadow.probe === candidate) shadow.probe = undefined
    },
    opening(place, model) {
      const known = [...admitted.keys()].some((candidate) => secret(candidate) === place && candidate.model.name === model)
      log.check(known, `${place} is called without having been admitted`)
    },
    admitted: () => [...admitted.values()].reduce((sum, count) => sum + count, 0),
  }
}
