/**
 * What the codec of a realtime session can do. Its frames pass verbatim between two sides that speak the same protocol, so it
 * only watches them; there is nothing to convert.
 */

import type { CodecContext } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'

/** Watches both directions of one session. Never keeps what was said. */
export interface RealtimeMeter {
  /** A frame of the client. A refusal means: not to be passed on. */
  asked(frame: string): { refusal?: GatewayError; eventId?: unknown }
  /** A frame of the upstream; what is to be paid for because of it. */
  answered(frame: string): Usage | undefined
  /** Responses that were asked for or have begun, and have not ended. */
  running(): number
  /** The largest usage of one response from here. */
  next(): Usage
  /** What responses that will never end have used; undefined when none said anything. */
  unfinished(): Usage | undefined
}

export interface RealtimeLimits {
  /** Output tokens of one response. */
  maxOutput: number
  /** Tokens of the model's context. */
  context: number
  /** Which kind of output is dearer here. */
  dearest: 'text' | 'audio'
  /** False for what an upstream says of one response that cannot be: it is counted as if nothing had been said. Absent = anything can be. */
  isPlausible?(told: Usage): boolean
}

export interface RealtimeCodec {
  meter(limits: RealtimeLimits): RealtimeMeter
  /** The error that a fresh upstream says instead of beginning the session; undefined when the frame is none. */
  openingError(frame: string): GatewayError | undefined
  /** An upgrade that was refused. */
  readError(status: number, headers: Headers, body: string): GatewayError
  /** The error as an event. `cause` is the id that the client gave to the event at fault. */
  writeError(error: GatewayError, codecContext: CodecContext, cause?: unknown): string
}
