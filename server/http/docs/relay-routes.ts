/** The doors of the relay, described. A test compares this table with the routes and with the specification. */

import { anthropicVersion, paging } from './parameters.ts'
import type { RouteDoc } from './route-doc.ts'

const key = { who: 'key' } as const
const conversation = { tag: 'Conversations', ...key } as const

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
    summary: 'Chat of the playground',
    description:
      'With the login session instead of a key; `group` in the body names the group. Routing, conversion, billing and retry are those of `/v1/chat/completions`. Text only.',
    takes: { json: 'ChatRequest' },
    gives: { json: ['ChatCompletion'], events: true },
  },
  {
    ...conversation,
    route: 'POST /pg/preview/:dialect',
    who: 'session',
    summary: 'The request in another dialect',
    description: 'How the playground’s request is written in `responses`, `messages` or `gemini`. Nothing is sent or charged.',
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
    takes: { json: 'ResponsesRequest' },
    gives: { json: ['Response'], events: true },
  },
  {
    ...conversation,
    route: 'GET /v1/responses',
    summary: 'Responses over a WebSocket are not served',
    description: 'A client that tries is told 426 and goes on with POST.',
    gives: { status: 426, json: ['OpenaiError'] },
  },
  {
    ...conversation,
    route: 'POST /v1/responses/compact',
    summary: 'Compact the context of a conversation',
    description:
      'The output stands for what was said before: use it as the beginning of the next input. Other upstreams than OpenAI’s serve it too.',
    takes: { json: 'CompactionRequest' },
    gives: { json: ['Compaction'] },
  },
  { ...conversation, route: 'GET /v1/responses/:id', summary: 'A kept response', gives: { json: ['Response'] } },
  { ...conversation, route: 'DELETE /v1/responses/:id', summary: 'Forget a kept response', gives: { json: ['DeletedResponse'] } },
  {
    ...conversation,
    route: 'GET /v1/responses/:id/input_items',
    summary: 'What a kept response was asked',
    parameters: [{ name: 'order', in: 'query', description: '`desc`, newest first, or `asc`.' }],
    gives: { json: ['ResponseItems'] },
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
      parameters: [{ name: 'alt', in: 'query', description: '`sse` for events; without it one JSON array that grows.' }],
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
      summary: 'Gemini: one embedding',
      takes: { json: 'EmbedContentRequest' },
      gives: { json: ['EmbedContentResponse'] },
    },
    {
      ...key,
      tag: 'Embeddings',
      route,
      path: path('batchEmbedContents'),
      summary: 'Gemini: several embeddings',
      takes: { json: 'BatchEmbedRequest' },
      gives: { json: ['BatchEmbedResponse'] },
    },
  ]
})

const models: readonly RouteDoc[] = [
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1/models',
    summary: 'Models',
    description:
      'In the format of the Messages protocol with a version header or `x-api-key`; in Gemini’s with `x-third-api-key`, `x-goog-api-key` or `?key=`; else in OpenAI’s.',
    gives: { json: ['OpenaiModels', 'MessagesModels', 'GeminiModels'] },
  },
  {
    ...key,
    tag: 'Models',
    route: 'GET /v1/models/*',
    path: '/v1/models/{model}',
    summary: 'One model',
    description: 'An unknown one is 404 `model_not_found`. The format is chosen as for the list.',
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

export const conversationRouteDocs: readonly RouteDoc[] = [...openai, ...anthropic, ...gemini, ...models]
