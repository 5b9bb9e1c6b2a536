/**
 * A JSON body that is too much work for the thread that carries streams: a worker reads, edits and converts it. Only bytes and a few values
 * cross between the threads, never the parsed body.
 */

import type { SampledRequest } from '#billing/tokens/tokenizer'
import type { AnswerEdits, Head, Memo, RequestEdits, Target, WholeAnswer } from '#canonical/codec'
import type { ConversationRequest, Opaque } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import type { FormFile, InlineFile, OperationHead, Variant, WantedFile, WrittenOperation } from '#canonical/operation/operation'
import type { RealtimeFrame, RealtimeStyle } from '#canonical/operation/realtime'
import type { WordingName } from '#canonical/wording'
import type { Channel } from '#routing/channel'
import type { SocketFrame } from '#runtime/contract/sockets'
import type { OtherDialect } from '#shared/console/inspection/preview'
import type { GatewayError } from '#shared/errors'
import type { Dialect, Operation, SideOperation, Style, Wire } from '#shared/ids'
import type { ShortMedia } from '#upstream/media'
import type { BodyQuirk } from '#vendors/vendor'
import type { Recorded, Rewritten, StoredView, Storing } from './stored.ts'

/**
 * Bodies up to this size are read on the thread that carries streams: at most about ten milliseconds of work. The unit of `weight` is that
 * of `#wire/json-weight`.
 */
export const light = { bytes: 1024 * 1024, weight: 4096 }

/** How to read a body. */
export interface LargeAsk {
  operation: Operation
  dialect: Wire
  path?: string
  variant?: Variant
  /** The model that the endpoint puts into the body: always (`engine`), or where it names none (`default`). */
  model?: { rule: 'engine' | 'default'; name: string }
  /** The body is in a vendor-specific wording, and is converted to `dialect` before anything else is read from it. */
  wording?: WordingName
  /** `group` is Parley's own field: it is read into the head and then removed. */
  hasGroup?: true
}

/** A body as received, with its weight by `#wire/json-weight`. */
export interface WeighedPieces {
  pieces: readonly Uint8Array<ArrayBuffer>[]
  bytes: number
  weight: number
}

/** A body held by the worker. */
export interface LargeBody {
  /** An `OperationHead` where the operation is not a conversation. */
  head: Head | OperationHead
  /** It may contain state that Parley sealed. */
  hasEnvelopes: boolean
  /** Not every upstream accepts its spelling (see `odd-spelling.ts`). */
  isOddlySpelled: boolean
  /** Losses of its conversion from a vendor-specific wording; absent: there was none. */
  reworded?: readonly Loss[]
  /** A sample from which its tokens are estimated. */
  sample: SampledRequest
  /**
   * With edits, for an upstream of its own dialect; `isOwn`: without the earlier conversation that Parley inserted. Rejects with
   * GatewayError.
   */
  edited(edits: RequestEdits, refuses: readonly string[], finish: Finish, isOwn?: boolean): Promise<LargeEdited>
  /** The opaque state in it, in order, as sealed by its maker or by Parley. Rejects with GatewayError when the body cannot be read. */
  states(): Promise<readonly Opaque[]>
  /** The lookup names of tool calls without state, once sealed state is opened. Rejects likewise. */
  bareCalls(opened: OpenedStates): Promise<readonly string[]>
  /** Written for an upstream of another dialect, or the URLs of files that must be fetched first. Rejects with GatewayError. */
  converted(wanted: LargeConversion): Promise<LargeConverted | { wants: readonly string[] }>
  /** The request without its turns, for writing the answer. Rejects with GatewayError when the body cannot be read. */
  outline(): Promise<ConversationRequest>
  /** What it says about storing (Responses). */
  storing: Storing
  /** The same as `hasEnvelopes`, for the body as the client sent it. */
  ownHasEnvelopes: boolean
  /**
   * The same body with the earlier conversation inserted; transfers the bytes. Called at most once, before anything but `storing` is used.
   */
  continued(found: FoundBytes): Promise<LargeContinued>
  /** The same body with kept files, by id, inserted; transfers the bytes. Called at most once, before anything else is used. */
  filled(files: ReadonlyMap<string, KeptBytes>): Promise<LargeBody>
  /**
   * The same body converted to one of Parley's dialects; transfers the bytes. Called at most once, before anything else is used. Rejects
   * with GatewayError.
   */
  inDialect(asked: LargeAsk & Required<Pick<LargeAsk, 'wording'>>): Promise<LargeBody>
  /** What is stored of it with this answer: undefined for an answer without an id. `conversation`: the one that it is added to. */
  recorded(answer: string, stream: boolean, conversation?: string): Promise<LargeRecorded | undefined>
  /** The answer of a compaction endpoint, with the caller's messages in front. Rejects with GatewayError. */
  compacted(answer: string): Promise<Uint8Array<ArrayBuffer>>
  /** Whole answers to it are read by the worker, even those of its own style. */
  readsAnswers: boolean
  /** The question of an operation written for another style, or the files that are needed first. Rejects with GatewayError. */
  questioned(wanted: LargeQuestion): Promise<LargeQuestioned | { wants: readonly WantedFile[] }>
  /** A whole answer to that question for its client; `bodies`: one for each request. Rejects with GatewayError. */
  answered(bodies: readonly string[], wanted: LargeAnswering): Promise<WholeBytes>
  /** Called when it is no longer needed. */
  release(): void
}

/** A file stored by Parley. */
export interface KeptBytes {
  name: string
  /** MIME type. */
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

/** A stored exchange as JSON in UTF-8. */
export interface StoredBytes {
  id: string
  pieces: Uint8Array<ArrayBuffer>[]
}

/** As `Found`, unparsed. */
export interface FoundBytes {
  before?: readonly StoredBytes[]
  referenced: readonly StoredBytes[]
}

/** A body with the earlier conversation inserted. */
export interface LargeContinued extends Pick<Rewritten, 'losses' | 'responses' | 'unresolved'> {
  body: LargeBody
}

/** An exchange as it is stored, as bytes. */
export interface LargeRecorded extends Omit<Recorded, 'json'> {
  bytes: Uint8Array<ArrayBuffer>
}

/** Opened state by its sealed value, where the two differ; null: it cannot be opened and is left out. */
export type OpenedStates = ReadonlyMap<string, Opaque | null>

/** The vendor's last changes to a body. */
export interface Finish {
  quirk?: BodyQuirk
  /** The value of the quirk's header, if the request has one. */
  listed?: string
  /** Its digest is needed for signing. */
  digest?: true
}

/** A body as it is sent. */
export interface FinishedBytes {
  bytes: Uint8Array<ArrayBuffer>
  /** SHA-256 in hexadecimal, if it was requested. */
  sha256?: string
}

/** A body for an upstream of its own dialect. */
export interface LargeEdited extends FinishedBytes {
  /** The fields it had that this upstream rejects. */
  refused: string[]
}

/** Parameters of a conversion. Plain data. */
export interface LargeConversion {
  opened: OpenedStates
  /** Remembered state of tool calls, by the names of `bareCalls`. */
  recalled: ReadonlyMap<string, unknown>
  makers: ReadonlyMap<string, string>
  dialect: Dialect
  channel: {
    id: string
    systemPrompt: string | null
    params: Channel['params']
    refuses: readonly string[]
  }
  target: Target
  /** The model as callers know it. */
  model: string
  finish: Finish
  /** The upstream is addressed through Amazon's Converse API. */
  converses: boolean
  /** A summary is requested instead. */
  compacts: boolean
  /** Strict mode: a loss of meaning is refused. */
  strict: boolean
  /** Earlier losses; absent: none. */
  lost?: readonly Loss[]
  /** Files by URL, or why they could not be fetched. */
  files: ReadonlyMap<string, ShortMedia | GatewayError>
}

/** The result of a conversion. */
export interface LargeConverted extends FinishedBytes {
  headers: Record<string, string>
  losses: readonly Loss[]
  memo: Memo
  outline: ConversationRequest
  /** The digest of the question, under which tool calls of the answer are remembered; undefined: it has no tools. */
  question: string | undefined
  /** The request for a summary without its turns, if one was asked for. */
  summary?: ConversationRequest
}

/** Parameters of writing an operation. Plain data. */
export interface LargeQuestion {
  style: Style
  target: Target
  params: Channel['params']
  digest: boolean
  /** The files that it asked for, in order; absent: not fetched yet. */
  files?: readonly InlineFile[]
}

/** Requests for an upstream of another style, in order. */
export interface LargeQuestioned {
  requests: [LargeOperation, ...LargeOperation[]]
  losses: readonly Loss[]
  /** The part of the question that is needed to write a streamed answer; absent: its client cannot get a stream. */
  outline?: unknown
}

/** One of them. */
export type LargeOperation = FinishedBytes & Omit<WrittenOperation, 'body'>

/** How to read an answer. */
export interface LargeAnswering {
  /** The upstream's style; absent: the client's own. */
  style?: Style
  edits: AnswerEdits
  priced: OperationHead['priced']
  /** Milliseconds since the epoch. */
  now: number
}

/** What is needed to read a whole answer of an operation. Plain data. */
export interface LargeAnswer {
  operation: SideOperation
  /** The endpoint's style. */
  endpoint: Style
  edits: AnswerEdits
  head: OperationHead
  /** Where the upstream has another style: this, the question, and milliseconds since the epoch. */
  converted?: { style: Style; question: unknown; now: number }
}

/** A whole answer whose body is bytes. */
export interface WholeBytes extends WholeAnswer {
  body: ''
  bytes: Uint8Array<ArrayBuffer>
}

/** Passes bodies to the worker. */
export interface LargeBodies {
  /**
   * Transfers the pieces, which are unusable afterwards. Callers (by any id) take turns. Rejects with GatewayError when the parts that
   * Parley reads are invalid, and `overloaded` when the worker has stopped.
   */
  open(body: WeighedPieces, asked: LargeAsk, caller: string): Promise<LargeBody>
  /** A Chat request as a client of another dialect would send it, as JSON text in bytes: the playground's preview. Rejects likewise. */
  preview(body: Pick<WeighedPieces, 'pieces'>, dialect: OtherDialect, caller: string): Promise<Uint8Array<ArrayBuffer>>
  /** The facts read from a frame of a realtime session. Rejects with GatewayError where it must not be forwarded, and `overloaded`. */
  frame(frame: SocketFrame, caller: string, style: RealtimeStyle): Promise<RealtimeFrame>
  /** A large answer for its client; `answers`: one for each request, in pieces. Rejects as reading it here would, and `overloaded`. */
  answer(answers: readonly (readonly Uint8Array[])[], wanted: LargeAnswer, caller: string): Promise<WholeBytes>
  /** A stored exchange as its client sees it, in UTF-8. Takes the bytes. Rejects likewise. */
  shown(stored: StoredBytes, view: StoredView, caller: string): Promise<Uint8Array<ArrayBuffer>>
}

/** Measures the duration of uploaded audio. */
export interface AudioLengths {
  /** Seconds, or undefined when the file does not say, cannot be read, or takes too long. Never rejects. */
  of(file: Pick<FormFile, 'size' | 'open'>, caller: string): Promise<number | undefined>
}
