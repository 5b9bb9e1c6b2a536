import type { CodecContext } from './codec.ts'
import type { ConversationRequest, ConversationResponse, NativePart } from './conversation.ts'

/** Compaction by Parley itself: the conversation without the request to compact it, and how the result is represented. */
export interface CompactionCodec {
  withoutTrigger(request: ConversationRequest): ConversationRequest
  /** The part that represents everything before it; `sealed` is opaque to everybody but Parley. */
  part(sealed: string, codecContext: CodecContext): NativePart
  /** The answer of the endpoint dedicated to compaction: the part. */
  writeWhole(part: NativePart, response: ConversationResponse, codecContext: CodecContext): string
  /** The same with the caller's own messages in the body `raw` before the part. */
  withMessages(raw: string, answer: string, codecContext: Pick<CodecContext, 'id'>): string
}
