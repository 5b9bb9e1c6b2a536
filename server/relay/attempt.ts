/**
 * Step 6: try candidates until one delivers. What "delivers" means is the receiver's word: a whole answer that was read and
 * checked, or a stream up to its first meaningful event. Every attempt leaves a row; nothing has reached the client yet.
 * A candidate whose dialect cannot say the request is passed over without an attempt.
 */

import type { Candidate } from '#routing/order'
import { type Failure, nextAttempt, verdict } from '#routing/retry'
import type { AttemptRow } from '#shared/console/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import { type PhaseLimits, type PhaseTimer, phaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { spentFor, withPlainWait } from '#vendors/limit-headers'
import type { Call } from './call.ts'
import { credentialOf } from './outgoing.ts'
import type { Serving } from './serving.ts'
import type { Way } from './way.ts'

/** Bytes of an upstream's refusal that are read; the rest is of no use. */
const refusalBytes = 64 * 1024

export interface Received<Value> {
  candidate: Candidate
  way: Way
  value: Value
}

/** Sends a further request of the same attempt; rejects when it is refused. */
export type Send = (request: UpstreamRequest) => Promise<UpstreamAnswer>

export interface Sending<Value> {
  call: Call
  /** Aborted when the client leaves. */
  signal: AbortSignal
  limits(candidate: Candidate): PhaseLimits
  /** Takes over a 2xx answer. Throws GatewayError when it is no answer; must cancel what it does not keep. */
  receive(answer: UpstreamAnswer, way: Way, timer: PhaseTimer, more: Send): Promise<Value>
}

export const clientClosed = () => new GatewayError('client_closed_request', 'The client closed the connection.')

/** What ended a request whose signal is aborted: its client, unless the reason says otherwise. */
export const endedBy = ({ reason }: AbortSignal): GatewayError => (reason instanceof GatewayError ? reason : clientClosed())

const nothingLeft = () => new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter: 5 })

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

/** `now`: milliseconds since the epoch. */
async function refusal(codec: Way['upstream'], answer: UpstreamAnswer, now: number): Promise<GatewayError> {
  const body = await readText(answer, refusalBytes).catch(() => ({ text: '' }))
  answer.cancel()
  return codec.readError(answer.status, withPlainWait(answer.headers, now), body.text)
}

/** A part of an answer, which nobody asked for, must not pass for all of it. */
const isAnswer = (status: number) => status >= 200 && status <= 299 && status !== 206

/** `fresh`: not over a connection that was used before. */
async function tryOne<Value>(sending: Sending<Value>, candidate: Candidate, way: Way, fresh: boolean): Promise<Value> {
  const { parts, attempts } = sending.call
  const { channel, key } = candidate
  const startedAt = parts.clock.monotonic()
  const row: AttemptRow = { channel: channel.name, key: key?.name ?? null, phase: 'connect', status: null, cause: null, ms: 0 }
  if (candidate.model.name !== sending.call.head.model) row.model = candidate.model.name
  const timer = phaseTimer(parts.clock, sending.limits(candidate))
  const connected = () => {
    timer.connected()
    row.phase = 'first-event'
  }
  attempts.push(row)
  if (channel.vendor.scripted) connected()
  try {
    const upstream = channel.vendor.scripted ? parts.demo : parts.upstream
    const signal = AbortSignal.any([sending.signal, timer.signal])
    const send: Send = async (request) => {
      const signed = await parts.signer.sign(request, credentialOf(candidate), signal)
      const answer = await upstream.open(fresh ? { ...signed, fresh } : signed, signal, connected)
      connected()
      row.status = answer.status
      const now = parts.clock.now()
      const spentMs = spentFor(answer.headers, now)
      if (spentMs > 0) parts.health.spent(candidate, spentMs)
      if (!isAnswer(answer.status)) throw await refusal(way.upstream, answer, now)
      return answer
    }
    const value = await sending.receive(await send(way.request), way, timer, send)
    row.phase = 'stream'
    return value
  } catch (thrown) {
    timer.stop()
    const error = sending.signal.aborted ? endedBy(sending.signal) : asGatewayError(thrown)
    row.cause = error.code
    throw error
  } finally {
    row.ms = Math.round(parts.clock.monotonic() - startedAt)
  }
}

/** One model, by everybody who may be asked for it. Throws the error that the caller is to be told when nobody delivered. */
export async function sendAny<Value>(sending: Sending<Value>, serving: Serving, wayOf: Call['way']): Promise<Received<Value>> {
  const { call, signal } = sending
  const { clock, retry, dice, health } = call.parts
  const startedAt = clock.monotonic()
  const failures: Failure[] = []
  let { candidates } = serving
  let unsaid: GatewayError | undefined
  for (;;) {
    const next = nextAttempt(candidates, failures, clock.monotonic() - startedAt, retry, dice.roll)
    if (!next) throw verdict(failures) ?? unsaid ?? serving.refusal ?? nothingLeft()
    const { candidate } = next
    const way = await wayOf(candidate)
    if (way instanceof GatewayError) {
      unsaid ??= way
      candidates = candidates.filter((other) => other !== candidate)
      continue
    }
    if (next.pauseMs > 0) await clock.sleep(next.pauseMs, signal).catch(() => undefined)
    if (signal.aborted) throw endedBy(signal)
    if (!health.admit(candidate)) {
      candidates = candidates.filter((other) => other !== candidate)
      continue
    }
    try {
      const repeated = failures.some((failure) => failure.candidate === candidate)
      const value = await tryOne(sending, candidate, way, repeated)
      health.succeeded(candidate)
      call.opened.served?.(candidate)
      return { candidate, way, value }
    } catch (thrown) {
      const error = asGatewayError(thrown)
      health.failed(candidate, error)
      failures.push({ candidate, error })
    }
  }
}
