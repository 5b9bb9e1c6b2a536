/**
 * The canonical events of a streamed answer, in the order that every reader guarantees, and the interfaces of their readers and writers.
 */
import type { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import type { Frame } from '#shared/sse'
import type { CallPart, Finish, MediaPart, ReasoningPart } from './conversation.ts'
import type { Loss } from './loss.ts'
import type { Citation, Opaque, Phase, TokenLogprob } from './marks.ts'
import type { Usage } from './usage.ts'

/** The head of a part when a stream opens it: everything known before its content. */
export type PartHead =
  | { kind: 'text'; phase?: Phase }
  | { kind: 'refusal' }
  | { kind: 'reasoning'; form: ReasoningPart['form'] }
  | { kind: 'call'; callId: string; name: string; form: CallPart['form']; namespace?: string; opaque?: Opaque[] }
  | { kind: 'media'; media: MediaPart['media']; mimeType?: string }
  | { kind: 'native'; dialect: Dialect; raw: unknown; summary?: string; opaque?: Opaque[] }

/**
 * An event of a stream. Order: `start` first; a part is opened, grows by deltas, is closed; its index `at` is never reused within its
 * choice; `usage` is cumulative; `finish` at most once per choice, after its parts are closed; then exactly one of `end` or `error`,
 * always last. A reader guarantees this order whatever the upstream does.
 */
export type ConversationEvent =
  | { kind: 'start'; id: string; model: string; created: number; usage?: Usage }
  | { kind: 'open'; choice: number; at: number; part: PartHead }
  | { kind: 'delta'; choice: number; at: number; delta: Delta }
  | { kind: 'close'; choice: number; at: number }
  | { kind: 'usage'; usage: Usage }
  | { kind: 'finish'; choice: number; finish: Finish }
  | { kind: 'end'; tier?: string }
  | { kind: 'error'; error: GatewayError }

/**
 * An increment of a part: text of a text, refusal or reasoning part, arguments of a call, or transcript of media; base64 of media, each
 * piece decodable by itself; or a property of the whole part.
 */
export type Delta =
  | { text: string }
  /** Ends the current reasoning segment and starts the next. */
  | { segment: true }
  | { data: string }
  | { citation: Citation }
  | { opaque: Opaque }
  /** For the text that follows, or the last of it. */
  | { logprobs: TokenLogprob[] }

/** Converts frames of an upstream stream to events; guarantees their order whatever the upstream does. */
export interface StreamReader {
  push(frame: Frame): ConversationEvent[]
  /**
   * The upstream ended the stream (undefined) or it broke (the error). Returns the closing events, `end` or `error` last, unless
   * already returned.
   */
  end(broke: GatewayError | undefined): ConversationEvent[]
  /** Parts of the answer so far that no event can express; absent = this dialect's answers fit completely. */
  losses?(): readonly Loss[]
  /**
   * If the last frame was a single delta of text: takes, instead of `push`, the texts of frames that differ from it only in their text,
   * until another frame is pushed. Undefined or absent: not possible.
   */
  texts?(): TakeText | undefined
}

/** Gets a text and its length in UTF-8. */
export type TakeText = (text: string, bytes: number) => void

/** Writes a delta of text: `json` is its JSON spelling; both it and the result are bytewise. */
export type WriteText = (json: string, text: string) => string

/** Converts events to frames of the client's dialect. */
export interface StreamWriter {
  /** Complete frames as bytes; empty while the dialect must wait (for complete arguments, or one open block at a time). */
  push: (event: ConversationEvent) => Uint8Array
  /**
   * If the last event was a delta of text of this part: writes further ones exactly as `push` would, until another event is pushed.
   * Undefined or absent: not possible.
   */
  texts?(choice: number, at: number): WriteText | undefined
  /**
   * Losses of the answer so far: at the end the same as `writeResponse` reports for the whole answer, with two exceptions: a stream of
   * Messages forwards malformed arguments, and one of Gemini cannot position sources in text that is not ASCII.
   */
  losses(): readonly Loss[]
}
