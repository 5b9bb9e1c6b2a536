/** The health of channels for the relay, the console and other instances. Implemented in `health.ts`. */
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { GatewayError } from '#shared/errors'
import type { BreakerState } from './breaker.ts'
import type { Candidate } from './order.ts'
import type { Outcome } from './outcomes.ts'

/** What is resting, within its channel. */
export interface Rest {
  /** Name of the key; null where the channel has none. */
  key: string | null
  /** The caller's name of the model; null = all of them. */
  model: string | null
}

/** One reason why a key or model is currently unavailable. */
export interface HealthState extends Rest {
  channelId: string
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
  /** Of these, milliseconds that the upstream itself asked for. */
  statedMs: number
}

/** Availability of candidates, by channel key and model. */
export interface Health {
  /** Milliseconds until this candidate stops resting; 0 = now. */
  wait(candidate: Candidate): number
  /** Milliseconds for which its upstream asked to be left alone; 0 = it may be asked. */
  statedWait(candidate: Candidate): number
  /**
   * The candidates that may be asked: resting ones come last, in the order in which they recover. Those whose upstream named a time before
   * which it must not be asked are left out; throws `upstream_rate_limited` when that is all of them.
   */
  fit(candidates: readonly Candidate[]): readonly Candidate[]
  /**
   * Begins an attempt; false = the candidate rests. Every admitted attempt must end in exactly one of `succeeded`, `failed` and
   * `withdrawn`. `lastResort`: no other candidate is left, so a resting one is asked if it has a free place.
   */
  admit(candidate: Candidate, lastResort?: boolean): boolean
  /** Waits up to a second until one of them is admitted; undefined = none was. Call when no other candidate is left. */
  place(candidates: readonly Candidate[], signal: AbortSignalLike): Promise<Candidate | undefined>
  /** The error for a caller when none of these resting candidates could be asked. */
  refusal(candidates: readonly Candidate[]): GatewayError
  succeeded(candidate: Candidate): void
  failed(candidate: Candidate, error: GatewayError): void
  /** The quota of this key and model is nearly used up: prefer others for `ms` milliseconds. Not a penalty. */
  spent(candidate: Candidate, ms: number): void
  /** Moves candidates whose quota is nearly used up to the end; otherwise keeps the order. */
  plentyFirst(candidates: readonly Candidate[]): readonly Candidate[]
  /** The attempt ended without a result that concerns the upstream: the client disconnected. */
  withdrawn(candidate: Candidate): void
  /** Recent failures of one channel, or of all: penalties, and failures that have not led to one, whose state is `closed`. */
  ailments(channelId?: string): HealthState[]
  /** The penalties among `ailments`. */
  resting(channelId?: string): HealthState[]
  /** How attempts of the last hour ended on this instance, by key and model. */
  outcomes(channelId: string): Outcome[]
  /** Clears all penalties of a channel, or `only` one of them, here and on every other instance. */
  reset(channelId: string, only?: Rest): void
  /** The state of a breaker by the id that `changed` got; undefined = nothing to report. */
  news(id: string): HealthNews | undefined
  /** Applies the state sent by another instance. `keyName` is the key's name here. */
  applyRemote(news: HealthNews, keyName: string | null): void
  /** Clears a channel because an administrator reset it on another instance. */
  forget(channelId: string): void
  /** Sets the one listener, called for every breaker that opens or closes and for every reset on this instance. */
  onChange(changed: (what: { breaker: string } | { reset: string }) => void): void
}
