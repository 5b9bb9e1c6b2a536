/**
 * The interface of a realtime codec. Frames pass unchanged between two sides with the same protocol, so it only observes them;
 * nothing is converted.
 */

import type { CodecContext } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'

/** The facts read from a client's frame, without its content. Plain data. */
export interface RealtimeFrame {
  type: string
  /** The client's id of the event. */
  eventId?: unknown
  /** Approximate tokens of text, and base64 characters of audio. */
  size: { text: number; sound: number }
  /** Models that it names. */
  models: string[]
  /** The model that it names for transcription. */
  transcriber?: string
  /** The path of a reference to state in the upstream's account; absent: none. */
  state?: string
}

/** Observes both directions of one session. Never stores content. */
export interface RealtimeMeter {
  /** Takes a frame of the client, parsed or raw. With a refusal it must not be forwarded. */
  asked(frame: string | RealtimeFrame): { refusal?: GatewayError; eventId?: unknown }
  /** Takes a frame of the upstream; returns the usage to charge for it. */
  answered(frame: string): Usage | undefined
  /** Number of responses requested or started, and not ended. */
  running(): number
  /** The largest possible usage of the next response. */
  next(): Usage
  /** Usage of responses that will never end; undefined when none was reported. */
  unfinished(): Usage | undefined
}

/** Limits and prices of a session. */
export interface RealtimeLimits {
  /** The model of the session as the client named it; a frame that names another is refused. Absent = any. */
  model?: string
  /** The session only transcribes, with the model. */
  transcribes?: true
  /** Maximum output tokens per response. */
  maxOutput: number
  /** Tokens of the model's context. */
  context: number
  /** Which kind of output is more expensive. */
  dearest: 'text' | 'audio'
  /** False for implausible usage of one response, which is then estimated instead. Absent = all usage is plausible. */
  isPlausible?(reported: Usage): boolean
}

/** The protocols of sessions. */
export type RealtimeStyle = 'openai' | 'gemini'

/** Google's two services with such sessions; their usage fields have different names. */
export type GoogleService = 'api' | 'cloud'

/** A realtime codec. */
export interface RealtimeCodec {
  meter(limits: RealtimeLimits): RealtimeMeter
  /** Reads a frame of the client. Throws GatewayError for a frame that is not an unambiguous event and must not be forwarded. */
  readFrame(frame: string): RealtimeFrame
  /** Binary frames of an upstream are text too. */
  isBinary?: true
  /** The error that an upstream sends instead of starting the session; undefined for other frames. */
  openingError(frame: string): GatewayError | undefined
  /** The error behind an upstream's immediate close, if the protocol reports errors that way. */
  readClosing?(code: number, reason: string): GatewayError
  /** Converts a rejected upgrade to a GatewayError. */
  readError(status: number, headers: Headers, body: string): GatewayError
  /** The error as an event; absent if the protocol only closes the connection. `cause` is the client's id of the event at fault. */
  writeError?(error: GatewayError, codecContext: CodecContext, cause?: unknown): string
  /** The close code for an error, if the protocol has its own. */
  closeCode?(error: GatewayError): number
  /** The frame that begins a session, with the upstream's names of the model and of the session to resume. */
  writeSetup?(frame: string, model: string, handle?: string): string
  /** The first event of a session that only transcribes. */
  transcriptionSetup?(model: string): string
  /** A frame of the client in such a session, with the upstream's model name. */
  withTranscriber?(frame: string, model: string): string
  /** A frame of the upstream with its usage under the names of Google's other service; undefined if it has none. */
  withCounts?(frame: string, from: GoogleService): string | undefined
  /** A frame of the upstream with its session handle replaced; undefined if it has none. */
  withHandle?(frame: string, replaced: (handle: string) => string): string | undefined
}
