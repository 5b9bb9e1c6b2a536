/**
 * The interface of a realtime codec. Frames pass unchanged between two sides with the same protocol, so it only observes them;
 * nothing is converted.
 */

import type { CodecContext } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'

/** What is read of a client's frame, without its content. Plain data. */
export interface RealtimeFrame {
  type: string
  /** The client's id of the event. */
  eventId?: unknown
  /** Tokens of text, about, and characters of sound in base64. */
  size: { text: number; sound: number }
  /** Models that it names. */
  models: string[]
  /** The model that it names for transcribing what is heard. */
  transcriber?: string
  /** Where it names state in the upstream's account; absent: nowhere. */
  state?: string
}

/** Observes both directions of one session. Never stores content. */
export interface RealtimeMeter {
  /** Takes a frame of the client, read or as it came. With a refusal it must not be forwarded. */
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
  /** The session only transcribes what it hears, with the model. */
  transcribes?: true
  /** Maximum output tokens per response. */
  maxOutput: number
  /** Tokens of the model's context. */
  context: number
  /** Which kind of output is more expensive. */
  dearest: 'text' | 'audio'
  /** False for implausible usage of one response, which is then estimated instead. Absent = all usage is plausible. */
  isPlausible?(told: Usage): boolean
}

/** The words in which sessions are held. */
export type RealtimeStyle = 'openai' | 'gemini'

/** Google's two services that hold such sessions; they count under different names. */
export type GoogleService = 'api' | 'cloud'

/** A realtime codec. */
export interface RealtimeCodec {
  meter(limits: RealtimeLimits): RealtimeMeter
  /** Reads a frame of the client. Throws GatewayError for what is no event, or an ambiguous one: it must not be forwarded. */
  readFrame(frame: string): RealtimeFrame
  /** Binary frames of an upstream are text too. */
  isBinary?: true
  /** The error that an upstream sends instead of starting the session; undefined for other frames. */
  openingError(frame: string): GatewayError | undefined
  /** Why a fresh upstream closed the connection, where the protocol says it so. */
  readClosing?(code: number, reason: string): GatewayError
  /** Converts a rejected upgrade to a GatewayError. */
  readError(status: number, headers: Headers, body: string): GatewayError
  /** The error as an event; absent where the protocol only closes the connection. `cause` is the client's id of the event at fault. */
  writeError?(error: GatewayError, codecContext: CodecContext, cause?: unknown): string
  /** The code with which a connection is closed for an error, where the protocol has its own. */
  closeCode?(error: GatewayError): number
  /** The frame that begins a session, for an upstream that calls the model so and knows the session that it goes on with. */
  writeSetup?(frame: string, model: string, handle?: string): string
  /** The first event of a session that only transcribes. */
  transcriptionSetup?(model: string): string
  /** A frame of the client in such a session, for an upstream that calls the model so. */
  withTranscriber?(frame: string, model: string): string
  /** A frame of the upstream with its figures under the names of the other of Google's services; undefined where it has none. */
  withCounts?(frame: string, from: GoogleService): string | undefined
  /** A frame of the upstream with another handle of the session in place of its own; undefined where it names none. */
  withHandle?(frame: string, replaced: (handle: string) => string): string | undefined
}
