/**
 * Step 6 over HTTP: one model by everybody who may be asked for it, with the request written for each candidate. A candidate
 * whose dialect cannot say the request is passed over without an attempt.
 */
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { PhaseLimits, PhaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { spentFor, withPlainWait } from '#vendors/limit-headers'
import { readText } from './answer-text.ts'
import type { RelayParts } from './ask.ts'
import { type Attempt, tryCandidates } from './attempt.ts'
import type { AttemptLog } from './attempt-log.ts'
import { credentialOf } from './outgoing.ts'
import type { Serving, Servings } from './serving.ts'
import type { ReadRequest, Received, WayFor } from './steps.ts'
import type { Way } from './way.ts'

/** Bytes of an upstream's refusal that are read; the rest is of no use. */
const refusalBytes = 64 * 1024

/** Sends a further request of the same attempt; rejects when it is refused. */
export type Send = (request: UpstreamRequest) => Promise<UpstreamAnswer>

/** What is sent, and where its attempts are written down. */
export interface Sending {
  parts: RelayParts
  request: ReadRequest
  servings: Servings
  attempts: AttemptLog
}

/** How an answer is received. */
export interface Receiver<Value> {
  limits(candidate: Candidate): PhaseLimits
  /** Takes over a 2xx answer. Throws GatewayError when it is no answer; must cancel what it does not keep. */
  receive(answer: UpstreamAnswer, way: Way, timer: PhaseTimer, more: Send): Promise<Value>
}

/** `now`: milliseconds since the epoch. */
async function refusal(codec: Way['upstream'], answer: UpstreamAnswer, now: number): Promise<GatewayError> {
  const body = await readText(answer, refusalBytes).catch(() => ({ text: '' }))
  answer.cancel()
  return codec.readError(answer.status, withPlainWait(answer.headers, now), body.text)
}

/** Part of an answer that nobody asked for in parts must not pass for the whole. */
const isAnswer = (status: number) => status >= 200 && status <= 299 && status !== 206

function exchange<Value>({ parts }: Sending, { receive }: Receiver<Value>, way: Way, attempt: Attempt): Promise<Value> {
  const { candidate, row, timer, signal, fresh } = attempt
  const { scripted } = candidate.channel.vendor
  const upstream = scripted ? parts.demo : parts.upstream
  const connected = () => {
    timer.connected()
    row.phase = 'first-event'
  }
  if (scripted) connected()
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
  return send(way.request).then((answer) => receive(answer, way, timer, send))
}

/** One model. Throws the error that the caller is to be told when nobody delivered. */
export async function sendToModel<Value>(
  sending: Sending,
  receiver: Receiver<Value>,
  serving: Serving,
  wayFor: WayFor,
): Promise<Received<Value>> {
  const { parts, request, servings, attempts } = sending
  const { candidate, value } = await tryCandidates({
    parts,
    candidates: serving.candidates,
    refusal: serving.refusal,
    model: request.head.model,
    attempts,
    signal: request.ask.signal,
    limits: receiver.limits,
    async prepare(candidate) {
      const way = await wayFor(candidate, servings.asked.price.rates)
      if (way instanceof GatewayError) return way
      return async (attempt) => ({ way, value: await exchange(sending, receiver, way, attempt) })
    },
  })
  request.served(candidate)
  return { candidate, ...value }
}
