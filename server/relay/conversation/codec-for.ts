/** The codec of a candidate: its dialect's, unless its vendor has another one for this model. */
import type { ConversationCodec } from '#canonical/codec'
import { conversationCodecs, converseCodec } from '#protocols/index'
import type { Candidate } from '#routing/order'

/** How this candidate is asked, and its answers are read. */
export const codecFor = ({ channel, model, dialect }: Candidate): ConversationCodec =>
  channel.vendor.converses?.(model.upstream) ? converseCodec : conversationCodecs[dialect]
