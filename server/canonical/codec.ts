/**
 * The interface of a codec for a generation dialect. This module knows no wire fields; it defines what the relay may ask of a
 * protocol. Passthrough: the same dialect on both sides, bytes unchanged except for a closed list of edits. Conversion: through the
 * canonical conversation.
 *
 * Codecs are synchronous, keep their state in their own closure, and throw only GatewayError.
 */
import type { Capabilities } from '#shared/capabilities'
import type { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import type { Frame } from '#shared/sse'
import type { ConversationRequest, ConversationResponse, MediaPart, Opaque } from './conversation.ts'
import type { StreamReader, StreamWriter } from './conversation-event.ts'
import type { Loss } from './loss.ts'
import type { NonTextContent } from './non-text-content.ts'
import type { Scale, TextListener, TokenEstimator } from './token-estimator.ts'
import type { UnpricedField } from './unpriced-field.ts'
import type { Usage } from './usage.ts'

export type { StreamReader, StreamWriter, TakeText, WriteText } from './conversation-event.ts'
export type { Frame }

/** A scanned request body: its text, and its values as JSON.parse reads them. Never modified. */
export interface ScannedBody {
  text: string
  value: Record<string, unknown>
  /** The sought string prefixes that the scan found (`hasBeginning`); absent = the text has to be searched. */
  begins?: ReadonlySet<string>
  /** A nested number is written as `1.0` is; absent = not known. */
  hasFloats?: boolean
}

/** Code that reads a body more than once scans it first (`#wire/json-scan`); to read it once, its text is enough. */
export type RequestBody = string | ScannedBody

/** The fields of a request that Parley itself reads, from one tolerant scan. */
export interface Head {
  model: string
  stream: boolean
  /** Requested number of answers; multiplies the hold. */
  n: number
  /** The client's own limit on output tokens. */
  maxOutput?: number
  /** Bytes of the request body; a quarter of them is the estimate of input tokens. */
  inputBytes: number
  /** True when the client requested usage in the stream. */
  usageAsked: boolean
  /** Kinds of media in the request that a channel or the playground may have to refuse: image, audio, file, other. */
  media: string[]
  /** True when the request sets a temperature or another sampling parameter. */
  samples?: boolean
  /** True when a hosted web search is requested. */
  searchAsked: boolean
  /** Fields of the body that are meant for the playground, unchecked. */
  group?: unknown
  team?: unknown
  /** `models` in the body: fallbacks for `model`, in order, after any failure. Absent = as configured. */
  models?: string[]
  /** Values that keep a conversation on its channel, best first. */
  affinity: string[]
  /** State stored elsewhere that the request refers to; absent = the dialect has none, or it was not searched for. */
  stateRefs?: StateRef[]
  /** The upstream is asked to store its answer, to which later requests refer by id. */
  keepsAnswer?: true
  /** Opaque state in the request as its maker sent it, in order; absent = the dialect has no account-bound state. */
  sealed?: Opaque[]
  /** The request asks for the compacted conversation. */
  compacts?: true
  /** Absent = text in, text out. */
  nonText?: NonTextContent
  /** Requested options with a price different from the model's; absent = none. */
  unpriced?: UnpricedField[]
}

/** A reference to something stored by one account or by Parley: it must belong to the caller. */
export interface StateRef {
  kind:
    | ('response' | 'interaction' | 'conversation' | 'item' | 'file' | 'audio' | 'prompt' | 'cached-content' | 'container')
    | ('vector-store' | 'skill' | 'message' | 'file-search-store' | 'data-store')
    | ('tunnel' | 'voice' | 'voice-consent' | 'user-profile' | 'workspace')
    | ('memory-store' | 'agent' | 'environment' | 'vault')
  id: string
  /** The answer is the same without it: a candidate of another dialect may be asked, with a loss. */
  aside?: true
  /** It is the address of a file at this host, which anybody may name to an upstream with another host. */
  host?: string
}

/** Everything Parley may change in a passed-through request. Absent = unchanged. */
export interface RequestEdits {
  /** The upstream's name of the model. */
  model?: string
  /** Request usage in the stream. */
  forceUsage?: boolean
  /** A system prompt that the channel prepends. */
  systemPrompt?: string
  /** Set or replace top-level fields (declared by the channel). */
  set?: Record<string, unknown>
  /** Remove top-level fields (declared by the channel, and Parley's own request fields). */
  remove?: readonly string[]
}

/** Everything Parley may change in a passed-through answer. */
export interface AnswerEdits {
  /** The client's model name, when the upstream's differs. */
  model?: string
  /** Drop the frame that only carries usage. */
  hideUsage?: boolean
  /** The response that the client continued, if the upstream was sent the conversation instead. */
  previousResponse?: string
  /** Report the answer itself as created, because the upstream stores it. */
  keepsAnswer?: boolean
}

/** What a frame of an upstream stream means for the relay. */
export interface FrameVerdict {
  /** Bytes for the client: `raw` itself, an edited copy, or undefined when the frame is dropped. */
  out: Uint8Array | undefined
  /** Content, a finish or an error: the first such frame commits the answer and ends failover. */
  meaningful: boolean
  /** The upstream reported an error inside the stream. */
  error?: GatewayError
  /** The protocol's terminator: the relay settles before forwarding it, and nothing follows. */
  last?: boolean
  /** State bound to its maker's account in this frame. */
  sealed?: Opaque[]
  /** State that the upstream stores from now on, by the ids in this frame. */
  created?: readonly StateRef[]
}

/** Observes one upstream answer as it passes: edits, usage, and how it ended. Never stores the answer's text. */
export interface Meter {
  push(frame: Frame): FrameVerdict
  /**
   * Takes the events from `from` on that differ from an earlier one only in their text: at least one, and up to `most` bytes of text.
   * Returns where they end, their bytes of text, and their output; without `out` they are forwarded unchanged. Undefined: it takes none of
   * these; absent: it never takes any. All of them are content. Each character of `text` is a byte.
   */
  pass?(text: string, from: number, most: number): { end: number; bytes: number; out?: Uint8Array } | undefined
  /**
   * Usage so far: `provider` when the upstream reported it, else `estimated` from what was delivered. Without a scale, four bytes per
   * token.
   */
  usage(inputBytes: number, scale?: Scale): Usage
  /**
   * After the last frame: `complete` when the protocol's terminator (or every choice's finish) was seen, `length` when a
   * choice ended at its limit, otherwise `cut`.
   */
  end(): 'complete' | 'length' | 'cut'
  /** The service tier that the answer reports outside of its usage. */
  tier?(): string | undefined
  /** What is missing for a well-formed end after a complete answer; usually nothing. */
  tail(): Uint8Array | undefined
  /** The in-stream error and terminator for dialects where they depend on the stream so far (ids, counters); else `writeStreamError`. */
  failure?(error: GatewayError): Uint8Array
}

/** A whole (not streamed) answer that was read and checked. */
export interface WholeAnswer {
  body: string
  /** Absent = JSON. */
  contentType?: string
  usage: Usage
  end: 'complete' | 'length'
  /** The service tier that it reports outside of its usage. */
  tier?: string
  /** State bound to its maker's account in the answer. */
  sealed?: Opaque[]
  /** State that the upstream stores, by the ids in the answer. */
  created?: readonly StateRef[]
  /** Losses of converting the answer to the client's dialect; absent = none. */
  losses?: readonly Loss[]
}

/** An error answer. */
export interface WrittenError {
  status: number
  headers: Record<string, string>
  body: string
}

/** The passthrough half of a codec. */
export interface PassthroughCodec {
  readonly dialect: Dialect
  /** Scans a body once. Throws GatewayError unless the text is an unambiguous JSON object. */
  scan(text: string): ScannedBody
  /** `path` is the path parameter that names the model, for dialects that have one. Throws when a part that Parley reads is invalid. */
  readHead(body: RequestBody, path?: string): Head
  /** The closed list of edits, spliced into the raw text; everything else stays byte for byte. */
  editRequest(raw: string, edits: RequestEdits): string
  /** A meter for one answer; `listener` gets every delivered text. */
  meter(edits: AnswerEdits, listener?: TextListener): Meter
  /**
   * Reads a whole answer. Throws GatewayError `upstream_error` when the body is not an answer of this dialect (HTML, an error object
   * with 200, ...). The estimator estimates usage that the upstream does not report; absent = four bytes per token.
   */
  readWhole(body: string, edits: AnswerEdits, inputBytes: number, estimator?: TokenEstimator): WholeAnswer
  /** A keepalive frame for a waiting client. */
  readonly keepalive: Uint8Array
  /** Converts an upstream's error answer to a GatewayError: blame, retry, and a message without account, address or key. */
  readError(status: number, headers: Headers, body: string): GatewayError
  /** The error answer; `requestId` for dialects whose envelope contains it. */
  writeError(error: GatewayError, requestId?: string): WrittenError
  /** The in-stream error and the dialect's terminator. */
  writeStreamError(error: GatewayError): Uint8Array
}

/** The only source of time and random ids for a codec. */
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

/** What writing a request must pass on to reading its answer: renamed tools, wrapped custom tools. Plain data. */
export interface Memo {
  /** Upstream name of a tool to the client's name, where they differ. */
  toolNames: Readonly<Record<string, string>>
  /** Client names of custom tools sent as functions with one string property `input`. */
  wrappedTools: readonly string[]
  /** Upstream name of a tool to its namespace at the client. */
  toolSpaces?: Readonly<Record<string, string>>
  /** Stop sequences that the upstream was not sent: its answer is cut before the first match (`stop-sequences.ts`). */
  stopHere?: readonly string[]
}

/** A request for an upstream. */
export interface WrittenRequest {
  body: Record<string, unknown>
  /** Headers that this dialect needs upstream (its version), lower case. */
  headers: Record<string, string>
  losses: readonly Loss[]
  memo: Memo
}

/** An answer as read from an upstream. */
export interface ReadResponse extends ConversationResponse {
  /** Content that no part could express; absent = none. */
  losses?: readonly Loss[]
}

/** The conversion half of a codec: one dialect to and from the canonical conversation (read = wire to canonical, write = back). */
export interface ConversationCodec extends PassthroughCodec {
  /** Full and checked. Throws GatewayError 400 with `param` as the path in the caller's body. */
  readRequest(body: RequestBody, path?: string): ConversationRequest
  /** True when this upstream would take the part as bytes, but does not open its address: it is fetched before `writeRequest`. */
  needsBytes(part: MediaPart, target: Target): boolean
  /** Writes the request. Throws GatewayError `unsupported_value` ("not this candidate") with the caller's field as `param`. */
  writeRequest(request: ConversationRequest, target: Target): WrittenRequest
  /** Throws GatewayError `upstream_error` when the body is not an answer of this dialect. */
  readResponse(body: string, memo: Memo, codecContext: CodecContext): ReadResponse
  /** Writes the answer. `asked` is the client's own request: echoed fields, the model's name, what it wants to see. */
  writeResponse(
    response: ConversationResponse,
    asked: ConversationRequest,
    codecContext: CodecContext,
  ): { body: string; losses: readonly Loss[] }
  reader(memo: Memo, codecContext: CodecContext): StreamReader
  writer(asked: ConversationRequest, codecContext: CodecContext): StreamWriter
}

/** Counting the tokens of a request. */
export interface CountCodec {
  scan(text: string): ScannedBody
  readHead(body: RequestBody, path?: string): Head
  editRequest(raw: string, edits: RequestEdits): string
  readRequest(body: RequestBody, path?: string): ConversationRequest
  /** Throws GatewayError `unsupported_value`: not this candidate. */
  writeRequest(request: ConversationRequest, target: Target): WrittenRequest
  /** Tokens. Throws GatewayError `upstream_error` when the body is not such an answer. */
  readResponse(body: string): number
  writeResponse(tokens: number): string
}
