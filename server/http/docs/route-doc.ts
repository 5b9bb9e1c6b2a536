/** The form of an endpoint's description in the API document and the reference page. */
import type { SchemaName } from '#shared/api/schemas'
import type { ErrorCode } from '#shared/errors'

/** The sections of the API reference, in order. */
export const tags = {
  Conversations: 'Chat completions, text completions, Responses, Messages and Gemini: one request and one answer, whole or streamed.',
  Embeddings: 'Vectors from text.',
  Videos: 'Videos, which upstreams make long after they were asked.',
  Images: 'Images generated or edited from a prompt.',
  Audio: 'Speech to text and text to speech.',
  Ranking: 'Documents ranked by relevance to a query.',
  Moderation: 'Moderation of text and images.',
  Search: 'Web search for coding agents.',
  Realtime: 'Speech and text in both directions, over a WebSocket, WebRTC or SIP.',
  Files: 'Files that are kept here for requests: uploaded once, named by their ids in any protocol, on any upstream.',
  Batches: 'Many requests at once, asked when there is room, on any upstream.',
  Objects:
    'Vector stores, containers, voices, skills, cached contents and file search stores: made in the account of one upstream, found again there by their owner, and not there for anybody else.',
  Addresses:
    'The same endpoints where clients of other services look for them: Azure’s and Google’s addresses for OpenAI’s clients, and the words of Ollama’s and Bedrock’s.',
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
