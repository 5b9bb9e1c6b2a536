/**
 * Operations other than generation: embeddings, images, audio, rerank, moderations, search. Each has one canonical question
 * and one canonical answer of its own, and a codec for every style that it is spoken in, at doors, to upstreams, or both.
 * Between two channels of the client's own style the bytes pass, with the closed list of edits; otherwise the question is
 * read once and written for the candidate.
 *
 * Like the conversation's codecs these are synchronous, keep their state in their own closure, and throw only GatewayError.
 */

import type { AnswerEdits, CodecContext, Head, Meter, RequestEdits, Target, WholeAnswer } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'
import type { Style } from '#shared/ids'

/** A file of a form. It stays where the upload put it and can be read again for every attempt. */
export interface FormFile {
  /** The field's name, as it was sent: `image[]`. */
  name: string
  filename: string
  /** As the client named it; it proves nothing. */
  type: string
  /** Bytes. */
  size: number
  /** How long the sound in it lasts, as its door found out; absent = it did not tell, or was not asked. */
  seconds?: number
  open(): ReadableStream<Uint8Array>
}

/** An uploaded form: its text fields and files, in the order in which they came. */
export interface Form {
  parts: readonly ({ name: string; value: string } | FormFile)[]
  /** Bytes of the whole body. */
  size: number
}

/** A request body as its door read it: JSON text, or a form. */
export type Incoming = string | Form

export interface OperationHead extends Head {
  /** The largest usage that this request may come to: what is held. */
  most: Usage
  /** Inputs of a batch; with more than the model's `maxInputs` the bytes cannot pass as they are. */
  inputs?: number
  /** Fields of another style are in it, which one's own upstreams do not know: the bytes cannot pass as they are. */
  foreign?: true
  /** What the model's price counts, once it is known: what an upstream does not say is estimated where it is charged for. */
  priced?: { tokens: boolean; seconds: boolean; characters: boolean }
}

/** Which of the addresses of one operation is asked: `images/edits` beside `images/generations`, `batchEmbedContents`. */
export type Variant = 'edit' | 'translate' | 'batch' | 'predict'

export interface WrittenOperation {
  /** A record is sent as JSON. */
  body: Record<string, unknown> | string | Form
  variant?: Variant
}

export interface WrittenAnswer {
  body: string
  /** Absent = JSON. */
  contentType?: string
  losses: readonly Loss[]
}

/** A file that an upstream takes only inside its JSON: at an address, or uploaded. `param` is its place in the caller's body. */
export interface WantedFile {
  source: { url: string } | { file: FormFile }
  param: string
}

export interface InlineFile {
  /** By its first bytes. */
  mimeType: string
  /** Base64. */
  data: string
}

/** What stands at a door: a client's own style, passed on to an upstream of the same one, or read and answered. */
export interface OperationDoor<Question = unknown, Answer = unknown, Asked extends OperationHead = OperationHead> {
  readonly style: Style
  /** What Parley itself needs, checked as far as that goes. `path` is the parameter that names the model, for doors that have one. */
  readHead(body: Incoming, path?: string, variant?: Variant): Asked

  /** Same style on both sides: the client's own bytes with the closed list of edits. */
  editRequest(body: Incoming, edits: RequestEdits): Incoming
  /** Checks a whole answer, reads its usage. Throws GatewayError `upstream_error` when it is none. */
  readWhole(body: string, edits: AnswerEdits, asked: Asked): WholeAnswer
  /** Watches a streamed answer. Absent = this operation does not stream in this style. `type` is the answer's content type. */
  meter?(edits: AnswerEdits, asked: Asked, type: string): Meter
  /** Bytes of one event at most. Absent = 4 MiB. */
  readonly maxEventBytes?: number
  /** How a streamed answer of this content type is cut: events, every piece as it arrives (sound), or the whole as one. Absent = events. */
  framing?(asked: Asked, type: string): 'events' | 'pieces' | 'whole'
  /** What the client's stream is called, given the upstream's content type. Absent = server-sent events. */
  streamType?(asked: Asked, type: string): string
  /** What the upstream may answer with, where that is more than JSON and events. */
  readonly accept?: string
  /** May a stream be answered with this content type? Absent = anything but JSON and HTML. */
  streamsAs?(type: string): boolean

  /** Full and checked. Throws GatewayError 400 with `param` as the path in the caller's body. */
  readQuestion(body: Incoming, path?: string, variant?: Variant): Question
  writeAnswer(answer: Answer, question: Question, codecContext: CodecContext): WrittenAnswer
  /** A whole answer as the stream that was asked for; absent = a stream is served by its own style only. */
  writeStream?(answer: Answer, question: Question, codecContext: CodecContext): Uint8Array

  readError(status: number, headers: Headers, body: string): GatewayError
  /** The in-stream error, terminator included. Absent = a stream of this style has no way to say it and is broken off. */
  writeStreamError?(error: GatewayError): Uint8Array
  /** A harmless frame for a waiting client; absent = nothing can be said before the answer. */
  readonly keepalive?: Uint8Array
}

/** What speaks to an upstream of another style than the client's. */
export interface OperationUpstream<Question = unknown, Answer = unknown> {
  readonly style: Style
  /** What the upstream may answer with, where that is more than JSON and events. */
  readonly accept?: string
  /** Files of the question that must be inside the JSON; `writeQuestion` gets them in this order. Absent = none ever. */
  filesWanted?(question: Question, target: Target): readonly WantedFile[]
  /** One or more requests, in order, whose answers together answer the question. Throws `unsupported_value`: not this candidate. */
  writeQuestion(
    question: Question,
    target: Target,
    files?: readonly InlineFile[],
  ): { requests: [WrittenOperation, ...WrittenOperation[]]; losses: readonly Loss[] }
  /** One body for every request written. What it does not say is estimated, where that is priced. Throws `upstream_error`. */
  readAnswer(bodies: readonly string[], question: Question, asked?: OperationHead): { answer: Answer; usage: Usage }
  readError(status: number, headers: Headers, body: string): GatewayError
}

/** One style of one operation, both halves. `Question` and `Answer` are the operation's own canonical forms. */
export interface OperationCodec<Question = unknown, Answer = unknown, Asked extends OperationHead = OperationHead>
  extends OperationDoor<Question, Answer, Asked>,
    OperationUpstream<Question, Answer> {}

/** A style may be spoken at doors only, or to upstreams only. */
export type OperationStyle = OperationDoor | OperationUpstream | OperationCodec
