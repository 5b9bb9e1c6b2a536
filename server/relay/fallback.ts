/**
 * From model to model: when everybody who could be asked for one has failed, the next that stands in for it by the cause of
 * the failure. Only before the first content. When none of them delivers, the caller is told what became of the model asked.
 */
import type { FallbackCause } from '#routing/fallbacks'
import { asGatewayError, type GatewayError } from '#shared/errors'
import { type Received, type Sending, sendAny } from './attempt.ts'
import type { Call } from './call.ts'
import { reportingFilter } from './filtered.ts'
import type { Serving } from './serving.ts'

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
function wayOf(call: Call, left: readonly Serving[]): Call['way'] {
  return left.some(({ candidates }) => candidates.length > 0) ? reportingFilter(call) : call.way
}

/** Throws the error that the caller is to be told when no model delivered. */
export async function sendToModels<Value>(sending: Sending<Value>): Promise<Received<Value>> {
  const { call, signal } = sending
  const { clock, retry } = call.parts
  const { asked, instead } = call.servings
  const startedAt = clock.monotonic()
  const tried = new Set<Serving>()
  const untried = (cause: FallbackCause) => instead[cause].filter((one) => !tried.has(one))
  let serving: Serving | undefined = asked
  let first: GatewayError | undefined
  while (serving) {
    tried.add(serving)
    try {
      return await sendAny(sending, serving, wayOf(call, untried('filter')))
    } catch (thrown) {
      const error = asGatewayError(thrown)
      first ??= error
      const cause = causeOf(error)
      const late = clock.monotonic() - startedAt > retry.deadlineMs
      serving = cause && !signal.aborted && !late ? untried(cause)[0] : undefined
      if (signal.aborted) throw error
    }
  }
  throw first
}
