/** The form of an endpoint's description in the API document and the reference page. */
import type { SchemaName } from '#shared/api/schemas'
import type { ErrorCode } from '#shared/errors'

/** The sections of the API reference, in order. */
export const tags = {
  Conversations: 'Chat completions, text completions, Responses, Messages and Gemini: one request and one answer, whole or streamed.',
  Embeddings: 'Vectors from text.',
  Videos: 'Videos, which upstreams finish long after the request.',
  Images: 'Images generated or edited from a prompt.',
  Audio: 'Speech to text and text to speech.',
  Ranking: 'Documents ranked by relevance to a query.',
  Moderation: 'Moderation of text and images.',
  Search: 'Web search for coding agents.',
  Realtime: 'Speech and text in both directions, over a WebSocket, WebRTC or SIP.',
  Files: 'Files stored here for requests: uploaded once, used by id in any protocol, on any upstream.',
  Batches: 'Many requests at once, sent when there is capacity, on any upstream.',
  Objects:
    'Vector stores, containers, voices, skills, cached contents and file search stores: created in the account of one upstream, and accessible only to their owner.',
  Addresses:
    'The same endpoints at the addresses of other services: Azure’s and Google’s for OpenAI clients, and the APIs of Ollama and Bedrock.',
  Models: 'The models that a key may call, in three formats.',
  Console: 'The API of Parley’s own pages: users, keys, channels, prices, logs.',
  Operation: 'For operators.',
} as const
/** A section of the API reference. */
export type Tag = keyof typeof tags

/** A header or query parameter. */
export interface Parameter {
  name: string
  in: 'query' | 'header'
  description: string
  required?: true
}

/** The description of one endpoint. */
export interface RouteDoc {
  /** `METHOD path` of the route table. */
  route: string
  /** Its path in the document, when that differs from the route's: `/v1/models/{model}` for `/v1/models/*`. */
  path?: string
  tag: Tag
  summary: string
  description?: string
  /** Who may call it: anyone, API keys, signed-in users, administrators. */
  who: 'anyone' | 'key' | 'session' | 'admin'
  parameters?: readonly Parameter[]
  takes?: { json?: SchemaName; form?: SchemaName; optional?: true }
  gives: Gives
  /** Errors specific to this endpoint. */
  refuses?: readonly ErrorCode[]
}

/** A successful response. */
export interface Gives {
  /** 200 when absent. */
  status?: number
  /** Schemas of the body; several when the format depends on the client. */
  json?: readonly SchemaName[]
  /** Server-sent events, when the request asks for a stream. */
  events?: true
  /** Other content types. */
  types?: readonly string[]
}
