/** Conversations that Parley stores for clients of Responses: their ids and items. */

/** The common prefix of their ids, which no vendor uses. */
export const conversationMark = 'conv_parleyc'

/** Whether this has the form of an id of a conversation stored by Parley. */
export const isKeptConversation = (id: unknown): id is string => typeof id === 'string' && /^conv_parleyc[0-9a-f]{32}$/.test(id)

/** An item to be added. Plain data. */
export interface NewItem {
  /** The client's or the upstream's id; absent: a new one is generated. */
  id?: string
  /** The prefix of a generated id. */
  prefix: string
  /** The item as JSON, without its id; an object with at least one field. */
  json: string
}

/** A stored item. */
export interface KeptItem {
  id: string
  /** With its id. */
  json: string
}
