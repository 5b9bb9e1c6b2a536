/** Conversations that are kept for clients of Responses: what a question names of them, and what becomes of it. */
import type { NewItem } from '#canonical/kept-conversation'
import type { Loss } from '#canonical/loss'
import type { GatewayError } from '#shared/errors'

/** What a question asks to be kept or found. Plain data. */
export interface Storing {
  /** The answer is waited for, although it was to be made in the background: it is not to be kept. */
  waits: boolean
  /** The answer is to be made in the background: what its response repeats of the question. */
  background?: Record<string, unknown>
  keeps: boolean
  previous?: string
  /** A conversation that Parley keeps and that the answer is added to. */
  conversation?: string
  /** Ids of items that it names instead of saying them. */
  references: string[]
}

/** Exchanges as they are needed to continue them. */
export interface KeptItems {
  id: string
  items: unknown[]
}

/** What was found of what a question names. */
export interface Found {
  /** The conversation before it, oldest first; absent where there is none. */
  before?: readonly KeptItems[]
  /** The responses whose items it refers to. */
  referenced: readonly KeptItems[]
}

/** A question with what came before it in its place. */
export interface Rewritten {
  /** As the client asks the upstream that keeps the conversation itself. */
  own: string
  /** For any other. */
  content: string
  question: unknown[]
  losses: readonly Loss[]
  /** Responses that were continued. */
  responses: string[]
  /** It names what is not there; then its items are as they came. */
  unresolved?: GatewayError
}

/** What is kept of an exchange. */
export interface Recorded {
  id: string
  /** Ids of the items of the answer. */
  items: string[]
  /** The exchange as JSON. */
  json: string
  /** What is added to the conversation, where there is one. */
  added: NewItem[]
}

/** How it is looked at. Plain data. */
export type StoredView =
  | { kind: 'whole' }
  /** As the stream that it was when it was made, from the event after this one on. */
  | { kind: 'events'; after?: number }
  /** The items of the question, a page of them; `after`: the id of an item in this list. */
  | { kind: 'input'; isOldestFirst: boolean; after?: string; limit: number }
