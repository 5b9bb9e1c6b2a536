/** One request about a call, to the upstream that has it or will have it. */
import { realtimeCodecs } from '#protocols/realtime'
import type { RelayParts } from '#relay/contract/ask'
import { readText } from '#relay/exchange/answer-text'
import { outgoing, signed } from '#relay/exchange/outgoing'
import type { Candidate } from '#routing/order'
import type { Clock } from '#runtime/clock'
import type { AnswerHeaders } from '#runtime/contract/http-client'
import { GatewayError } from '#shared/errors'
import { type PhaseTimer, phaseLimits, phaseTimer } from '#upstream/timeouts'
import type { Payload, UpstreamRequest } from '#upstream/upstream'
import { actionUrl, type CallAction } from '#vendors/calls'

export interface CallRequest {
  /** The call and the action on it; absent: a call is opened. */
  at?: { id: string; action: CallAction }
  /** JSON text, or a form. */
  body?: string | Payload
  accept: string
}

export interface CallAnswer {
  status: number
  headers: AnswerHeaders
  text: string
}

/** Maximum bytes of an answer: a session description has a few thousand. */
const mostBytes = 1024 * 1024
/** Seconds until an upstream must begin to answer. */
const patience = 30

/** Time limits of a request about a call. */
export const callLimits = ({ channel }: Candidate) => phaseLimits(channel.timeouts, patience)

/** The answer to a successful request. Rejects with the upstream's refusal. */
export async function askOfCall(
  parts: Pick<RelayParts, 'upstream' | 'signer' | 'version'>,
  candidate: Candidate,
  { at, body, accept }: CallRequest,
  timer: PhaseTimer,
): Promise<CallAnswer> {
  const wanted = { operation: 'realtime', stream: false, variant: 'call', version: parts.version } as const
  const made = outgoing(wanted, candidate, body ?? '', { accept })
  const { 'content-type': _, ...bare } = made.headers
  const request: UpstreamRequest = {
    ...made,
    ...(at && { url: actionUrl(made.url, at.id, at.action) }),
    ...(body === undefined && { headers: bare, body: undefined }),
  }
  const answer = await parts.upstream.open(await signed(parts.signer, request, timer.signal), timer.signal, () => timer.connected())
  try {
    const { text, whole } = await readText(answer, mostBytes)
    const { status, headers } = answer
    if (status < 200 || status > 299) throw refusal(status, headers, text)
    if (!whole) throw new GatewayError('upstream_error', 'The upstream answer was too large.')
    return { status, headers, text }
  } finally {
    answer.cancel()
  }
}

function refusal(status: number, headers: AnswerHeaders, text: string): GatewayError {
  // Another account may have the call.
  if (status === 404) return new GatewayError('not_found', 'There is no call with this id.', { param: 'call_id', retry: 'other' })
  return realtimeCodecs.openai.readError(status, new Headers([...headers]), text)
}

const tries = 3
const pauseMs = 500

/** Hangs up; resolves when the call is over. Rejects with GatewayError when the upstream cannot be reached. */
export async function hangUp(
  parts: Pick<RelayParts, 'upstream' | 'signer' | 'version'> & { clock: Clock },
  candidate: Candidate,
  id: string,
): Promise<void> {
  for (let left = tries; ; left--) {
    const timer = phaseTimer(parts.clock, callLimits(candidate))
    try {
      await askOfCall(parts, candidate, { at: { id, action: 'hangup' }, accept: '*/*' }, timer)
      return
    } catch (thrown) {
      const isOver = thrown instanceof GatewayError && (thrown.code === 'not_found' || thrown.code === 'upstream_rejected')
      if (isOver) return
      if (left <= 1) throw thrown
    } finally {
      timer.stop()
    }
    await parts.clock.sleep(pauseMs)
  }
}
