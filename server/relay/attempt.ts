/**
 * Step 6: try candidates until one delivers. What "delivers" means is the receiver's word: a whole answer that was read and
 * checked, or a stream up to its first meaningful event. Every attempt leaves a row; nothing has reached the client yet.
 */
import type { PassthroughCodec } from '#canonical/codec'
import type { Candidate } from '#routing/order'
import { type Failure, nextAttempt, verdict } from '#routing/retry'
import type { AttemptRow } from '#shared/console/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import { type PhaseLimits, type PhaseTimer, phaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import type { RelayParts } from './ask.ts'

/** Bytes of an upstream's refusal that are read; the rest is of no use. */
const refusalBytes = 64 * 1024

export interface Received<Value> {
  candidate: Candidate
  value: Value
}

export interface Sending<Value> {
  parts: RelayParts
  codec: PassthroughCodec
  candidates: readonly Candidate[]
  /** Aborted when the client leaves. */
  signal: AbortSignal
  /** Rows are appended as attempts end; the one that delivers stays open for the receiver's caller to close. */
  attempts: AttemptRow[]
  limits(candidate: Candidate): PhaseLimits
  request(candidate: Candidate): UpstreamRequest
  /** Takes over a 2xx answer. Throws GatewayError when it is no answer; must cancel what it does not keep. */
  receive(answer: UpstreamAnswer, candidate: Candidate, timer: PhaseTimer): Promise<Value>
}

/** The body as text, at most `limit` bytes of it. */
export async function readText(answer: UpstreamAnswer, limit: number): Promise<{ text: string; whole: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
    size += piece.byteLength
    if (size > limit) {
      answer.cancel()
      return { text, whole: false }
    }
    text += decoder.decode(piece, { stream: true })
  }
  return { text: text + decoder.decode(), whole: true }
}

async function refusal(codec: PassthroughCodec, answer: UpstreamAnswer): Promise<GatewayError> {
  const body = await readText(answer, refusalBytes).catch(() => ({ text: '' }))
  answer.cancel()
  return codec.readError(answer.status, answer.headers, body.text)
}

async function tryOne<Value>(sending: Sending<Value>, candidate: Candidate): Promise<Value> {
  const { parts, codec } = sending
  const startedAt = parts.clock.monotonic()
  const row: AttemptRow = {
    channel: candidate.channel.name,
    key: candidate.key?.name ?? null,
    phase: 'connect',
    status: null,
    cause: null,
    ms: 0,
  }
  const timer = phaseTimer(parts.clock, sending.limits(candidate))
  const signal = AbortSignal.any([sending.signal, timer.signal])
  sending.attempts.push(row)
  try {
    const upstream = candidate.channel.vendor.scripted ? parts.demo : parts.upstream
    const answer = await upstream.open(sending.request(candidate), signal)
    row.status = answer.status
    row.phase = 'first-event'
    if (answer.status < 200 || answer.status > 299) throw await refusal(codec, answer)
    const value = await sending.receive(answer, candidate, timer)
    row.phase = 'stream'
    return value
  } catch (thrown) {
    timer.stop()
    const error = sending.signal.aborted ? clientClosed() : asGatewayError(thrown)
    row.cause = error.code
    throw error
  } finally {
    row.ms = Math.round(parts.clock.monotonic() - startedAt)
  }
}

export const clientClosed = () => new GatewayError('client_closed_request', 'The client closed the connection.')

/** Throws the error that the caller is to be told when nothing delivered. */
export async function sendAny<Value>(sending: Sending<Value>): Promise<Received<Value>> {
  const { parts, candidates } = sending
  const startedAt = parts.clock.monotonic()
  const failures: Failure[] = []
  for (;;) {
    const next = nextAttempt(candidates, failures, parts.clock.monotonic() - startedAt, parts.retry, parts.dice.roll)
    if (!next)
      throw (
        verdict(failures) ??
        new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter: 5 })
      )
    if (next.pauseMs > 0) await parts.clock.sleep(next.pauseMs, sending.signal).catch(() => undefined)
    if (sending.signal.aborted) throw clientClosed()
    try {
      return { candidate: next.candidate, value: await tryOne(sending, next.candidate) }
    } catch (thrown) {
      failures.push({ candidate: next.candidate, error: asGatewayError(thrown) })
    }
  }
}
