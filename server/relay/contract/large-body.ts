/**
 * A JSON body that is too much work for the thread that carries streams: a worker reads, edits and converts it. What crosses is bytes and
 * a few values, never what was parsed of it.
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

/** What is read on the thread that carries streams: about ten milliseconds of work at most. In the unit of `#wire/json-weight`. */
export const light = { bytes: 1024 * 1024, weight: 4096 }

/** What a body is read as. */
export interface LargeAsk {
  operation: Operation
  dialect: Wire
  path?: string
  variant?: Variant
  /** The model that the endpoint puts into the body: always (`engine`), or where it names none (`default`). */
  model?: { rule: 'engine' | 'default'; name: string }
  /** The body is in words of its client's own, and becomes one of `dialect` before anything else is read of it. */
  wording?: WordingName
  /** `group` is Parley's own field: the head has it, and nothing else sees it. */
  hasGroup?: true
}

/** A body as it came, weighed by `#wire/json-weight`. */
export interface WeighedPieces {
  pieces: readonly Uint8Array<ArrayBuffer>[]
  bytes: number
  weight: number
}

/** A body in the worker's hands. */
export interface LargeBody {
  /** An `OperationHead` where the operation is not a conversation. */
  head: Head | OperationHead
  /** It may hold state that Parley sealed. */
  hasEnvelopes: boolean
  /** It spells something that some upstreams spell otherwise. */
  isOddlySpelled: boolean
  /** What was lost when it was said in another dialect; absent: it was not. */
  reworded?: readonly Loss[]
  /** What its tokens are estimated from. */
  sample: SampledRequest
  /** With edits, for an upstream of its own dialect; `isOwn`: without what Parley put in front of it. Rejects with GatewayError. */
  edited(edits: RequestEdits, refuses: readonly string[], finish: Finish, isOwn?: boolean): Promise<LargeEdited>
  /** State in it, in order, as its maker or Parley sealed it. Rejects with GatewayError for what cannot be read. */
  states(): Promise<readonly Opaque[]>
  /** What calls without any state are remembered by, once sealed state is opened. Rejects likewise. */
  bareCalls(opened: OpenedStates): Promise<readonly string[]>
  /** Written for an upstream of another dialect, or the addresses of files that are wanted first. Rejects with GatewayError. */
  converted(wanted: LargeConversion): Promise<LargeConverted | { wants: readonly string[] }>
  /** The request without what was said, to write its answer by. Rejects with GatewayError for what cannot be read. */
  outline(): Promise<ConversationRequest>
  /** What it says about storing (Responses). */
  storing: Storing
  /** As the client sent it, it may hold state that Parley sealed. */
  ownHasEnvelopes: boolean
  /** The same body with what came before it in its place; takes the bytes. Called once at most, before anything but `storing` is used. */
  continued(found: FoundBytes): Promise<LargeContinued>
  /** The same body with kept files, by their ids, in their places; takes the bytes. Called once at most, before anything else is used. */
  filled(files: ReadonlyMap<string, KeptBytes>): Promise<LargeBody>
  /** The same body said in a dialect of Parley; takes the bytes. Called once at most, before anything else is used. Rejects with GatewayError. */
  inDialect(asked: LargeAsk & Required<Pick<LargeAsk, 'wording'>>): Promise<LargeBody>
  /** What is kept of it with this answer: undefined for an answer without an id. `conversation`: the one that it is added to. */
  recorded(answer: string, stream: boolean, conversation?: string): Promise<LargeRecorded | undefined>
  /** The answer of an endpoint that does nothing but compact, with what the caller said before it. Rejects with GatewayError. */
  compacted(answer: string): Promise<Uint8Array<ArrayBuffer>>
  /** Whole answers to it are read where it is, also those of its own style. */
  readsAnswers: boolean
  /** As the question of an operation, written for another style, or the files that are wanted first. Rejects with GatewayError. */
  questioned(wanted: LargeQuestion): Promise<LargeQuestioned | { wants: readonly WantedFile[] }>
  /** A whole answer to that question for its client; `bodies`: one for each request. Rejects with GatewayError. */
  answered(bodies: readonly string[], wanted: LargeAnswering): Promise<WholeBytes>
  /** Nothing will ask for it again. */
  release(): void
}

/** A file that Parley keeps. */
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

/** As `Found`, unread. */
export interface FoundBytes {
  before?: readonly StoredBytes[]
  referenced: readonly StoredBytes[]
}

/** A body with what came before it in its place. */
export interface LargeContinued extends Pick<Rewritten, 'losses' | 'responses' | 'unresolved'> {
  body: LargeBody
}

/** An exchange as it is kept, as bytes. */
export interface LargeRecorded extends Omit<Recorded, 'json'> {
  bytes: Uint8Array<ArrayBuffer>
}

/** State by its value, where opening changed it; null: it does not open and is left out. */
export type OpenedStates = ReadonlyMap<string, Opaque | null>

/** What a vendor does to a body that is otherwise ready. */
export interface Finish {
  quirk?: BodyQuirk
  /** The value of the quirk's header, where the request has it already. */
  listed?: string
  /** It is signed: its digest is wanted. */
  digest?: true
}

/** A body as it is sent. */
export interface FinishedBytes {
  bytes: Uint8Array<ArrayBuffer>
  /** SHA-256, in hexadecimal digits, where it was wanted. */
  sha256?: string
}

/** A body for an upstream of its own dialect. */
export interface LargeEdited extends FinishedBytes {
  /** Which of the fields that this upstream refuses it had. */
  refused: string[]
}

/** What a conversion is made for. Plain data. */
export interface LargeConversion {
  opened: OpenedStates
  /** What is remembered of calls, by the names of `bareCalls`. */
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
  /** The upstream is asked in Amazon's words. */
  converses: boolean
  /** A summary is asked for in its place. */
  compacts: boolean
  /** A loss of meaning is a refusal. */
  strict: boolean
  /** What the body lost before; absent: nothing. */
  lost?: readonly Loss[]
  /** Files that were fetched by their addresses, or what was wrong with them. */
  files: ReadonlyMap<string, ShortMedia | GatewayError>
}

/** A conversion that was made. */
export interface LargeConverted extends FinishedBytes {
  headers: Record<string, string>
  losses: readonly Loss[]
  memo: Memo
  outline: ConversationRequest
  /** The digest of what was asked, by which calls of the answer are remembered; undefined: there are none. */
  question: string | undefined
  /** Where a summary is asked for: the request for it, without what was said. */
  summary?: ConversationRequest
}

/** What an operation is written for. Plain data. */
export interface LargeQuestion {
  style: Style
  target: Target
  params: Channel['params']
  digest: boolean
  /** Of those that it wanted, in their order; absent: not fetched yet. */
  files?: readonly InlineFile[]
}

/** Requests for an upstream of another style, in order. */
export interface LargeQuestioned {
  requests: [LargeOperation, ...LargeOperation[]]
  losses: readonly Loss[]
  /** What of the question a stream of the answer is written by; absent: its client cannot have one. */
  outline?: unknown
}

/** One of them. */
export type LargeOperation = FinishedBytes & Omit<WrittenOperation, 'body'>

/** How an answer is read. */
export interface LargeAnswering {
  /** Of the upstream; absent: the client's own. */
  style?: Style
  edits: AnswerEdits
  priced: OperationHead['priced']
  /** Milliseconds since the epoch. */
  now: number
}

/** What a whole answer of an operation is read by. Plain data. */
export interface LargeAnswer {
  operation: SideOperation
  /** Of the endpoint. */
  door: Style
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

/** Hands bodies to the worker. */
export interface LargeBodies {
  /**
   * Takes the pieces, which are gone afterwards. Bodies of callers (by any id) take turns. Rejects with GatewayError for what Parley
   * itself reads of it, and `overloaded` when the worker is gone.
   */
  open(body: WeighedPieces, asked: LargeAsk, caller: string): Promise<LargeBody>
  /** A Chat request as a client of another dialect would send it, as JSON text in bytes: the playground's preview. Rejects likewise. */
  preview(body: Pick<WeighedPieces, 'pieces'>, dialect: OtherDialect, caller: string): Promise<Uint8Array<ArrayBuffer>>
  /** What is read of a frame of a realtime session. Rejects with GatewayError where it must not be forwarded, and `overloaded`. */
  frame(frame: SocketFrame, caller: string, style: RealtimeStyle): Promise<RealtimeFrame>
  /** A large answer for its client; `answers`: one for each request, in pieces. Rejects as reading it here would, and `overloaded`. */
  answer(answers: readonly (readonly Uint8Array[])[], wanted: LargeAnswer, caller: string): Promise<WholeBytes>
  /** A stored exchange as its client sees it, in UTF-8. Takes the bytes. Rejects likewise. */
  shown(stored: StoredBytes, view: StoredView, caller: string): Promise<Uint8Array<ArrayBuffer>>
}

/** Tells how long uploaded sound lasts. */
export interface AudioLengths {
  /** Seconds, or undefined when the file does not tell, cannot be read, or takes too long. Never rejects. */
  of(file: Pick<FormFile, 'size' | 'open'>, caller: string): Promise<number | undefined>
}
