/**
 * A wire format that clients use and no channel does: its requests are converted to one of Parley's dialects on arrival, and the answers
 * are converted back on the way out. Nothing in between knows of it. Pure.
 */
import type { Frame } from '#shared/sse'
import type { Loss } from './loss.ts'

/** All wordings, by endpoint. */
export type WordingName =
  | 'ollama-chat'
  | 'ollama-generate'
  | 'ollama-embed'
  | 'ollama-embeddings'
  | 'converse'
  | 'converse-stream'
  | 'interaction'

/** A request converted to one of Parley's dialects. */
export interface Reworded {
  body: string
  /** What that dialect cannot express. */
  losses: readonly Loss[]
}

/** The context for writing an answer. */
export interface WordingContext {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since the request arrived. */
  elapsed(): number
}

/** A stream in the client's own format. */
export interface RewordedStream {
  contentType: string
  /** One frame of the dialect; undefined: nothing is sent for it. */
  push(frame: Frame): Uint8Array | undefined
}

/** The part of an answer by which answers are compared; the finish is that of the canonical conversation, if any. */
export interface ComparableAnswer {
  text: string
  calls: { name: string; args: string }[]
  finish: string | null
  error: { code: string; message: string } | null
}

/** Converts one endpoint's format to a dialect, and back. */
export interface Wording {
  /** Throws GatewayError for a request that cannot be read or expressed. */
  readRequest(body: string): Reworded
  /** A whole answer. Throws GatewayError `upstream_error` if it cannot be expressed. */
  writeAnswer(body: string, context: WordingContext): string
  /**
   * Reads an answer in this format, whole or streamed; undefined if it is not one. Absent: the endpoint is not a conversation. May throw.
   */
  readComparable?(body: Uint8Array): ComparableAnswer | undefined
  /** Absent: the endpoint has no streams. */
  openStream?(context: WordingContext): RewordedStream
}
