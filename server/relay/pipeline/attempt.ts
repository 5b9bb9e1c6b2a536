/**
 * Step 6: try the candidates of one model until one delivers. The caller defines "delivers": a whole answer that was read and checked, a
 * stream up to its first meaningful event, a socket whose session has begun. Every attempt is recorded in the usage row; nothing has
 * reached the client yet.
 */

import type { RelayParts } from '#relay/contract/ask'
import type { AttemptLog, InFlightRequest } from '#relay/contract/steps'
import type { RequestTrace } from '#relay/contract/tracing'
import { endedBy } from '#relay/exchange/ended'
import { redacted } from '#relay/exchange/redacted'
import type { Candidate } from '#routing/order'
import { type Failure, mayGoOn, nextAttempt, verdict } from '#routing/retry'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { AttemptRow } from '#shared/console/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import { type PhaseLimits, type PhaseTimer, phaseTimer } from '#upstream/timeouts'

/** A running attempt. */
export interface Attempt {
  candidate: Candidate
  /** The code that makes the attempt updates its phase and the upstream's status. */
  row: AttemptRow
  /** Stopped when the attempt fails; after success the receiver of the answer owns it. */
  timer: PhaseTimer
  /** Aborted when the client disconnects or a limit is reached. */
  signal: AbortSignalLike
  /** Requires a new connection, because this candidate has failed once. */
  fresh: boolean
}

export interface Trying<Value> {
  parts: Pick<RelayParts, 'clock' | 'retry' | 'random' | 'health' | 'balancing'>
  candidates: readonly Candidate[]
  /** Why no candidate can be asked, if that is already known. */
  refusal?: GatewayError | undefined
  /** Skips resting candidates: another model may be asked instead. */
  sparesResting?: boolean
  /** The model that the client named. */
  model: string
  attempts: AttemptLog
  /** Aborted when the client disconnects. */
  signal: AbortSignalLike
  /** Called (with false) when an attempt has failed. */
  flight?: Pick<InFlightRequest, 'making'> | undefined
  limits(candidate: Candidate): PhaseLimits
  /** Prepares the request; an error means that this candidate cannot be sent it, and is skipped without an attempt. */
  prepare(candidate: Candidate): Promise<Make<Value> | GatewayError>
}

/** Makes the attempt. Throws GatewayError when the candidate does not deliver. */
export type Make<Value> = (attempt: Attempt) => Promise<Value>

export const nothingLeft = () =>
  new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter: 5 })

/** A candidate that delivered, and what. */
export interface Delivered<Value> {
  candidate: Candidate
  value: Value
}

/** Makes one admitted attempt. Undefined: it failed, and the error was added to `failures`. */
async function attempt<Value>(
  trying: Trying<Value>,
  failures: Failure[],
  candidate: Candidate,
  make: Make<Value>,
): Promise<Delivered<Value> | undefined> {
  const { clock, health } = trying.parts
  const balancing = trying.parts.balancing?.mode() === 'weight' ? undefined : trying.parts.balancing
  const { channel, key, model } = candidate
  const startedAt = clock.monotonic()
  const row: AttemptRow = { channel: channel.name, key: key?.name ?? null, phase: 'connect', status: null, cause: null, ms: 0 }
  if (model.name !== trying.model) row.model = model.name
  if (!candidate.native) row.dialect = candidate.style ?? candidate.dialect
  const fresh = failures.length > 0 && failures.some((failure) => failure.candidate === candidate)
  const timer = phaseTimer(clock, trying.limits(candidate), trying.signal)
  balancing?.begun(candidate)
  trying.attempts.begin(row)
  try {
    const value = await make({ candidate, row, timer, signal: timer.signal, fresh })
    row.phase = 'stream'
    balancing?.answered(candidate)
    health.succeeded(candidate)
    return { candidate, value }
  } catch (thrown) {
    timer.stop()
    const error = trying.signal.aborted ? endedBy(trying.signal) : redacted(asGatewayError(thrown), candidate)
    row.cause = error.code
    trying.flight?.making(false)
    balancing?.ended(candidate)
    health.failed(candidate, error)
    failures.push({ candidate, error })
    return undefined
  } finally {
    row.ms = Math.round(clock.monotonic() - startedAt)
  }
}

/** Returns the first candidate that delivered. Throws the error for the caller when none did. */
export async function tryCandidates<Value>(trying: Trying<Value>): Promise<Delivered<Value>> {
  const { signal } = trying
  const { clock, retry, random, health } = trying.parts
  const startedAt = clock.monotonic()
  const failures: Failure[] = []
  let resting: Map<Candidate, Make<Value>> | undefined
  let { candidates } = trying
  let unable: GatewayError | undefined

  for (;;) {
    let candidate = failures.length === 0 ? candidates[0] : undefined
    let pauseMs = 0
    if (candidate === undefined) {
      const next = nextAttempt(candidates, failures, clock.monotonic() - startedAt, retry, random.fraction)
      if (!next) break
      ;({ candidate, pauseMs } = next)
    }
    const make = await trying.prepare(candidate)
    if (make instanceof GatewayError) {
      unable ??= make
      candidates = without(candidates, candidate)
      continue
    }
    if (pauseMs > 0) await clock.sleep(pauseMs, signal).catch(() => undefined)
    if (signal.aborted) throw endedBy(signal)
    if (!health.admit(candidate)) {
      resting ??= new Map()
      resting.set(candidate, make)
      candidates = without(candidates, candidate)
      continue
    }
    const delivered = await attempt(trying, failures, candidate, make)
    if (delivered) return delivered
  }
  if (resting === undefined) throw verdict(failures) ?? unable ?? trying.refusal ?? nothingLeft()
  return tryResting(trying, failures, resting, startedAt)
}

const without = (candidates: readonly Candidate[], one: Candidate) => candidates.filter((other) => other !== one)

/** Asks resting candidates when no other is left. `startedAt`: when the first attempt began (monotonic). */
async function tryResting<Value>(
  trying: Trying<Value>,
  failures: Failure[],
  resting: ReadonlyMap<Candidate, Make<Value>>,
  startedAt: number,
): Promise<Delivered<Value>> {
  const { signal } = trying
  const { clock, retry, health } = trying.parts
  const rested = [...resting.keys()]
  for (const [candidate, make] of trying.sparesResting ? [] : resting) {
    if (!mayGoOn(failures, clock.monotonic() - startedAt, retry)) break
    if (!health.admit(candidate, true)) continue
    const delivered = await attempt(trying, failures, candidate, make)
    if (delivered) return delivered
  }
  if (failures.length > 0 || trying.sparesResting) throw verdict(failures) ?? health.refusal(rested)
  const placed = await health.place(rested, signal)
  const make = placed && resting.get(placed)
  const delivered = placed && make && (await attempt(trying, failures, placed, make))
  if (delivered) return delivered
  if (signal.aborted) throw endedBy(signal)
  throw verdict(failures) ?? health.refusal(rested)
}

/** `trace` is notified of each attempt. */
export const createAttemptLog = (trace?: RequestTrace): AttemptLog => new AttemptRows(trace)

class AttemptRows implements AttemptLog {
  readonly trace: RequestTrace | undefined
  readonly #rows: AttemptRow[] = []

  constructor(trace: RequestTrace | undefined) {
    this.trace = trace
  }

  begin(row: AttemptRow): void {
    this.#rows.push(row)
    this.trace?.begin(row)
  }

  close(error: GatewayError | undefined, streamedMs: number): void {
    const last = this.#rows.at(-1)
    if (last?.phase !== 'stream') return
    last.ms += Math.round(streamedMs)
    if (error) last.cause = error.code
    else last.phase = 'done'
  }

  rows(): readonly AttemptRow[] {
    return this.#rows
  }
}
