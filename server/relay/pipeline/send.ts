/**
 * Step 6 over HTTP: tries all candidates of one model, with the request written for each. A candidate whose dialect cannot express the
 * request is skipped without an attempt. Then from model to model: when every candidate of one has failed, the next fallback for the cause
 * of the failure. Only before the first content. When none delivers, the caller gets the error of the model it asked for.
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

/** Bytes of an upstream's refusal that are read; the rest is ignored. */
const refusalBytes = 64 * 1024

/** Sends a further request of the same attempt; rejects when it is refused. */
export type Send = (request: UpstreamRequest) => Promise<UpstreamAnswer>

/** A request with its models, and the log of its attempts. */
export interface Sending {
  parts: RelayParts
  request: ReadRequest
  models: RequestModels
  attempts: AttemptLog
  /** Notified when an upstream starts on a whole answer, and when it has failed. */
  flight?: Pick<InFlightRequest, 'making'> | undefined
}

export interface Receiver<Value> {
  limits(candidate: Candidate): PhaseLimits
  /** Takes over a 2xx answer. Throws GatewayError when it is not valid; must cancel what it does not keep. */
  receive(answer: UpstreamAnswer, exchange: Exchange, timer: PhaseTimer, more: Send): Promise<Value>
}

/** `now`: milliseconds since the epoch. */
async function refusal(codec: Exchange['upstream'], answer: UpstreamAnswer, now: number): Promise<GatewayError> {
  const body = await readText(answer, refusalBytes).catch(() => ({ text: '' }))
  answer.cancel()
  return codec.readError(answer.status, withPlainWait(answer.headers, now), body.text)
}

/** A partial response to a request without ranges must not count as the whole. */
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

/** One model; `sparesResting`: resting candidates are skipped. Throws the error for the caller when none delivered. */
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

/** The list of fallbacks for this failure; undefined = the failure is final. */
export function causeOf(error: Pick<GatewayError, 'code' | 'publicCode' | 'retry'>): FallbackCause | undefined {
  const { code, publicCode, retry } = error
  if (code === 'upstream_rejected' && publicCode !== null) {
    if (tooLong.has(publicCode)) return 'context'
    if (filtered.has(publicCode)) return 'filter'
  }
  return retry === 'other' || code === 'no_channel_available' ? 'error' : undefined
}

/** A filtered answer is returned unchanged when no fallback is left. `tried`: fallbacks that were already asked. */
function exchangeFor({ parts, request, models: { asked, instead } }: Sending, tried?: ReadonlySet<ModelCandidates>): ExchangeFor {
  for (const one of instead.filter) {
    if (one !== asked && !tried?.has(one) && one.candidates.length > 0) return reportingFilter(request.exchange, parts)
  }
  return request.exchange
}

/** Throws the error for the caller when no model delivered. */
export async function send<Value>(sending: Sending, receiver: Receiver<Value>): Promise<Received<Value>> {
  const { asked, instead } = sending.models
  const startedAt = sending.parts.clock.monotonic()
  try {
    return await sendToModel(sending, receiver, asked, exchangeFor(sending), instead.error.length > 0)
  } catch (thrown) {
    return sendElsewhere(sending, receiver, asGatewayError(thrown), startedAt)
  }
}

/** Tries the fallbacks after the requested model has failed with `failure`. `startedAt`: when it was asked (monotonic). */
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
  /** Models that were not asked, because all of their candidates are resting. */
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
    // A fallback's verdict on the request is not final while the requested model itself was not asked.
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
