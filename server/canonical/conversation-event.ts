/** What a stream of an answer consists of: the canonical events, in the order that every reader guarantees. */
import type { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import type { CallPart, Finish, MediaPart, ReasoningPart } from './conversation.ts'
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
 * An increment of a part: text of a text, refusal or reasoning part, arguments of a call, or transcript of media; base64 of media,
 * each piece decodable by itself; or what belongs to the part as a whole.
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
