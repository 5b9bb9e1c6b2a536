/** What an endpoint passes to the relay, what it gets back, and the components that the relay uses. */

import type { Caller } from '#accounts/caller'
import type { Books, NewLog } from '#billing/ledger/books'
import type { PriceBook } from '#billing/pricing/price'
import type { Limiter } from '#billing/ratelimit/limits'
import type { Capture } from '#bodies/capture'
import type { Allowances } from '#canonical/allowance'
import type { Head, ScannedBody, StateRef } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Incoming, Variant } from '#canonical/operation/operation'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Affinity } from '#routing/affinity'
import type { Balancing } from '#routing/balancing'
import type { Channels } from '#routing/channel'
import type { FallbackBook } from '#routing/fallbacks'
import type { Health } from '#routing/health-contract'
import type { Candidate } from '#routing/order'
import type { RetryPolicy } from '#routing/retry'
import type { Clock, Random } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { Source } from '#runtime/outgoing-body'
import type { GatewayError } from '#shared/errors'
import type { Operation, Wire } from '#shared/ids'
import type { FetchMedia } from '#upstream/media'
import type { Signer } from '#upstream/sign'
import type { Upstream } from '#upstream/upstream'
import type { BodyRoom, BodyRooms } from './body-rooms.ts'
import type { LargeBodies, LargeBody } from './large-body.ts'
import type { BeginTrace } from './tracing.ts'

/** Puts the pictures back into JSON made from an answer's text, which only has placeholders for them. */
export type RestorePictures = (json: Uint8Array) => Promise<Uint8Array>

/** The body of a request. */
export interface Body {
  /** Always text for a conversation. */
  content: Incoming
  /** The scan result, if the content was already scanned. */
  scanned?: ScannedBody
  /** Whether its bytes contain the marker of kept files; absent = not searched yet. */
  hasFileMark?: boolean | undefined
  /** The content is in the worker for large bodies, and `content` is empty. */
  large?: LargeBody
  /** References to upstream state that Parley recorded for this caller; absent = none. */
  known?: readonly StateRef[]
  /** For a rewritten body: what the client sent, and the losses so far, such as those of inserting the earlier conversation. */
  continued?: { content: string; losses: readonly Loss[]; previous?: string }
  /** It goes unchanged to upstreams that store interactions themselves; what to do with one that runs in the background. */
  native?: Required<Pick<Ask, 'begins'>>
  /** The only account that has the object in question; absent: any that fits the request. */
  pinned?: Ask['pinned']
  /** It names a response or an item that Parley does not have: what to tell the caller where no channel may be asked for it. */
  unresolved?: GatewayError
  /** Called once, when the body is no longer needed. */
  release?(): void
}

/** What is repeated, and where: the row names the request, no other model stands in, and only this channel is asked. */
export interface Replayed {
  /** The id of the original request. */
  of: string
  /** The name of the channel; absent: any. */
  channel?: string
}

/** Long work that an upstream has begun. */
export interface BegunWork {
  /** The upstream's answer. */
  body: string
  candidate: Candidate
  head: Head
  /** The row of the request, as it would be if all that is held were charged. */
  row: NewLog
  /** Nano-dollars that are held under the id of the request. */
  held: bigint
}

export interface Ask {
  requestId: string
  caller: Caller
  operation: Operation
  /** The format of the request: a dialect for conversations, a style for every other operation. */
  dialect: Wire
  /** Which endpoint of the operation was called. */
  variant?: Variant
  /** The path parameter that names the model, for dialects that have one. */
  path?: string
  /** How many bytes the body has, as declared; otherwise what it is taken for until more arrives. */
  bytes: number
  /** Whether its files wait on the disk, not in memory. */
  isSpooled?: boolean
  /** Reads the body; called once at most. Rejects with GatewayError (too large, not UTF-8). */
  body(room?: Pick<BodyRoom, 'grow'>): Promise<Body>
  /** Further checks of this endpoint, after the head is read. Throws GatewayError. */
  check?(head: Head): void
  /** The client's headers. Only those that its dialect passes on, and those that name a session, are read. */
  headers: Pick<Headers, 'get'>
  /** Called with the complete answer before its last bytes are sent: the body, or the last frames of a stream. */
  answered?(text: string, stream: boolean, restored?: RestorePictures): Promise<void>
  /** Called with a whole answer, as text or in pieces, before it is charged; where it rejects, the request fails and nothing is charged. */
  kept?(body: string | readonly Uint8Array[]): Promise<void>
  /**
   * Called with an answer that begins long work, in the place of its settlement, with money held: keeps what it takes to settle it later,
   * and resolves to what the client is told. Where it rejects, the request fails and nothing is charged.
   */
  begins?(begun: BegunWork): Promise<string>
  /** The account that alone may be asked; absent: any. */
  pinned?: { channel: string; key: string | null } | undefined
  /** The batch that it belongs to; absent: none. */
  batch?: string
  /** Called once when money is held, before an upstream is asked. `left`: what is left of the caller's rate limits. Must not throw. */
  begun?(left: Allowances): void
  /** Top-level fields that only Parley reads and that are not sent upstream. */
  ownFields?: readonly string[]
  /** Whether a conversion that would lose meaning is refused. */
  strict: boolean
  /** Notes what passes, where the request may be kept. */
  capture?: Capture | undefined
  /** A kept request that Parley asks again. */
  replay?: Replayed | undefined
  /** Aborted when the client leaves. */
  signal: AbortSignalLike
}

export interface Reply {
  status: number
  contentType: string
  /** Whole as text or as bytes in order, or a stream. */
  body: string | readonly Uint8Array[] | Source
  /** What a conversion could not carry over, as far as it is known when the head is sent. */
  losses: readonly Loss[]
  /** What is left of the caller's rate limits. */
  left: Allowances
  /** Sent while a streamed body is silent. */
  heartbeat?: Uint8Array
}

/** Requests and sessions that are not settled yet. */
export interface OpenWork {
  count: number
  /** Of these, answers that are streamed, and realtime sessions. */
  streams: number
}

export interface RelayParts {
  /** Absent: nobody collects traces. */
  beginTrace?: BeginTrace | undefined
  open: OpenWork
  channels: Channels
  /** The fallback models of a model. */
  fallbacks: FallbackBook
  /** Keeps conversations on their channel. */
  /** Absent: channels are drawn by weight. */
  balancing?: Balancing
  affinity: Affinity
  prices: PriceBook
  books: Books
  limiter: Limiter
  health: Health
  /** The network. */
  upstream: Upstream
  /** Fetches media by URL, for upstreams that accept only bytes. */
  fetchMedia: FetchMedia
  /** Signs requests, for vendors that need more than a header. */
  signer: Signer
  /** The scripted model behind the same interface. */
  demo: Upstream
  /** The room for large bodies. Absent: these relays have one of their own. */
  rooms?: BodyRooms
  /** Reads large answers. Absent: they are read here. */
  readLarge?: LargeBodies['answer']
  /** Opaque state that must survive a conversion. */
  reasoningState: ReasoningState
  clock: Clock
  random: Random
  log: Log
  retry: RetryPolicy
  version: string
  /** Milliseconds a streaming client waits before the head is committed, and between heartbeats. */
  heartbeatMs: number
}
