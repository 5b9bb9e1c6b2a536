/** The parameters of one conversion. */
import type { CodecContext, ConversationCodec } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import type { TokenEstimator } from '#canonical/token-estimator'
import type { ReasoningState } from '#reasoning-state/reasoning-state'

/** One conversion: its two sides, and what it takes to read and write between them. */
export interface Conversion {
  client: ConversationCodec
  upstream: ConversationCodec
  request: ConversationRequest
  codecContext: CodecContext
  reasoningState: ReasoningState
  /** The owner of remembered reasoning state: the id of the calling user. */
  tenant: string
  /** The upstream's channel: state that its account seals is returned to it. */
  maker: string
  /** Of the body as the client sent it. */
  inputBytes: number
  /** Losses before the request is written. */
  lost: readonly Loss[]
  /** The digest of the question, under which tool calls of the answer are remembered; undefined: they are not. */
  question(): string | undefined
  /** Counts what the upstream does not report; made when it answers. `addedBytes`: what Parley added to the request. */
  estimator(addedBytes?: number): TokenEstimator
}
