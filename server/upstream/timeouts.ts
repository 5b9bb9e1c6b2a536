/**
 * Timeouts of an upstream call by phase: connecting (DNS and TLS included), until the first event, between events, and in total. A
 * reasoning model may be silent for minutes: the limit for the first event is longer once the upstream shows that it is working on the
 * answer. A phase that times out aborts a signal whose reason is a GatewayError `upstream_timeout`; the caller's own signal aborts it too.
 */

import type { Clock, Timer } from '#runtime/clock'
import { Abort, type AbortSignalLike } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'

type Phase = 'connect' | 'firstEvent' | 'betweenEvents' | 'total'

/** Milliseconds by phase. */
export interface PhaseLimits extends Record<Phase, number> {
  /** Until the first event once the upstream shows that it is working; absent: `firstEvent`. */
  working?: number
  /** The head of its answer counts as such a sign. */
  headShows?: boolean
}

/** The defaults for a channel without timeouts. */
export const defaultLimits: PhaseLimits = { connect: 10_000, firstEvent: 60_000, betweenEvents: 120_000, total: 30 * 60_000 }

/** Seconds by phase, as a channel has them. */
type Seconds = { [phase in Phase]?: number | undefined }

/** A channel's timeouts with the defaults filled in; `usualFirst`: the default seconds until the first event. */
export function phaseLimits({ connect, firstEvent, betweenEvents, total }: Seconds, usualFirst?: number): PhaseLimits {
  const first = firstEvent ?? usualFirst
  return {
    connect: connect === undefined ? defaultLimits.connect : connect * 1000,
    firstEvent: first === undefined ? defaultLimits.firstEvent : first * 1000,
    betweenEvents: betweenEvents === undefined ? defaultLimits.betweenEvents : betweenEvents * 1000,
    total: total === undefined ? defaultLimits.total : total * 1000,
  }
}

/** Default seconds until the first event of a stream whose upstream is working on it. */
const workingSeconds = 600

/**
 * The limits of a stream: unless the channel sets one, its first event may take long once the upstream shows that it is working. `thinks`:
 * the model may reason silently, so the head of its answer already counts.
 */
export const streamLimits = (seconds: Seconds, thinks: boolean): PhaseLimits =>
  seconds.firstEvent === undefined ? { ...phaseLimits(seconds), working: workingSeconds * 1000, headShows: thinks } : phaseLimits(seconds)

/** Watches one call. */
export interface PhaseTimer {
  /** Aborted when a phase times out, with a GatewayError `upstream_timeout` as its reason, or with the caller's signal and its reason. */
  readonly signal: AbortSignalLike
  /** The connection is open. Later calls do nothing. */
  connected(): void
  /** The head of the answer arrived. */
  answered(): void
  /** Part of the answer arrived, even if meaningless: the upstream is working on it. Later calls do nothing. */
  works(): void
  /** The first meaningful event arrived: from now on the limit between events applies. Later calls do nothing. */
  begin(): void
  /** Bytes arrived, or reading resumed after `pause`. Cheap enough for every chunk. */
  touch(): void
  /** Reading is paused (the client reads slowly), so silence is not the upstream's fault. Until the next `touch`. */
  pause(): void
  /** Stops all timeouts, and no longer follows the caller's signal. */
  stop(): void
}

const messages = {
  connect: 'Connecting to the upstream timed out.',
  firstEvent: 'The upstream did not start to answer in time.',
  betweenEvents: 'The upstream stopped sending in the middle of its answer.',
  total: 'The upstream did not finish its answer in time.',
} as const satisfies Record<Phase, string>

/**
 * Starts immediately in the first phase. Call `stop` in a `finally`. `caller`: whose call it is.
 */
export const phaseTimer = (clock: Clock, limits: PhaseLimits, caller?: AbortSignalLike): PhaseTimer =>
  new RunningTimer(clock, limits, caller)

class RunningTimer implements PhaseTimer {
  readonly #aborted = new Abort()
  readonly #clock: Clock
  readonly #limits: PhaseLimits
  readonly #caller: AbortSignalLike | undefined
  readonly #startedAt: number
  #timer: Timer | undefined
  #isConnected = false
  #isWorking = false
  #hasBegun = false
  #isOver = false
  #isPaused = false
  #lastDataAt = 0

  constructor(clock: Clock, limits: PhaseLimits, caller: AbortSignalLike | undefined) {
    this.#clock = clock
    this.#limits = limits
    this.#caller = caller
    this.#startedAt = clock.monotonic()
    this.#watch()
    if (caller?.aborted) this.handleEvent()
    else caller?.addEventListener('abort', this)
  }

  get signal(): AbortSignalLike {
    return this.#aborted
  }

  connected(): void {
    this.#isConnected = true
  }

  answered(): void {
    if (this.#limits.headShows) this.works()
  }

  works(): void {
    this.#isWorking = true
  }

  begin(): void {
    if (this.#hasBegun || this.#isOver) return
    this.#hasBegun = true
    this.#lastDataAt = this.#clock.monotonic()
    // The limit between events may end before the current timer.
    this.#timer?.cancel()
    this.#watch()
  }

  touch(): void {
    this.#isPaused = false
    this.#lastDataAt = this.#clock.monotonic()
  }

  pause(): void {
    this.#isPaused = true
  }

  stop(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#caller?.removeEventListener('abort', this)
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    this.stop()
    this.#aborted.abort(this.#caller?.reason)
  }

  // One timer that recomputes its deadline when it fires, instead of a timer for every phase and chunk.
  #watch(): void {
    const { phase, left } = this.#nextLimit(this.#clock.monotonic())
    if (left > 0) this.#timer = this.#clock.after(left, () => this.#watch())
    else this.#expire(phase)
  }

  /** Milliseconds left of the limit that ends first. */
  #nextLimit(now: number): { phase: Phase; left: number } {
    const limits = this.#limits
    const total = this.#startedAt + limits.total - now
    if (this.#hasBegun) {
      const silence = (this.#isPaused ? now : this.#lastDataAt) + limits.betweenEvents - now
      return silence <= total ? { phase: 'betweenEvents', left: silence } : { phase: 'total', left: total }
    }
    const first = this.#isWorking ? (limits.working ?? limits.firstEvent) : limits.firstEvent
    const event = this.#startedAt + first - now
    const connect = this.#isConnected ? Number.POSITIVE_INFINITY : this.#startedAt + limits.connect - now
    if (connect <= event && connect <= total) return { phase: 'connect', left: connect }
    return event <= total ? { phase: 'firstEvent', left: event } : { phase: 'total', left: total }
  }

  #expire(phase: Phase): void {
    this.stop()
    this.#aborted.abort(new GatewayError('upstream_timeout', messages[phase]))
  }
}
