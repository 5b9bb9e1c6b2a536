/**
 * A JSON body that is too much work for the thread that carries streams: a worker reads, edits and converts it. What crosses is bytes and
 * a few values, never what was parsed of it.
 */

import type { SampledRequest } from '#billing/tokens/tokenizer'
import type { Head, Memo, RequestEdits, Target } from '#canonical/codec'
import type { ConversationRequest, Opaque } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import type { FormFile, OperationHead, Variant } from '#canonical/operation/operation'
import type { RealtimeFrame } from '#canonical/operation/realtime'
import type { Channel } from '#routing/channel'
import type { OtherDialect } from '#shared/console/preview'
import type { GatewayError } from '#shared/errors'
import type { Dialect, Operation, Wire } from '#shared/ids'
import type { FetchedMedia } from '#upstream/media'
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
  /** What its tokens are estimated from. */
  sample: SampledRequest
  /** With edits, for an upstream of its own dialect; `isOwn`: without what Parley put in front of it. Rejects with GatewayError. */
  edited(edits: RequestEdits, refuses: readonly string[], isOwn?: boolean): Promise<LargeEdited>
  /** State in it, in order, as its maker or Parley sealed it. Rejects with GatewayError for what cannot be read. */
  states(): Promise<readonly Opaque[]>
  /** Ids of calls without any state, once sealed state is opened. Rejects likewise. */
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
  /** What is kept of it with this answer: undefined for an answer without an id. */
  recorded(answer: string, stream: boolean): Promise<LargeRecorded | undefined>
  /** All of it, as text for this thread: after a wait, for a caller who asks for it often. Rejects with `request_too_large`. */
  text(): Promise<string>
  /** Nothing will ask for it again. */
  release(): void
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

/** A body for an upstream of its own dialect. */
export interface LargeEdited {
  bytes: Uint8Array<ArrayBuffer>
  /** Which of the fields that this upstream refuses it had. */
  refused: string[]
}

/** What a conversion is made for. Plain data. */
export interface LargeConversion {
  opened: OpenedStates
  /** What is remembered of calls, by their ids. */
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
  /** A loss of meaning is a refusal. */
  strict: boolean
  /** What the body lost before; absent: nothing. */
  lost?: readonly Loss[]
  /** Files that were fetched by their addresses, or what was wrong with them. */
  files: ReadonlyMap<string, FetchedMedia | GatewayError>
}

/** A conversion that was made. */
export interface LargeConverted {
  bytes: Uint8Array<ArrayBuffer>
  headers: Record<string, string>
  losses: readonly Loss[]
  memo: Memo
  outline: ConversationRequest
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
  frame(frame: string, caller: string): Promise<RealtimeFrame>
  /** A stored exchange as its client sees it, in UTF-8. Takes the bytes. Rejects likewise. */
  shown(stored: StoredBytes, view: StoredView, caller: string): Promise<Uint8Array<ArrayBuffer>>
}

/** Tells how long uploaded sound lasts. */
export interface AudioLengths {
  /** Seconds, or undefined when the file does not tell, cannot be read, or takes too long. Never rejects. */
  of(file: Pick<FormFile, 'size' | 'open'>, caller: string): Promise<number | undefined>
}
