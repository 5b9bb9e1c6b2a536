/** How a door is described for people and programs: what stands in the API document beside its address. */
import type { SchemaName } from '#shared/api/schemas'

export const tags = {
  Conversations: 'Chat, completions, responses, messages and Gemini: one question and one answer, whole or as a stream.',
  Embeddings: 'Texts as vectors.',
  Images: 'Pictures made and changed by words.',
  Audio: 'Sound to text, and text to sound.',
  Ranking: 'Documents in the order of what they say to a query.',
  Moderation: 'Texts and pictures, judged.',
  Search: 'Web search for code agents.',
  Realtime: 'Speech and text in both directions over a WebSocket.',
  Models: 'What a key may call, in three formats.',
  Console: 'What the pages of Parley use: users, keys, channels, prices, logs.',
  Operation: 'For whoever runs it.',
} as const
export type Tag = keyof typeof tags

export interface Parameter {
  name: string
  in: 'query' | 'header'
  description: string
  required?: true
}

export interface RouteDoc {
  /** `METHOD path` of the route table. */
  route: string
  /** Its path in the document, where that cannot be told from the route's: `/v1/models/{model}` for `/v1/models/*`. */
  path?: string
  tag: Tag
  summary: string
  description?: string
  /** Whose call it is: anyone's, a key's, a signed-in person's, an administrator's. */
  who: 'anyone' | 'key' | 'session' | 'admin'
  parameters?: readonly Parameter[]
  takes?: { json?: SchemaName; form?: SchemaName }
  gives: Gives
}

export interface Gives {
  /** 200 when absent. */
  status?: number
  /** One of them, where the format depends on who asks. */
  json?: readonly SchemaName[]
  /** Server-sent events, when the request asks for a stream. */
  events?: true
  /** Other content types. */
  types?: readonly string[]
}
