/** The interface between the endpoints of sessions and the relay. */
import type { Caller } from '#accounts/caller'
import type { Capture } from '#bodies/capture'
import type { KeptCall } from '#canonical/operation/kept-call'
import type { GoogleService, RealtimeStyle } from '#canonical/operation/realtime'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Session } from './session.ts'

/** A request for a session. */
export interface RealtimeAsk {
  requestId: string
  caller: Caller
  model: string
  /** The protocol of its frames. */
  style: RealtimeStyle
  /** The session only transcribes. */
  variant?: 'transcription'
  /** An event that is sent before the client's first one. */
  setup?: string
  /** The Google service in whose format the client gets its usage; absent: the Gemini API. */
  service?: GoogleService
  /** The client's first frame, if its protocol requires one. */
  begins?: string
  /** The call that it belongs to: its usage is charged with the call. */
  beside?: Pick<KeptCall, 'channel' | 'key' | 'upstreamId'>
  /** It resumes an earlier session: no request limit refuses it. */
  goesOn?: true
  /** Handles of resumable sessions: how the upstream's own are presented to the client, and the one that the client has sent. */
  handles?: Handles
  /** Throws GatewayError when the caller may not continue. */
  readmit(): void
  /** Headers of the client that are forwarded. */
  headers: Record<string, string>
  /** All headers of the client; only the trace headers are read. */
  client: Pick<Headers, 'get'>
  /** Records the frames, if the session may be stored. */
  capture?: Capture | undefined
  /** Aborted when the client disconnects before it is upgraded. */
  signal: AbortSignalLike
}

/** The account that has a resumable session. */
export interface KeptSession {
  channel: string
  key: string | null
  handle: string
}

export interface Handles {
  /** The handle that the client gets instead of the upstream's own. */
  clientHandle(session: KeptSession): string
  from?: KeptSession
}

export interface Realtime {
  /** Resolves when the upstream has started the session. Rejects with GatewayError, after the usage row is written. */
  (ask: RealtimeAsk): Promise<Session>
  /** Throws GatewayError if no channel could serve a session of this model for this caller. */
  demand(caller: Caller, style: RealtimeStyle, model: string): void
  /** Ends each session as soon as it is idle. */
  drain(): void
  /** Ends all sessions; resolves when they are settled. */
  cut(): Promise<void>
}
