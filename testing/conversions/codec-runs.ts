/** Runs codecs for tests as the relay does: reads and writes requests, answers and streams cut anywhere. */
import type { CodecContext, ConversationCodec, Memo, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, ConversationResponse } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'

export const noMemo: Memo = { toolNames: {}, wrappedTools: [] }

/** A codec context with a constant clock and numbered ids. */
export function testPen(): CodecContext {
  let count = 0
  return { now: () => 1_764_000_000_000, id: (prefix) => `${prefix}fresh${++count}` }
}

/** The request without positions in the caller's body: refusals then name canonical fields. */
export function withoutPaths(request: ConversationRequest): ConversationRequest {
  return JSON.parse(JSON.stringify(request, (key, value) => (key === 'path' || key === 'paths' ? undefined : value)))
}

/** `request` as sent to an upstream of this dialect, for a model without peculiarities. */
export function written(codec: ConversationCodec, request: ConversationRequest): WrittenRequest {
  return codec.writeRequest(request, { model: request.model, capabilities: {}, stream: request.stream })
}

/** Reads a client's body of this dialect. `model` is the one in the address, for dialects that have it there. */
export function readBody(codec: ConversationCodec, body: unknown, model = 'asked'): ConversationRequest {
  return codec.readRequest(JSON.stringify(body), `${model}:generateContent`)
}

/** Reads a whole stream; `broke` is the error that ended the connection. */
export function eventsOf(
  codec: ConversationCodec,
  pieces: readonly Uint8Array[],
  { memo = noMemo, codecContext = testPen(), broke }: { memo?: Memo; codecContext?: CodecContext; broke?: GatewayError } = {},
): ConversationEvent[] {
  const splitter = createSseSplitter()
  const reader = codec.reader(memo, codecContext)
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(broke)]
}

/** Writes events as the stream for a client of this dialect. */
export function streamOf(
  codec: ConversationCodec,
  events: readonly ConversationEvent[],
  asked: ConversationRequest,
): Uint8Array<ArrayBuffer> {
  const writer = codec.writer(asked, testPen())
  return Buffer.concat(events.map((event) => writer.push(event)))
}

/** Writes an answer for a client of this dialect and reads it again with the same codec. */
export function answerAgain(codec: ConversationCodec, answer: ConversationResponse, asked: ConversationRequest): ConversationResponse {
  return codec.readResponse(codec.writeResponse(answer, asked, testPen()).body, noMemo, testPen())
}

/** The value as JSON keeps it; of an error, the fields that clients see. */
export function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, inner: unknown) =>
      inner instanceof GatewayError ? { code: inner.code, status: inner.status, message: inner.message } : inner,
    ),
  )
}

/** The result of `work`, or the error that it throws. */
export function attempt<T>(work: () => T): T | GatewayError {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}
