/**
 * What a codec of a generation dialect can do. This room knows no wire field; it says what the relay may ask of a protocol.
 * The passthrough half stands here (same dialect on both sides, bytes untouched but for a closed list of edits); the
 * conversion half joins it with the canonical conversation.
 *
 * Codecs are synchronous, keep their state in their own closure, and throw only GatewayError.
 */
import type { Capabilities } from '#shared/capabilities'
import type { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import type { Frame } from '#shared/sse'
import type { ConversationEvent, ConversationRequest, ConversationResponse, MediaPart, NativePart, Opaque } from './conversation.ts'
import type { Loss } from './loss.ts'
import type { NonTextContent } from './non-text-content.ts'
import type { Scale, TokenEstimator } from './token-estimator.ts'
import type { Usage } from './usage.ts'

export type { Frame }

/** The fields of a request that Parley itself reads, from one tolerant scan. */
export interface Head {
  model: string
  stream: boolean
  /** How many answers are asked for; multiplies the hold. */
  n: number
  /** The client's own limit on output tokens. */
  maxOutput?: number
  /** Bytes of the request body: the estimate of the input is a quarter of them in tokens. */
  inputBytes: number
  /** The client asked to see usage in the stream. */
  usageAsked: boolean
  /** Kinds of media in the request that a channel or the playground may have to refuse: image, audio, file, other. */
  media: string[]
  /** How the next token is chosen is the request's own: a temperature, or its like. */
  samples?: boolean
  /** A hosted web search is asked for. */
  searchAsked: boolean
  /** `group` in the body, meant for the playground. */
  group?: string
  /** `models` in the body: others that may answer in the place of `model`, in order, after whatever failure. Absent = as configured. */
  models?: string[]
  /** Values that keep a conversation on its channel, best first. */
  affinity: string[]
  /** State kept elsewhere that the request refers to; absent = the dialect has none, or it is not looked for. */
  stateRefs?: StateRef[]
  /** Opaque state that stands in the request as its maker gave it, in order; absent = the dialect has none that is bound to an account. */
  sealed?: Opaque[]
  /** The answer wanted is the conversation itself, compacted. */
  compacts?: true
  /** Absent = it is text and asks for text. */
  beside?: NonTextContent
}

/** A reference to something that one account or Parley keeps: it must belong to the caller. */
export interface StateRef {
  kind: 'response' | 'conversation' | 'item' | 'file' | 'prompt' | 'cached-content' | 'container'
  id: string
}

/** Everything Parley may change in a passed-through request. Absent = left alone. */
export interface RequestEdits {
  /** The upstream's name of the model. */
  model?: string
  /** Ask the upstream for usage in its stream. */
  forceUsage?: boolean
  /** Put before the conversation by the channel. */
  systemPrompt?: string
  /** Set or replace top-level fields (declared by the channel). */
  set?: Record<string, unknown>
  /** Remove top-level fields (declared by the channel, and Parley's own request fields). */
  remove?: readonly string[]
}

/** Everything Parley may change in a passed-through answer. */
export interface AnswerEdits {
  /** The name by which the client asked, when the upstream's name differs. */
  model?: string
  /** Withhold the frame that only carries usage. */
  hideUsage?: boolean
}

/** What a frame of an upstream stream means for the relay. */
export interface FrameVerdict {
  /** Bytes for the client: `raw` itself, an edited copy, or nothing when the frame is withheld. */
  out: Uint8Array | undefined
  /** Content, a finish or an error: the first such frame commits the answer and ends failover. */
  meaningful: boolean
  /** The upstream reported an error inside the stream. */
  error?: GatewayError
  /** The protocol's terminator: the relay settles before it lets these bytes go, and nothing follows them. */
  last?: boolean
  /** State bound to its maker's account that this frame gave away. */
  sealed?: Opaque[]
}

/** Watches one upstream answer as it passes: edits, usage, and how it ended. Never keeps the answer's text. */
export interface Meter {
  push(frame: Frame): FrameVerdict
  /** What is known so far. `provider` when the upstream said it, else `estimated` from what was delivered. Absent scale = roughly. */
  usage(inputBytes: number, scale?: Scale): Usage
  /**
   * After the last frame: `complete` when the protocol's terminator (or every choice's finish) was seen, `length` when a
   * choice ended at its limit, otherwise `cut`.
   */
  end(): 'complete' | 'length' | 'cut'
  /** What is still missing for a well-formed end after a complete answer; usually nothing. */
  tail(): Uint8Array | undefined
  /** The in-stream error and terminator where they need what the stream said so far (ids, counters); else `writeStreamError`. */
  failure?(error: GatewayError): Uint8Array
}

/** A whole (not streamed) answer that was read and checked. */
export interface WholeAnswer {
  body: string
  /** Absent = JSON. */
  contentType?: string
  usage: Usage
  end: 'complete' | 'length'
  /** State bound to its maker's account that the answer gave away. */
  sealed?: Opaque[]
  /** What the answer lost on its way into the client's dialect; absent = nothing. */
  losses?: readonly Loss[]
}

export interface WrittenError {
  status: number
  headers: Record<string, string>
  body: string
}

export interface PassthroughCodec {
  readonly dialect: Dialect
  /** `path` is the path parameter that names the model, for dialects that have one. Throws on what Parley itself reads. */
  readHead(raw: string, path?: string): Head
  /** The closed list of edits, spliced into the raw text; everything else stays byte for byte. */
  editRequest(raw: string, edits: RequestEdits): string
  /** `hear` gets every text that is delivered. */
  meter(edits: AnswerEdits, hear?: TokenEstimator['observe']): Meter
  /**
   * Throws GatewayError `upstream_error` when the body is no answer of this dialect (HTML, an error object with 200, ...). The
   * gauge counts what the upstream does not say; absent = roughly.
   */
  readWhole(body: string, edits: AnswerEdits, inputBytes: number, gauge?: TokenEstimator): WholeAnswer
  /** A harmless frame for a waiting client. */
  readonly keepalive: Uint8Array
  /** An upstream's refusal, read into Parley's terms: blame, retry, and a message that names no account, address or key. */
  readError(status: number, headers: Headers, body: string): GatewayError
  /** `requestId` for the dialects whose envelope names it. */
  writeError(error: GatewayError, requestId?: string): WrittenError
  /** The in-stream error and the dialect's terminator. */
  writeStreamError(error: GatewayError): Uint8Array
}

/** The only clock and dice a codec sees. */
export interface CodecContext {
  /** Milliseconds since the epoch. */
  now(): number
  /** A fresh id that begins with `prefix`, e.g. `call_` and 24 characters of base62. */
  id(prefix: string): string
}

/** The upstream that a request is written for. */
export interface Target {
  /** The upstream's name of the model. */
  model: string
  capabilities: Readonly<Capabilities>
  stream: boolean
}

/** What must be remembered from writing a request to reading its answer: renamed tools, wrapped custom tools. Plain data. */
export interface Memo {
  /** Upstream name of a tool to the client's name, where they differ. */
  toolNames: Readonly<Record<string, string>>
  /** Client names of custom tools that went out as functions with one string property `input`. */
  wrappedTools: readonly string[]
  /** Upstream name of a tool to the namespace that the client has it in. */
  toolSpaces?: Readonly<Record<string, string>>
}

export interface WrittenRequest {
  body: Record<string, unknown>
  /** Headers that this dialect needs upstream (its version), lower case. */
  headers: Record<string, string>
  losses: readonly Loss[]
  memo: Memo
}

/** Turns frames of an upstream stream into events; guarantees their order whatever the upstream does. */
export interface StreamReader {
  push(frame: Frame): ConversationEvent[]
  /** The upstream closed its side (undefined) or broke (the error). Answers the closing events, `end` or `error` last, unless they went out already. */
  end(broke: GatewayError | undefined): ConversationEvent[]
  /** What of the answer so far no event could say; absent = this dialect's answers have a place for everything. */
  losses?(): readonly Loss[]
}

/** Turns events into frames of the client's dialect. */
export interface StreamWriter {
  /** Complete frames as bytes; empty while a dialect must wait (whole arguments, one open block at a time). */
  push(event: ConversationEvent): Uint8Array
  /**
   * What of the answer so far this dialect could not say: at the end the same as `writeResponse` tells of the whole answer. Only
   * two things depend on the way: a stream of Messages hands broken arguments on as they are, and one of Gemini cannot place
   * sources in words that are not ASCII.
   */
  losses(): readonly Loss[]
}

export interface ReadResponse extends ConversationResponse {
  /** What the answer held that no part could say; absent = nothing. */
  losses?: readonly Loss[]
}

/** The conversion half: one dialect to and from the canonical conversation. Direction verbs: read = wire to canonical. */
export interface ConversationCodec extends PassthroughCodec {
  /** Full and checked. Throws GatewayError 400 with `param` as the path in the caller's body. */
  readRequest(raw: string, path?: string): ConversationRequest
  /** True when this upstream would take the part as bytes, but does not open its address: it is fetched before `writeRequest`. */
  needsBytes(part: MediaPart, target: Target): boolean
  /** Throws GatewayError `unsupported_value` ("not this candidate") with the caller's field as `param`. */
  writeRequest(request: ConversationRequest, target: Target): WrittenRequest
  /** Throws GatewayError `upstream_error` when the body is no answer of this dialect. */
  readResponse(body: string, memo: Memo, codecContext: CodecContext): ReadResponse
  /** `asked` is the client's own request: echo fields, the model's name, what it wanted to see. */
  writeResponse(
    response: ConversationResponse,
    asked: ConversationRequest,
    codecContext: CodecContext,
  ): { body: string; losses: readonly Loss[] }
  reader(memo: Memo, codecContext: CodecContext): StreamReader
  writer(asked: ConversationRequest, codecContext: CodecContext): StreamWriter
}

/** Asking how many tokens a request would be. */
export interface CountCodec {
  readHead(raw: string, path?: string): Head
  editRequest(raw: string, edits: RequestEdits): string
  readRequest(raw: string, path?: string): ConversationRequest
  /** Throws GatewayError `unsupported_value`: not this candidate. */
  writeRequest(request: ConversationRequest, target: Target): WrittenRequest
  /** Tokens. Throws GatewayError `upstream_error` when the body is no such answer. */
  readResponse(body: string): number
  writeResponse(tokens: number): string
}

/** A conversation compacted by Parley itself: how a dialect asks for it, and what stands for it afterwards. */
export interface CompactionCodec {
  /** The conversation without the wish to compact it. */
  withoutWish(request: ConversationRequest): ConversationRequest
  /** The part that stands for everything before it; `sealed` is opaque to everybody but Parley. */
  part(sealed: string, codecContext: CodecContext): NativePart
  /** The answer of the endpoint that does nothing else: what the caller of `raw` said itself, then the part. */
  writeWhole(raw: string, part: NativePart, response: ConversationResponse, codecContext: CodecContext): string
}
