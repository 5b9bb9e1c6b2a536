/** Conversations of the playground on the server: those that a user keeps there, and copies that are shown to whoever has the link. */
import { Exact, Int, Name, type Static, Text, Type } from '../typebox.ts'

/** Most characters of a conversation; a request has at most a mebibyte. */
const mostText = 1_000_000

/** PUT /api/conversations/:id. An older one than is kept changes nothing. */
export const KeptConversation = Exact({
  /** When it was last changed, RFC 3339. */
  changedAt: Type.String({ format: 'instant' }),
  /** The conversation as a file of the playground holds it: JSON text. */
  text: Text(mostText),
})
export type KeptConversation = Static<typeof KeptConversation>

/** A row of GET /api/conversations, without its text. */
export interface KeptRow {
  id: string
  changedAt: string
  bytes: number
}

/** POST /api/shares. */
export const NewShare = Exact({
  title: Name(200),
  /** The conversation as a file of the playground holds it: JSON text. */
  text: Text(mostText),
  /** Days until the link ends. */
  days: Int(1, 365),
})
export type NewShare = Static<typeof NewShare>

/** A row of GET /api/shares: a link that its owner made. */
export interface ShareRow {
  id: string
  title: string
  createdAt: string
  expiresAt: string
}

/** GET /api/shares/:id, for anybody who has the link. */
export interface SharedConversation {
  title: string
  createdAt: string
  expiresAt: string
  text: string
}
