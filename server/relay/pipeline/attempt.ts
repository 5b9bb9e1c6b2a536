/**
 * Step 6: try the candidates of one model until one delivers. What "delivers" means is for the caller to say: a whole answer
 * that was read and checked, a stream up to its first meaningful event, a socket whose session has begun. Every attempt leaves
 * a row in the log; nothing has reached the client yet.
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

/** One attempt as it runs. */
export interface Attempt {
  candidate: Candidate
  /** Its phase, and the upstream's status, are kept up to date by whoever makes the attempt. */
  row: AttemptRow
  /** Stopped when the attempt fails; after success it belongs to whoever receives the answer. */
  timer: PhaseTimer
  /** Aborted when the client leaves or a limit is reached. */
  signal: AbortSignalLike
  /** Not over a connection that was used before: this candidate has failed once. */
  fresh: boolean
}

/** What is tried. */
export interface Trying<Value> {
  parts: Pick<RelayParts, 'clock' | 'retry' | 'random' | 'health' | 'balancing'>
  candidates: readonly Candidate[]
  /** Why nobody can be asked, when that is known already. */
  refusal?: GatewayError | undefined
  /** Candidates that rest are left alone: another model may be asked instead. */
  sparesResting?: boolean
  /** The model that the client named. */
  model: string
  attempts: AttemptLog
  /** Aborted when the client leaves. */
  signal: AbortSignalLike
  /** Told (false) when an attempt has failed. */
  flight?: Pick<InFlightRequest, 'making'>
  limits(candidate: Candidate): PhaseLimits
  /** Prepares what is sent; an error: this candidate cannot be sent the request, and is passed over without an attempt. */
  prepare(candidate: Candidate): Promise<Make<Value> | GatewayError>
}

/** Makes the attempt. Throws GatewayError when the candidate does not deliver. */
export type Make<Value> = (attempt: Attempt) => Promise<Value>

export const nothingLeft = () =>
  new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter: 5 })

async function tryOne<Value>(trying: Trying<Value>, candidate: Candidate, make: Make<Value>, fresh: boolean): Promise<Value> {
  const { clock } = trying.parts
  const { channel, key, model } = candidate
  const startedAt = clock.monotonic()
  const row: AttemptRow = { channel: channel.name, key: key?.name ?? null, phase: 'connect', status: null, cause: null, ms: 0 }
  if (model.name !== trying.model) row.model = model.name
  if (!candidate.native) row.dialect = candidate.style ?? candidate.dialect
  const timer = phaseTimer(clock, trying.limits(candidate), trying.signal)
  trying.attempts.begin(row)
  try {
    const value = await make({ candidate, row, timer, signal: timer.signal, fresh })
    row.phase = 'stream'
    return value
  } catch (thrown) {
    timer.stop()
    const error = trying.signal.aborted ? endedBy(trying.signal) : redacted(asGatewayError(thrown), candidate)
    row.cause = error.code
    trying.flight?.making(false)
    throw error
  } finally {
    row.ms = Math.round(clock.monotonic() - startedAt)
  }
}

/** Answers the first candidate that delivered. Throws the error that the caller is to be told when none did. */
export async function tryCandidates<Value>(trying: Trying<Value>): Promise<{ candidate: Candidate; value: Value }> {
  const { signal } = trying
  const { clock, retry, random, health } = trying.parts
  const balancing = trying.parts.balancing?.mode() === 'weight' ? undefined : trying.parts.balancing
  const startedAt = clock.monotonic()
  const failures: Failure[] = []
  const resting = new Map<Candidate, Make<Value>>()
  const elapsed = () => clock.monotonic() - startedAt
  let { candidates } = trying
  let unable: GatewayError | undefined

  /** One admitted attempt; undefined = it failed. */
  async function attempt(candidate: Candidate, make: Make<Value>): Promise<{ candidate: Candidate; value: Value } | undefined> {
    try {
      const repeated = failures.some((failure) => failure.candidate === candidate)
      balancing?.begun(candidate)
      const value = await tryOne(trying, candidate, make, repeated)
      balancing?.answered(candidate)
      health.succeeded(candidate)
      return { candidate, value }
    } catch (thrown) {
      const error = asGatewayError(thrown)
      balancing?.ended(candidate)
      health.failed(candidate, error)
      failures.push({ candidate, error })
      return undefined
    }
  }

  for (;;) {
    const [best] = candidates
    const isFirst = best !== undefined && failures.length === 0
    const next = isFirst ? { candidate: best, pauseMs: 0 } : nextAttempt(candidates, failures, elapsed(), retry, random.fraction)
    if (!next) break
    const { candidate } = next
    const make = await trying.prepare(candidate)
    if (make instanceof GatewayError) {
      unable ??= make
      candidates = candidates.filter((other) => other !== candidate)
      continue
    }
    if (next.pauseMs > 0) await clock.sleep(next.pauseMs, signal).catch(() => undefined)
    if (signal.aborted) throw endedBy(signal)
    if (!health.admit(candidate)) {
      resting.set(candidate, make)
      candidates = candidates.filter((other) => other !== candidate)
      continue
    }
    const delivered = await attempt(candidate, make)
    if (delivered) return delivered
  }
  if (resting.size === 0) throw verdict(failures) ?? unable ?? trying.refusal ?? nothingLeft()

  // Whoever rests is asked when nobody else is left.
  const rested = [...resting.keys()]
  for (const [candidate, make] of trying.sparesResting ? [] : resting) {
    if (!mayGoOn(failures, elapsed(), retry)) break
    if (!health.admit(candidate, true)) continue
    const delivered = await attempt(candidate, make)
    if (delivered) return delivered
  }
  if (failures.length > 0 || trying.sparesResting) throw verdict(failures) ?? health.refusal(rested)
  const placed = await health.place(rested, signal)
  const make = placed && resting.get(placed)
  const delivered = placed && make && (await attempt(placed, make))
  if (delivered) return delivered
  if (signal.aborted) throw endedBy(signal)
  throw verdict(failures) ?? health.refusal(rested)
}

/** No attempt yet. `trace`: told of each. */
export function createAttemptLog(trace?: RequestTrace): AttemptLog {
  const rows: AttemptRow[] = []
  return {
    begin(row) {
      rows.push(row)
      trace?.begin(row)
    },
    close(error, streamedMs) {
      const last = rows.at(-1)
      if (last?.phase !== 'stream') return
      last.ms += Math.round(streamedMs)
      if (error) last.cause = error.code
      else last.phase = 'done'
    },
    rows: () => rows,
    trace,
  }
}
