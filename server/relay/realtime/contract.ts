/** What the endpoints of sessions pass to the relay, and what they get back. */
import type { Caller } from '#accounts/caller'
import type { Capture } from '#bodies/capture'
import type { KeptCall } from '#canonical/operation/kept-call'
import type { GoogleService, RealtimeStyle } from '#canonical/operation/realtime'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Session } from './session.ts'

/** What is asked of a session. */
export interface RealtimeAsk {
  requestId: string
  caller: Caller
  model: string
  /** The words of its frames. */
  style: RealtimeStyle
  /** The session only transcribes what it hears. */
  variant?: 'transcription'
  /** An event that is sent before the client's first one. */
  setup?: string
  /** The one of Google's services in whose words the client is told what was used; absent: its API. */
  service?: GoogleService
  /** The frame with which the client began, where its protocol wants one. */
  begins?: string
  /** The call that it stands beside: what is said there is charged with the call. */
  beside?: Pick<KeptCall, 'channel' | 'key' | 'upstreamId'>
  /** It goes on with what was begun before: no limit of requests refuses it. */
  goesOn?: true
  /** Handles of sessions that can be gone on with: how the upstream's own are told to the client, and the one that the client has named. */
  handles?: Handles
  /** Throws GatewayError when the caller may not continue. */
  readmit(): void
  /** Headers of the client that are passed on. */
  headers: Record<string, string>
  /** All headers of the client; only those that name a trace are read. */
  client: Pick<Headers, 'get'>
  /** Notes what passes, where the session may be kept. */
  capture?: Capture | undefined
  /** Aborted when the client leaves before it is upgraded. */
  signal: AbortSignalLike
}

/** Where a session is kept that can be gone on with. */
export interface KeptSession {
  channel: string
  key: string | null
  handle: string
}

/** Handles of such sessions. */
export interface Handles {
  /** What the client is told in place of the upstream's own. */
  told(session: KeptSession): string
  from?: KeptSession
}

export interface Realtime {
  /** Resolves when the upstream has started the session. Rejects with GatewayError, after the usage row is written. */
  (ask: RealtimeAsk): Promise<Session>
  /** Throws GatewayError where nobody could hold a session of this model for this caller. */
  demand(caller: Caller, style: RealtimeStyle, model: string): void
  /** Ends each session as soon as it is idle. */
  drain(): void
  /** Ends all sessions; resolves when they are settled. */
  cut(): Promise<void>
}
