/**
 * Step 6 over HTTP: one model by everybody who may be asked for it, with the request written for each candidate. A candidate
 * whose dialect cannot say the request is passed over without an attempt. Then from model to model: when every candidate of one has
 * failed, the next model that stands in for it by the cause of the failure. Only before the first content. When none delivers,
 * the caller is told what became of the model it asked for.
 */

import { notedCall } from '#bodies/call-capture'
import type { RelayParts } from '#relay/contract/ask'
import type { Exchange } from '#relay/contract/exchange'
import type { AttemptLog, ExchangeFor, InFlightRequest, ModelCandidates, ReadRequest, Received, RequestModels } from '#relay/contract/steps'
import { readText } from '#relay/exchange/answer-text'
import { inTrace, signed } from '#relay/exchange/outgoing'
import { unpricedFor } from '#relay/spend/unpriced'
import type { FallbackCause } from '#routing/fallbacks'
import type { Candidate } from '#routing/order'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { PhaseLimits, PhaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { spentFor, withPlainWait } from '#vendors/limit-headers'
import { type Attempt, tryCandidates } from './attempt.ts'
import { reportingFilter } from './filtered.ts'

/** Bytes of an upstream's refusal that are read; the rest is of no use. */
const refusalBytes = 64 * 1024

/** Sends a further request of the same attempt; rejects when it is refused. */
export type Send = (request: UpstreamRequest) => Promise<UpstreamAnswer>

/** What is sent, and where its attempts are written down. */
export interface Sending {
  parts: RelayParts
  request: ReadRequest
  models: RequestModels
  attempts: AttemptLog
  /** Told when an upstream begins to make a whole answer, and when it has failed to. */
  flight?: Pick<InFlightRequest, 'making'> | undefined
}

/** How an answer is received. */
export interface Receiver<Value> {
  limits(candidate: Candidate): PhaseLimits
  /** Takes over a 2xx answer. Throws GatewayError when it is no answer; must cancel what it does not keep. */
  receive(answer: UpstreamAnswer, exchange: Exchange, timer: PhaseTimer, more: Send): Promise<Value>
}

/** `now`: milliseconds since the epoch. */
async function refusal(codec: Exchange['upstream'], answer: UpstreamAnswer, now: number): Promise<GatewayError> {
  const body = await readText(answer, refusalBytes).catch(() => ({ text: '' }))
  answer.cancel()
  return codec.readError(answer.status, withPlainWait(answer.headers, now), body.text)
}

/** Part of an answer that nobody asked for in parts must not pass for the whole. */
const isAnswer = (status: number) => status >= 200 && status <= 299 && status !== 206

const addresseeOf = ({ channel, model, dialect }: Candidate) => ({ channel: channel.name, model: model.upstream, dialect })

/** One attempt with this exchange. */
async function perform<Value>(
  { parts, request: { ask }, flight, attempts }: Sending,
  { receive }: Receiver<Value>,
  exchange: Exchange,
  attempt: Attempt,
): Promise<Received<Value>> {
  const { candidate, row, timer, signal, fresh } = attempt
  const { scripted } = candidate.channel.vendor
  const upstream = scripted ? parts.demo : parts.upstream
  const connected = () => {
    timer.connected()
    row.phase = 'first-event'
    flight?.making(true)
  }
  if (scripted) connected()
  const send: Send = async (request) => {
    const plain = await signed(parts.signer, request, signal)
    const complete = attempts.trace ? inTrace(plain, attempts.trace.headersOf(row)) : plain
    const sent = fresh ? { ...complete, fresh } : complete
    const answer = await (ask.capture
      ? notedCall(ask.capture, addresseeOf(candidate), sent, (noted) => upstream.open(noted, signal, connected))
      : upstream.open(sent, signal, connected))
    connected()
    row.status = answer.status
    const now = parts.clock.now()
    const spentMs = spentFor(answer.headers, now)
    if (spentMs > 0) parts.health.spent(candidate, spentMs)
    if (!isAnswer(answer.status)) throw await refusal(exchange.upstream, answer, now)
    return answer
  }
  const answer = await send(exchange.request)
  return { candidate, exchange, value: await receive(answer, exchange, timer, send) }
}

/**
 * One model; `sparesResting`: candidates that rest are left alone. Throws the error that the caller is to be told when nobody delivered.
 */
export async function sendToModel<Value>(
  sending: Sending,
  receiver: Receiver<Value>,
  modelCandidates: ModelCandidates,
  exchangeFor: ExchangeFor,
  sparesResting = false,
): Promise<Received<Value>> {
  const { parts, request, models, attempts } = sending
  const { candidate, value } = await tryCandidates({
    parts,
    candidates: modelCandidates.candidates,
    refusal: modelCandidates.refusal,
    sparesResting,
    model: request.head.model,
    attempts,
    signal: request.ask.signal,
    flight: sending.flight,
    limits: receiver.limits,
    async prepare(candidate) {
      const unpriced = request.head.unpriced && unpricedFor(request.head, candidate, modelCandidates.price.rates)
      const exchange = unpriced ?? (await exchangeFor(candidate, models.asked.price.rates))
      if (exchange instanceof GatewayError) return exchange
      return (attempt) => perform(sending, receiver, exchange, attempt)
    },
  })
  request.served(candidate)
  return value
}

const tooLong = new Set(['context_length_exceeded', 'string_above_max_length'])
const filtered = new Set(['content_filter', 'content_policy_violation', 'moderation_blocked', 'ResponsibleAIPolicyViolation'])

/** Which list is asked after this failure; undefined = the answer is final. */
export function causeOf(error: Pick<GatewayError, 'code' | 'publicCode' | 'retry'>): FallbackCause | undefined {
  const { code, publicCode, retry } = error
  if (code === 'upstream_rejected' && publicCode !== null) {
    if (tooLong.has(publicCode)) return 'context'
    if (filtered.has(publicCode)) return 'filter'
  }
  return retry === 'other' || code === 'no_channel_available' ? 'error' : undefined
}

/** A filtered answer is given as it is when nothing is left to ask instead. `tried`: models that were asked, besides the one asked for. */
function exchangeFor({ parts, request, models: { asked, instead } }: Sending, tried?: ReadonlySet<ModelCandidates>): ExchangeFor {
  for (const one of instead.filter) {
    if (one !== asked && !tried?.has(one) && one.candidates.length > 0) return reportingFilter(request.exchange, parts)
  }
  return request.exchange
}

/** Throws the error that the caller is to be told when no model delivered. */
export async function send<Value>(sending: Sending, receiver: Receiver<Value>): Promise<Received<Value>> {
  const { asked, instead } = sending.models
  const startedAt = sending.parts.clock.monotonic()
  try {
    return await sendToModel(sending, receiver, asked, exchangeFor(sending), instead.error.length > 0)
  } catch (thrown) {
    return sendElsewhere(sending, receiver, asGatewayError(thrown), startedAt)
  }
}

/** After the model that was asked for has failed, with `failure`. `startedAt`: when it was asked (monotonic). */
async function sendElsewhere<Value>(
  sending: Sending,
  receiver: Receiver<Value>,
  failure: GatewayError,
  startedAt: number,
): Promise<Received<Value>> {
  const { clock, retry } = sending.parts
  const { asked, instead } = sending.models
  const { signal } = sending.request.ask
  const tried = new Set([asked])
  /** Models that nobody was asked for, since all of their candidates rest. */
  const resting = new Set<ModelCandidates>()
  const untried = (cause: FallbackCause) => instead[cause].filter((one) => !tried.has(one))
  const sparesResting = instead.error.length > 0
  let modelCandidates = asked
  let isLastResort = false
  let [first, error] = [failure, failure]
  for (;;) {
    if (signal.aborted) throw error
    const rests = error.code === 'no_channel_available' && modelCandidates.candidates.length > 0
    if (rests && sparesResting && !isLastResort) resting.add(modelCandidates)
    else resting.delete(modelCandidates)
    if (modelCandidates === asked) first = error
    const cause = causeOf(error)
    const late = clock.monotonic() - startedAt > retry.deadlineMs
    // What another model says of the request is not the last word while the one that was asked for was not asked.
    const [lastResort]: ModelCandidates[] = cause ? [...resting] : [asked].filter((one) => resting.has(one))
    const next = late ? undefined : ((cause && untried(cause)[0]) ?? lastResort)
    if (!next) throw first
    modelCandidates = next
    isLastResort = tried.has(next)
    tried.add(next)
    try {
      return await sendToModel(sending, receiver, next, exchangeFor(sending, tried), sparesResting && !isLastResort)
    } catch (thrown) {
      error = asGatewayError(thrown)
    }
  }
}
