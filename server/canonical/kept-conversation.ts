/** Conversations that Parley keeps for clients of Responses: their ids, and what they are added to with. */

/** What the ids of all of them share; no vendor's has it. */
export const conversationMark = 'conv_parleyc'

/** Whether this names a conversation that Parley keeps, if anybody has it. */
export const isKeptConversation = (id: unknown): id is string => typeof id === 'string' && /^conv_parleyc[0-9a-f]{32}$/.test(id)

/** An item to be added. Plain data. */
export interface NewItem {
  /** As its client, or its upstream, named it; absent: it gets one. */
  id?: string
  /** What such an id begins with. */
  prefix: string
  /** The item as JSON, without its id; an object with a field at least. */
  json: string
}

/** An item as it is kept. */
export interface KeptItem {
  id: string
  /** With its id. */
  json: string
}
