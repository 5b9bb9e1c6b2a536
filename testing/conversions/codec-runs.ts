/** Running a codec the way the relay does, for tests: requests and answers read and written, streams cut anywhere. */
import type { CodecContext, ConversationCodec, Memo, WrittenRequest } from '#canonical/codec'
import type { ConversationEvent, ConversationRequest, ConversationResponse } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'

export const noMemo: Memo = { toolNames: {}, wrappedTools: [] }

/** A clock that stands and ids that are numbered. */
export function testPen(): CodecContext {
  let count = 0
  return { now: () => 1_764_000_000_000, id: (prefix) => `${prefix}fresh${++count}` }
}

/** Without memory of the caller's body: refusals then name canonical fields. */
export function withoutPaths(request: ConversationRequest): ConversationRequest {
  return JSON.parse(JSON.stringify(request, (key, value) => (key === 'path' || key === 'paths' ? undefined : value)))
}

/** `request` as an upstream of this dialect is asked it, of a model without peculiarities. */
export function written(codec: ConversationCodec, request: ConversationRequest): WrittenRequest {
  return codec.writeRequest(request, { model: request.model, capabilities: {}, stream: request.stream })
}

/** A body as a client of this dialect sends it, read. The address names the model where the dialect has it there. */
export function readBody(codec: ConversationCodec, body: unknown, model = 'asked'): ConversationRequest {
  return codec.readRequest(JSON.stringify(body), `${model}:generateContent`)
}

/** Reads a whole stream; `broke` is how the connection ended. */
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

/** Events as the stream that a client of this dialect gets. */
export function streamOf(
  codec: ConversationCodec,
  events: readonly ConversationEvent[],
  asked: ConversationRequest,
): Uint8Array<ArrayBuffer> {
  const writer = codec.writer(asked, testPen())
  return Buffer.concat(events.map((event) => writer.push(event)))
}

/** What an answer becomes for a client of this dialect that reads it with the same codec. */
export function answerAgain(codec: ConversationCodec, answer: ConversationResponse, asked: ConversationRequest): ConversationResponse {
  return codec.readResponse(codec.writeResponse(answer, asked, testPen()).body, noMemo, testPen())
}

/** As JSON keeps it; of an error what a client could see. */
export function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, inner: unknown) =>
      inner instanceof GatewayError ? { code: inner.code, status: inner.status, message: inner.message } : inner,
    ),
  )
}

/** What `work` answers, or what it throws. */
export function attempt<T>(work: () => T): T | GatewayError {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}
