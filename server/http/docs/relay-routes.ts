/** Descriptions of the relay's conversation endpoints. A test compares them with the routes and with the specification. */

import { anthropicVersion, paging } from './parameters.ts'
import type { RouteDoc } from './route-doc.ts'

const key = { who: 'key' } as const
const conversation = { tag: 'Conversations', ...key } as const

/** Paging of lists of items. */
const itemParameters = [
  { name: 'order', in: 'query', description: '`desc` (newest first) or `asc`.' },
  { name: 'limit', in: 'query', description: 'Items per page, 1 to 100. Default: 20.' },
  { name: 'after', in: 'query', description: 'Id of the last item of the previous page.' },
] as const

const openai: readonly RouteDoc[] = [
  {
    ...conversation,
    route: 'POST /v1/chat/completions',
    summary: 'Chat completions',
    takes: { json: 'ChatRequest' },
    gives: { json: ['ChatCompletion'], events: true },
  },
  {
    ...conversation,
    route: 'POST /pg/chat/completions',
    who: 'session',
    summary: 'Chat completions of the playground',
    description:
      'Uses the login session instead of an API key; `group` in the body names the group, `team` the team that pays, by id or name. Routing, conversion, billing and retries are the same as for `/v1/chat/completions`. Text only.',
    takes: { json: 'ChatRequest' },
    gives: { json: ['ChatCompletion'], events: true },
  },
  {
    ...conversation,
    route: 'POST /pg/preview/:dialect',
    who: 'session',
    summary: 'Preview of a request in another dialect',
    description:
      'Shows the playground’s request as it would be written in `responses`, `messages` or `gemini`. Nothing is sent or charged.',
    takes: { json: 'ChatRequest' },
    gives: { json: ['Preview'] },
  },
  {
    ...conversation,
    route: 'POST /v1/completions',
    summary: 'Text completions',
    takes: { json: 'CompletionsRequest' },
    gives: { json: ['TextCompletion'], events: true },
  },
  {
    ...conversation,
    route: 'POST /v1/responses',
    summary: 'Responses',
    description:
      'With `background: true` the response runs in the background on any upstream: it is returned at once with `in_progress`; poll it with GET until it is `completed`, `incomplete` or `failed`. Limits, money and the log row are the same as for any request. One interrupted by the end of a process is `failed`, and charged for what was delivered.',
    takes: { json: 'ResponsesRequest' },
    gives: { json: ['Response'], events: true },
  },
  {
    ...conversation,
    route: 'GET /v1/responses',
    summary: 'Responses over a WebSocket',
    description:
      'Each frame `response.create` has the body of `POST /v1/responses` and is processed, charged and logged like one; its events are sent as frames. One response at a time, at most eight wait; a frame has at most 1 MiB, a connection lasts at most an hour. With `store: false` the next turn may name the last response, which only this connection remembers. `generate: false` sends items ahead without calling a model.',
    gives: { status: 101 },
  },
  {
    ...conversation,
    route: 'POST /v1/responses/compact',
    summary: 'Compact the context of a conversation',
    description:
      'The output replaces the conversation so far: use it as the beginning of the next input. Works with every upstream, not only OpenAI’s.',
    takes: { json: 'CompactionRequest' },
    gives: { json: ['Compaction'] },
  },
  {
    ...conversation,
    route: 'POST /v1/responses/input_tokens',
    summary: 'Count the tokens of a response',
    description: 'Of the whole conversation, if the request continues a stored response. Free of charge.',
    takes: { json: 'ResponsesRequest' },
    gives: { json: ['ResponseTokens'] },
  },
  { ...conversation, route: 'GET /v1/responses/:id', summary: 'A stored response', gives: { json: ['Response'] } },
  {
    ...conversation,
    route: 'POST /v1/responses/:id/cancel',
    summary: 'Cancel a background response',
    description:
      'For a response that was created with `background: true`. What the upstream has already generated is charged. A complete response is unchanged.',
    gives: { json: ['Response'] },
  },
  { ...conversation, route: 'DELETE /v1/responses/:id', summary: 'Delete a stored response', gives: { json: ['DeletedResponse'] } },
  {
    ...conversation,
    route: 'GET /v1/responses/:id/input_items',
    summary: 'Input items of a stored response',
    parameters: itemParameters,
    gives: { json: ['ResponseItems'] },
  },
]

const itemConversations: readonly RouteDoc[] = [
  {
    ...conversation,
    route: 'POST /v1/conversations',
    summary: 'Create a conversation',
    description:
      'Stored until 30 days after its last change, so that requests on any upstream can continue it: `conversation` in a Responses request puts its items before the input, and adds input and answer to it.',
    takes: { json: 'ConversationRequest' },
    gives: { json: ['Conversation'] },
  },
  { ...conversation, route: 'GET /v1/conversations/:id', summary: 'A conversation', gives: { json: ['Conversation'] } },
  {
    ...conversation,
    route: 'POST /v1/conversations/:id',
    summary: 'Change the metadata of a conversation',
    takes: { json: 'ConversationRequest' },
    gives: { json: ['Conversation'] },
  },
  {
    ...conversation,
    route: 'DELETE /v1/conversations/:id',
    summary: 'Delete a conversation',
    description: 'With its items. Stored responses that were part of it stay.',
    gives: { json: ['DeletedConversation'] },
  },
  {
    ...conversation,
    route: 'POST /v1/conversations/:id/items',
    summary: 'Add items to a conversation',
    takes: { json: 'ConversationRequest' },
    gives: { json: ['ResponseItems'] },
  },
  {
    ...conversation,
    route: 'GET /v1/conversations/:id/items',
    summary: 'Items of a conversation',
    description: 'A page has at most 100 items, and 8 MiB.',
    parameters: itemParameters,
    gives: { json: ['ResponseItems'] },
  },
  {
    ...conversation,
    route: 'GET /v1/conversations/:id/items/:item',
    summary: 'One item of a conversation',
    gives: { json: ['ConversationItem'] },
  },
  {
    ...conversation,
    route: 'DELETE /v1/conversations/:id/items/:item',
    summary: 'Delete an item of a conversation',
    gives: { json: ['Conversation'] },
  },
]

const anthropic: readonly RouteDoc[] = [
  {
    ...conversation,
    route: 'POST /v1/messages',
    summary: 'Messages',
    parameters: anthropicVersion,
    takes: { json: 'MessagesRequest' },
    gives: { json: ['Message'], events: true },
  },
  {
    ...conversation,
    route: 'POST /v1/messages/count_tokens',
    summary: 'Count the tokens of messages',
    description: 'Free of charge.',
    parameters: anthropicVersion,
    takes: { json: 'MessageTokensRequest' },
    gives: { json: ['MessageTokens'] },
  },
]

const gemini: readonly RouteDoc[] = ['/v1beta', '/v1'].flatMap((prefix): RouteDoc[] => {
  const route = `POST ${prefix}/models/*`
  const path = (action: string) => `${prefix}/models/{model}:${action}`
  return [
    {
      ...conversation,
      route,
      path: path('generateContent'),
      summary: 'Gemini: generate content',
      takes: { json: 'GenerateContentRequest' },
      gives: { json: ['GenerateContentResponse'] },
    },
    {
      ...conversation,
      route,
      path: path('streamGenerateContent'),
      summary: 'Gemini: generate content as a stream',
      parameters: [
        {
          name: 'alt',
          in: 'query',
          description: '`sse` for server-sent events; otherwise the response is one JSON array, sent incrementally.',
        },
      ],
      takes: { json: 'GenerateContentRequest' },
      gives: { events: true, types: ['application/json'] },
    },
    {
      ...conversation,
      route,
      path: path('countTokens'),
      summary: 'Gemini: count tokens',
      description: 'Free of charge.',
      takes: { json: 'ContentTokensRequest' },
      gives: { json: ['ContentTokens'] },
    },
    {
      ...key,
      tag: 'Embeddings',
      route,
      path: path('embedContent'),
      summary: 'Gemini: embed content',
      takes: { json: 'EmbedContentRequest' },
      gives: { json: ['EmbedContentResponse'] },
    },
    {
      ...key,
      tag: 'Embeddings',
      route,
      path: path('batchEmbedContents'),
      summary: 'Gemini: embed a batch',
      takes: { json: 'BatchEmbedRequest' },
      gives: { json: ['BatchEmbedResponse'] },
    },
  ]
})

const models: readonly RouteDoc[] = [
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1/key',
    summary: 'Facts about this key',
    description:
      'For the holder of a key, without an account: its spend, what is left of its budget, its models and limits. The page `/key` shows it.',
    gives: { json: ['KeyFacts'] },
  },
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1/key/usage',
    summary: 'Budget and spend of this key',
    description:
      'For the holder of a key: what is left of each window of its budget and when the next one begins, and its last thirty days by day and by model. Nothing about other keys, or the wallet that pays.',
    gives: { json: ['KeyUsage'] },
  },
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1/models',
    summary: 'Models',
    description:
      'The format is that of the Messages protocol if the request has a version header or `x-api-key`, Gemini’s if it has `x-third-api-key`, `x-goog-api-key` or `?key=`, and OpenAI’s otherwise. Empty ones do not count.',
    gives: { json: ['OpenaiModels', 'MessagesModels', 'GeminiModels'] },
  },
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1/models/*',
    path: '/v1/models/{model}',
    summary: 'One model',
    description: 'An unknown model is 404 `model_not_found`. The format is chosen as for the list.',
    gives: { json: ['OpenaiModel', 'MessagesModel', 'GeminiModel'] },
  },
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1beta/models',
    summary: 'Gemini: models',
    parameters: paging.gemini,
    gives: { json: ['GeminiModels'] },
  },
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1beta/models/*',
    path: '/v1beta/models/{model}',
    summary: 'Gemini: one model',
    gives: { json: ['GeminiModel'] },
  },
  { ...key, tag: 'Models', route: 'GET /v1beta/openai/models', summary: 'Models in OpenAI’s format', gives: { json: ['OpenaiModels'] } },
]

/** Descriptions of the conversation endpoints and the model lists. */
export const conversationRouteDocs: readonly RouteDoc[] = [...openai, ...itemConversations, ...anthropic, ...gemini, ...models]
