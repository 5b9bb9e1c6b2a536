/** A conversation as JSON for one upstream: by which codec, and with what its channel adds, sets and takes away. Pure. */
import type { ConversationCodec, Memo, Target } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import { conversationCodecs, converseCodec } from '#protocols/index'
import { refusedLosses, refuseLosses, withParams } from '#relay/exchange/outgoing'
import type { Channel } from '#routing/channel'
import type { Candidate } from '#routing/order'

/** How this candidate is asked, and its answers are read: by the codec of its dialect, unless its vendor has another one for this model. */
export const codecFor = ({ channel, model, dialect }: Candidate): ConversationCodec =>
  channel.vendor.converses?.(model.upstream) ? converseCodec : conversationCodecs[dialect]

/** Whom a request is written for. */
export interface WrittenFor {
  target: Target
  channel: Pick<Channel, 'systemPrompt' | 'params'>
  /** Fields that this upstream refuses. */
  refuses: readonly string[]
  /** A loss of meaning is a refusal. */
  strict: boolean
  /** What was left behind before. */
  lost: readonly Loss[]
}

/** A request for an upstream. */
export interface WrittenBody {
  body: string
  headers: Record<string, string>
  losses: readonly Loss[]
  memo: Memo
}

/** Throws GatewayError `unsupported_value` when the upstream's dialect cannot say the request. */
export function writtenBody(
  upstream: Pick<ConversationCodec, 'writeRequest'>,
  request: ConversationRequest,
  { target, channel, refuses, strict, lost }: WrittenFor,
): WrittenBody {
  const written = upstream.writeRequest(withChannelPrompt(request, channel.systemPrompt), target)
  const refused = refuses.filter((field) => written.body[field] !== undefined)
  const losses = [...lost, ...written.losses, ...refusedLosses(refused)]
  if (strict) refuseLosses(losses)
  const accepted = Object.fromEntries(Object.entries(written.body).filter(([field]) => !refused.includes(field)))
  return { body: JSON.stringify(withParams(accepted, { channel })), headers: written.headers, losses, memo: written.memo }
}

function withChannelPrompt(request: ConversationRequest, prompt: string | null): ConversationRequest {
  if (prompt === null) return request
  return { ...request, instructions: [{ role: 'system', text: prompt }, ...request.instructions] }
}
