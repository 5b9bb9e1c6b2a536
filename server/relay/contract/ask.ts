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
  /** It names a response or an item that Parley does not have: the error if no channel may be asked for it. */
  unresolved?: GatewayError
  /** Called once, when the body is no longer needed. */
  release?(): void
}

/** A repeated request: its row names the original, there are no fallback models, and only this channel is asked. */
export interface Replayed {
  /** The id of the original request. */
  of: string
  /** The name of the channel; absent: any. */
  channel?: string
}

/** Long-running work that an upstream has started. */
export interface BegunWork {
  /** The upstream's answer. */
  body: string
  candidate: Candidate
  head: Head
  /** The row of the request as if the whole hold were charged. */
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
  /** The declared length of the body; if there is none, the assumed one until more arrives. */
  bytes: number
  /** Whether its files are spooled to disk instead of memory. */
  isSpooled?: boolean
  /** Reads the body; called at most once. Rejects with GatewayError (too large, not UTF-8). */
  body(room?: Pick<BodyRoom, 'grow'>): Promise<Body>
  /** Further checks of this endpoint, after the head is read. Throws GatewayError. */
  check?(head: Head): void
  /** The client's headers. Only those that its dialect forwards, and those with a session id, are read. */
  headers: Pick<Headers, 'get'>
  /** Called with the complete answer before its last bytes are sent: the body, or the last frames of a stream. */
  answered?(text: string, stream: boolean, restored?: RestorePictures): Promise<void>
  /** Called with a whole answer, as text or in pieces, before it is charged; if it rejects, the request fails and nothing is charged. */
  kept?(body: string | readonly Uint8Array[]): Promise<void>
  /**
   * Called instead of settlement with an answer that starts long-running work, with money held: stores what is needed to settle it later,
   * and resolves to the client's answer. If it rejects, the request fails and nothing is charged.
   */
  begins?(begun: BegunWork): Promise<string>
  /** The only account that may be asked; absent: any. */
  pinned?: { channel: string; key: string | null } | undefined
  /** The batch that it belongs to; absent: none. */
  batch?: string
  /** Called once when money is held, before an upstream is asked. `left`: the caller's remaining rate limits. Must not throw. */
  begun?(left: Allowances): void
  /** Top-level fields that only Parley reads and that are not sent upstream. */
  ownFields?: readonly string[]
  /** Whether a conversion that would lose meaning is refused. */
  strict: boolean
  /** Records the bodies, if the request may be stored. */
  capture?: Capture | undefined
  /** The stored request that Parley repeats. */
  replay?: Replayed | undefined
  /** Aborted when the client disconnects. */
  signal: AbortSignalLike
}

export interface Reply {
  status: number
  contentType: string
  /** Whole as text or as bytes in order, or a stream. */
  body: string | readonly Uint8Array[] | Source
  /** Losses of a conversion that are known when the head is sent. */
  losses: readonly Loss[]
  /** The caller's remaining rate limits. */
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
  /** Absent: no traces are collected. */
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
  /** The limits for large bodies. Absent: this relay has its own. */
  rooms?: BodyRooms
  /** Reads large answers. Absent: they are read on this thread. */
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
