/** Conversations stored for clients of Responses: how a request refers to them, and what is looked up and stored. */
import type { NewItem } from '#canonical/kept-conversation'
import type { Loss } from '#canonical/loss'
import type { GatewayError } from '#shared/errors'

/** What a request asks to store or to look up. Plain data. */
export interface Storing {
  /** A background answer was asked for without storing it: the client waits for it instead. */
  waits: boolean
  /** For an answer in the background: the request fields that its response repeats. */
  background?: Record<string, unknown>
  keeps: boolean
  previous?: string
  /** The conversation stored by Parley that the answer is added to. */
  conversation?: string
  /** Ids of items that it references instead of including them. */
  references: string[]
}

/** A stored exchange, as needed to continue it. */
export interface KeptItems {
  id: string
  items: unknown[]
}

/** The stored data that a request refers to. */
export interface Found {
  /** The earlier conversation, oldest first; absent if there is none. */
  before?: readonly KeptItems[]
  /** The responses whose items it refers to. */
  referenced: readonly KeptItems[]
}

/** A request with the earlier conversation inserted. */
export interface Rewritten {
  /** For an upstream that stores the conversation itself: as the client sent it. */
  own: string
  /** For any other upstream. */
  content: string
  question: unknown[]
  losses: readonly Loss[]
  /** Responses that were continued. */
  responses: string[]
  /** It refers to something that does not exist; its items are then unchanged. */
  unresolved?: GatewayError
}

/** What is stored of an exchange. */
export interface Recorded {
  id: string
  /** Ids of the items of the answer. */
  items: string[]
  /** The exchange as JSON. */
  json: string
  /** What is added to the conversation, where there is one. */
  added: NewItem[]
}

/** The representation that a client asks for. Plain data. */
export type StoredView =
  | { kind: 'whole' }
  /** The original stream, starting after this event. */
  | { kind: 'events'; after?: number }
  /** The items of the question, a page of them; `after`: the id of an item in this list. */
  | { kind: 'input'; isOldestFirst: boolean; after?: string; limit: number }
