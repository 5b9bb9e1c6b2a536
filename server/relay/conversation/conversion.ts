/** What one conversion is. */
import type { CodecContext, ConversationCodec } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import type { TokenEstimator } from '#canonical/token-estimator'
import type { ReasoningState } from '#reasoning-state/reasoning-state'

/** One conversion: its two sides, and what reading and writing across them needs. */
export interface Conversion {
  client: ConversationCodec
  upstream: ConversationCodec
  request: ConversationRequest
  codecContext: CodecContext
  reasoningState: ReasoningState
  /** Whose reasoning state is kept: the id of the calling user. */
  tenant: string
  /** The upstream's channel: what its account seals comes back to it. */
  maker: string
  /** Of the body as the client sent it. */
  inputBytes: number
  /** What was left behind before the request is written. */
  lost: readonly Loss[]
  /** The digest of what the client asked, by which calls of the answer are remembered; undefined: they are not. */
  question(): string | undefined
  /** Counts what the upstream does not report; made when it answers. `addedBytes` are what Parley put into the request. */
  estimator(addedBytes?: number): TokenEstimator
}
