/**
 * From model to model: when every candidate of one has failed, the next model that stands in for it by the cause of the
 * failure. Only before the first content. When none delivers, the caller is told what became of the model it asked for.
 */

import type { ExchangeFor, ModelCandidates, Received } from '#relay/contract/steps'
import type { FallbackCause } from '#routing/fallbacks'
import { asGatewayError, type GatewayError } from '#shared/errors'
import { reportingFilter } from './filtered.ts'
import { type Receiver, type Sending, sendToModel } from './send.ts'

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

/** A filtered answer is given as it is when nothing is left to ask instead. */
function exchangeFor({ parts, request }: Sending, left: readonly ModelCandidates[]): ExchangeFor {
  return left.some(({ candidates }) => candidates.length > 0) ? reportingFilter(request.exchange, parts) : request.exchange
}

/** Throws the error that the caller is to be told when no model delivered. */
export async function send<Value>(sending: Sending, receiver: Receiver<Value>): Promise<Received<Value>> {
  const { clock, retry } = sending.parts
  const { asked, instead } = sending.models
  const { signal } = sending.request.ask
  const startedAt = clock.monotonic()
  const tried = new Set<ModelCandidates>()
  const untried = (cause: FallbackCause) => instead[cause].filter((one) => !tried.has(one))
  let modelCandidates: ModelCandidates | undefined = asked
  let first: GatewayError | undefined
  while (modelCandidates) {
    tried.add(modelCandidates)
    try {
      return await sendToModel(sending, receiver, modelCandidates, exchangeFor(sending, untried('filter')))
    } catch (thrown) {
      const error = asGatewayError(thrown)
      first ??= error
      const cause = causeOf(error)
      const late = clock.monotonic() - startedAt > retry.deadlineMs
      modelCandidates = cause && !signal.aborted && !late ? untried(cause)[0] : undefined
      if (signal.aborted) throw error
    }
  }
  throw first
}
