/**
 * Operations other than generation: embeddings, images, audio, rerank, moderations, search. Each has a canonical question and answer,
 * and a codec for every style, for clients, for upstreams, or both. When the upstream has the client's own style the bytes pass
 * through, with the closed list of edits; otherwise the question is read once and written for the candidate.
 *
 * Like the conversation codecs these are synchronous, keep their state in their own closure, and throw only GatewayError.
 */

import type { AnswerEdits, CodecContext, Head, Meter, RequestEdits, Target, WholeAnswer } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'
import type { Style } from '#shared/ids'

/** A file of a form. It stays where the upload stored it and can be read again for every attempt. */
export interface FormFile {
  /** The field's name as sent: `image[]`. */
  name: string
  filename: string
  /** As the client declared it; not verified. */
  type: string
  /** Bytes. */
  size: number
  /** Duration of the audio in it; absent = unknown. */
  seconds?: number
  open(): ReadableStream<Uint8Array>
}

/** An uploaded form: its text fields and files, in the order they were sent. */
export interface Form {
  parts: readonly ({ name: string; value: string } | FormFile)[]
  /** Bytes of the whole body. */
  size: number
}

/** A request body: JSON text, or a form. */
export type Incoming = string | Form

/** What Parley needs to know of a request. */
export interface OperationHead extends Head {
  /** The largest possible usage, which is held. */
  most: Usage
  /** Inputs of a batch; with more than the model's `maxInputs` the body cannot be passed through. */
  inputs?: number
  /** True when it contains fields of another style, which this style's upstreams do not know: the body cannot be passed through. */
  foreign?: true
  /** A suffix of the operation's URL for a passed-through request. */
  address?: string
  /** What is needed to read whole answers besides this head; for a large body it stays in the worker. */
  question?: unknown
  /** Units the model is priced by, once known: usage that an upstream does not report is estimated for these. */
  priced?: { tokens: boolean; seconds: boolean; characters: boolean }
}

/** Which URL of an operation: `images/edits` next to `images/generations`, `batchEmbedContents`. */
export type Variant = 'edit' | 'variation' | 'extend' | 'remix' | 'translate' | 'batch' | 'predict' | 'transcription' | 'call'

/** A request for an upstream. */
export interface WrittenOperation {
  /** A record is sent as JSON, a file as its bytes. */
  body: Record<string, unknown> | string | Form | FormFile
  variant?: Variant
  /** What is appended to the operation's URL: further segments, a query. */
  address?: string
  /** Vendor-specific headers, in lower case. */
  headers?: Readonly<Record<string, string>>
}

/** An answer for a client. */
export interface WrittenAnswer {
  body: string
  /** Absent = JSON. */
  contentType?: string
  losses: readonly Loss[]
}

/** A file that an upstream accepts only inside its JSON: referenced by URL, or uploaded. `param` is its path in the caller's body. */
export interface WantedFile {
  source: { url: string } | { file: FormFile }
  param: string
}

/** A file to be embedded in JSON. */
export interface InlineFile {
  /** Detected by its first bytes. */
  mimeType: string
  /** Base64. */
  data: string
}

/** The client side of a style: passes bodies through to an upstream of the same style, or reads and answers them. */
export interface OperationEndpoint<Question = unknown, Answer = unknown, Asked extends OperationHead = OperationHead> {
  readonly style: Style
  /** Reads and validates what Parley itself needs. `path` is the path parameter that names the model, for endpoints that have one. */
  readHead(body: Incoming, path?: string, variant?: Variant): Asked

  /** Whether this upstream model takes the client's bytes; absent: every model of the style does. */
  passesTo?(model: string): boolean
  /** Same style on both sides: the client's bytes with the edits applied. */
  editRequest(body: Incoming, edits: RequestEdits): Incoming
  /** Validates a whole answer and reads its usage. Throws GatewayError `upstream_error` when it is not one. */
  readWhole(body: string, edits: AnswerEdits, asked: Asked): WholeAnswer
  /** Observes a streamed answer. Absent = this style does not stream. `type` is the answer's content type. */
  meter?(edits: AnswerEdits, asked: Asked, type: string): Meter
  /**
   * How a streamed answer of this content type is framed: events, every chunk as it arrives (audio), or the whole as one. Absent =
   * events.
   */
  framing?(asked: Asked, type: string): 'events' | 'pieces' | 'whole'
  /** The content type of the client's stream, given the upstream's. Absent = server-sent events. */
  streamType?(asked: Asked, type: string): string
  /** The `accept` header, if the upstream may answer with more than JSON and events. */
  readonly accept?: string
  /** True when a stream may have this content type. Absent = anything but JSON and HTML. */
  streamsAs?(type: string): boolean

  /** Reads and validates the whole question. Throws GatewayError 400 with `param` as the path in the caller's body. */
  readQuestion(body: Incoming, path?: string, variant?: Variant): Question
  writeAnswer(answer: Answer, question: Question, codecContext: CodecContext): WrittenAnswer
  /** The question without its long content: enough to write a stream. Absent = this style has no streams. */
  outline?(question: Question): Question
  /** Writes a whole answer as a stream; absent = only upstreams of its own style can stream. */
  writeStream?(answer: Answer, question: Question, codecContext: CodecContext): Uint8Array

  readError(status: number, headers: Headers, body: string): GatewayError
  /** The in-stream error with terminator. Absent = this style has none, and the stream is broken off. */
  writeStreamError?(error: GatewayError): Uint8Array
  /** A keepalive frame for a waiting client; absent = nothing can be sent before the answer. */
  readonly keepalive?: Uint8Array
}

/** An upstream's answer, with losses for what has no canonical form. */
export interface ReadOperation<Answer> {
  answer: Answer
  usage: Usage
  /** Absent = none. */
  losses?: readonly Loss[]
}

/** The upstream side of a style, for clients of another style. */
export interface OperationUpstream<Question = unknown, Answer = unknown> {
  readonly style: Style
  /** The `accept` header, if the upstream may answer with more than JSON and events. */
  readonly accept?: string
  /** Files of the question that must be inside the JSON; `writeQuestion` gets them in this order. Absent = never any. */
  filesWanted?(question: Question, target: Target): readonly WantedFile[]
  /** One or more requests, in order, whose answers together answer the question. Throws `unsupported_value`: not this candidate. */
  writeQuestion(
    question: Question,
    target: Target,
    files?: readonly InlineFile[],
  ): { requests: [WrittenOperation, ...WrittenOperation[]]; losses: readonly Loss[] }
  /** True: its answer is audio, which is forwarded as in the client's own style; `readAnswer` is never called. */
  readonly passes?: true
  /** The content type of the stream that the client side writes from its whole answer. Absent = server-sent events. */
  madeType?(question: Question): string
  /** Takes one body per request. Unreported usage is estimated where it is priced. Throws `upstream_error`. */
  readAnswer(bodies: readonly string[], question: Question, asked?: OperationHead): ReadOperation<Answer>
  readError(status: number, headers: Headers, body: string): GatewayError
}

/** Both sides of one style of one operation. `Question` and `Answer` are the operation's canonical forms. */
export interface OperationCodec<Question = unknown, Answer = unknown, Asked extends OperationHead = OperationHead>
  extends OperationEndpoint<Question, Answer, Asked>,
    OperationUpstream<Question, Answer> {}

/** A style may have a client side only, or an upstream side only. */
export type OperationStyle = OperationEndpoint | OperationUpstream | OperationCodec
