/**
 * A dialect that clients speak and no channel does: its requests are said in a dialect of Parley as they come in, and the answers in its
 * own words as they go out. Between the two, nothing knows of it. Pure.
 */
import type { Frame } from '#shared/sse'
import type { Loss } from './loss.ts'

/** The wordings that there are, by endpoint. */
export type WordingName =
  | 'ollama-chat'
  | 'ollama-generate'
  | 'ollama-embed'
  | 'ollama-embeddings'
  | 'converse'
  | 'converse-stream'
  | 'interaction'

/** A request in the words of a dialect of Parley. */
export interface Reworded {
  body: string
  /** What that dialect cannot say. */
  losses: readonly Loss[]
}

/** What an answer is written with. */
export interface WordingContext {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since the request came. */
  elapsed(): number
}

/** A stream in the client's own words. */
export interface RewordedStream {
  contentType: string
  /** One frame of the dialect; undefined: nothing is sent for it. */
  push(frame: Frame): Uint8Array | undefined
}

/** What an answer says, as far as answers are compared: the finish is one of the canonical conversation's, where there is one. */
export interface SaidAnswer {
  text: string
  calls: { name: string; args: string }[]
  finish: string | null
  error: { code: string; message: string } | null
}

/** How one endpoint's words become those of a dialect, and back. */
export interface Wording {
  /** Throws GatewayError for what cannot be read, or said. */
  readRequest(body: string): Reworded
  /** A whole answer. Throws GatewayError `upstream_error` for one that cannot be said. */
  writeAnswer(body: string, context: WordingContext): string
  /** Reads an answer in these words, whole or streamed; undefined for what is none. Absent: it is no conversation. May throw. */
  readSaid?(body: Uint8Array): SaidAnswer | undefined
  /** Absent: the endpoint has no streams. */
  openStream?(context: WordingContext): RewordedStream
}
