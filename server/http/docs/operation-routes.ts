/** The doors of everything that is no conversation, described, and those for whoever runs Parley. */
import type { RouteDoc } from './route-doc.ts'

const key = { who: 'key' } as const
const plainText = 'text/plain'

export const sideRouteDocs: readonly RouteDoc[] = [
  {
    ...key,
    tag: 'Embeddings',
    route: 'POST /v1/embeddings',
    summary: 'Embeddings',
    takes: { json: 'EmbeddingsRequest' },
    gives: { json: ['EmbeddingList'] },
  },
  {
    ...key,
    tag: 'Embeddings',
    route: 'POST /v1/engines/*',
    path: '/v1/engines/{model}/embeddings',
    summary: 'Embeddings, older style',
    description: 'The address names the model; a model in the body does not count.',
    takes: { json: 'EngineEmbeddingsRequest' },
    gives: { json: ['EmbeddingList'] },
  },
  {
    ...key,
    tag: 'Images',
    route: 'POST /v1/images/generations',
    summary: 'Make pictures',
    takes: { json: 'ImageRequest' },
    gives: { json: ['ImageList'], events: true },
  },
  {
    ...key,
    tag: 'Images',
    route: 'POST /v1/images/edits',
    summary: 'Change pictures',
    takes: { json: 'ImageEditRequest', form: 'ImageEditForm' },
    gives: { json: ['ImageList'], events: true },
  },
  {
    ...key,
    tag: 'Images',
    route: 'POST /v1/edits',
    summary: 'Change pictures, older address',
    description: 'The same as `/v1/images/edits`, which new clients should use.',
    takes: { json: 'ImageEditRequest', form: 'ImageEditForm' },
    gives: { json: ['ImageList'], events: true },
  },
  {
    ...key,
    tag: 'Audio',
    route: 'POST /v1/audio/speech',
    summary: 'Text to sound',
    description: 'The sound passes as it is made; its content type follows the format.',
    takes: { json: 'SpeechRequest' },
    gives: { events: true, types: ['audio/mpeg', 'audio/opus', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm'] },
  },
  {
    ...key,
    tag: 'Audio',
    route: 'POST /v1/audio/transcriptions',
    summary: 'Sound to text',
    takes: { form: 'TranscriptionForm' },
    gives: { json: ['Transcript'], events: true, types: [plainText] },
  },
  {
    ...key,
    tag: 'Audio',
    route: 'POST /v1/audio/translations',
    summary: 'Sound to English text',
    takes: { form: 'TranslationForm' },
    gives: { json: ['Transcript'], types: [plainText] },
  },
  {
    ...key,
    tag: 'Ranking',
    route: 'POST /v1/rerank',
    summary: 'Rerank documents',
    description: 'Takes what clients of Jina and of Cohere send, and answers as Jina does, whatever the upstream.',
    takes: { json: 'RerankRequest' },
    gives: { json: ['RerankAnswer'] },
  },
  {
    ...key,
    tag: 'Moderation',
    route: 'POST /v1/moderations',
    summary: 'Judge texts and pictures',
    takes: { json: 'ModerationRequest' },
    gives: { json: ['ModerationAnswer'] },
  },
  {
    ...key,
    tag: 'Search',
    route: 'POST /v1/alpha/search',
    summary: 'Web search of code agents',
    description: 'Passed to channels that have it; elsewhere 400 `unsupported_endpoint`.',
    takes: { json: 'SearchRequest' },
    gives: { json: ['SearchAnswer'] },
  },
  {
    ...key,
    tag: 'Realtime',
    route: 'GET /v1/realtime',
    summary: 'Open a realtime session',
    description:
      'A WebSocket. The key comes as any header, or as the subprotocol `openai-insecure-api-key.KEY` beside `realtime`. Refusals come before the upgrade, with their status.',
    parameters: [{ name: 'model', in: 'query', required: true, description: 'Name of a realtime model.' }],
    gives: { status: 101 },
  },
]

export const operationRouteDocs: readonly RouteDoc[] = [
  { who: 'anyone', tag: 'Operation', route: 'GET /healthz', summary: 'Is it alive', gives: { types: ['application/json'] } },
  {
    who: 'anyone',
    tag: 'Operation',
    route: 'GET /readyz',
    summary: 'Does it take requests',
    description: '`ready` or `degraded` with 200; `starting`, `draining` or `unavailable` (no books) with 503.',
    gives: { types: ['application/json'] },
  },
  { who: 'anyone', tag: 'Operation', route: 'GET /openapi.json', summary: 'This document', gives: { types: ['application/json'] } },
  { who: 'anyone', tag: 'Operation', route: 'GET /docs', summary: 'The reference for people', gives: { types: ['text/html'] } },
]
