/** Descriptions of the model endpoints other than conversations, and of the endpoints for operators. */
import type { RouteDoc } from './route-doc.ts'

const key = { who: 'key' } as const
const plainText = 'text/plain'

/** Descriptions of the model endpoints other than conversations. */
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
    description: 'The path names the model; a model in the body is ignored.',
    takes: { json: 'EngineEmbeddingsRequest' },
    gives: { json: ['EmbeddingList'] },
  },
  {
    ...key,
    tag: 'Images',
    route: 'POST /v1/images/generations',
    summary: 'Generate images',
    takes: { json: 'ImageRequest' },
    gives: { json: ['ImageList'], events: true },
  },
  {
    ...key,
    tag: 'Images',
    route: 'POST /v1/images/edits',
    summary: 'Edit images',
    takes: { json: 'ImageEditRequest', form: 'ImageEditForm' },
    gives: { json: ['ImageList'], events: true },
  },
  {
    ...key,
    tag: 'Images',
    route: 'POST /v1/images/variations',
    summary: 'Vary an image',
    description: 'For channels whose upstream makes variations; the request is passed unchanged, and priced like an edit.',
    takes: { form: 'ImageVariationForm' },
    gives: { json: ['ImageList'] },
  },
  ...['/v1beta', '/v1'].map(
    (prefix): RouteDoc => ({
      ...key,
      tag: 'Images',
      route: `POST ${prefix}/models/*`,
      path: `${prefix}/models/{model}:predict`,
      summary: 'Gemini: generate images',
      description: 'In the format of Imagen clients. Imagen upstreams get the request unchanged; for other image models it is converted.',
      takes: { json: 'PredictRequest' },
      gives: { json: ['PredictResponse'] },
    }),
  ),
  {
    ...key,
    tag: 'Images',
    route: 'POST /v1/edits',
    summary: 'Edit images, older address',
    description: 'The same as `/v1/images/edits`, which new clients should use.',
    takes: { json: 'ImageEditRequest', form: 'ImageEditForm' },
    gives: { json: ['ImageList'], events: true },
  },
  {
    ...key,
    tag: 'Audio',
    route: 'POST /v1/audio/speech',
    summary: 'Text to speech',
    description: 'The audio is streamed as it is generated; its content type depends on the format.',
    takes: { json: 'SpeechRequest' },
    gives: { events: true, types: ['audio/mpeg', 'audio/opus', 'audio/aac', 'audio/flac', 'audio/wav', 'audio/pcm'] },
  },
  {
    ...key,
    tag: 'Audio',
    route: 'POST /v1/audio/transcriptions',
    summary: 'Transcribe audio',
    takes: { form: 'TranscriptionForm' },
    gives: { json: ['Transcript'], events: true, types: [plainText] },
  },
  {
    ...key,
    tag: 'Audio',
    route: 'POST /v1/audio/translations',
    summary: 'Translate audio to English text',
    takes: { form: 'TranslationForm' },
    gives: { json: ['Transcript'], types: [plainText] },
  },
  {
    ...key,
    tag: 'Ranking',
    route: 'POST /v1/rerank',
    summary: 'Rerank documents',
    description: 'Accepts requests of Jina and Cohere clients. Responses have Jina’s format, for any upstream.',
    takes: { json: 'RerankRequest' },
    gives: { json: ['RerankAnswer'] },
  },
  {
    ...key,
    tag: 'Ranking',
    route: 'POST /v2/rerank',
    summary: 'Rerank documents, for Cohere’s clients',
    description: 'The same request; responses have Cohere’s format, for any upstream.',
    takes: { json: 'RerankRequest' },
    gives: { json: ['CohereRerankAnswer'] },
  },
  {
    ...key,
    tag: 'Moderation',
    route: 'POST /v1/moderations',
    summary: 'Moderate text and images',
    takes: { json: 'ModerationRequest' },
    gives: { json: ['ModerationAnswer'] },
  },
  {
    ...key,
    tag: 'Search',
    route: 'POST /v1/alpha/search',
    summary: 'Web search for coding agents',
    description: 'Passed through to channels that support it; 400 `unsupported_endpoint` if none does.',
    takes: { json: 'SearchRequest' },
    gives: { json: ['SearchAnswer'] },
  },
]

/** Descriptions of the endpoints for operators and of the documentation itself. */
export const operationRouteDocs: readonly RouteDoc[] = [
  { who: 'anyone', tag: 'Operation', route: 'GET /healthz', summary: 'Liveness', gives: { types: ['application/json'] } },
  {
    who: 'anyone',
    tag: 'Operation',
    route: 'GET /readyz',
    summary: 'Readiness',
    description:
      '200 with `ready` or `degraded` (the database is unreachable, requests are still served); 503 with `starting`, `draining` or `unavailable`.',
    gives: { types: ['application/json'] },
  },
  { who: 'anyone', tag: 'Operation', route: 'GET /openapi.json', summary: 'This document', gives: { types: ['application/json'] } },
  {
    who: 'anyone',
    tag: 'Operation',
    route: 'GET /docs',
    summary: 'The human-readable reference',
    description: 'For browsers the console’s page; for anything else one page without scripts, as at `/docs.html`.',
    gives: { types: ['text/html'] },
  },
  { who: 'anyone', tag: 'Operation', route: 'GET /docs.html', summary: 'The reference as one page', gives: { types: ['text/html'] } },
  {
    who: 'anyone',
    tag: 'Operation',
    route: 'GET /docs.json',
    summary: 'The reference as data',
    parameters: [{ name: 'language', in: 'query', description: '`zh` for Chinese. Default: English.' }],
    gives: { types: ['application/json'] },
  },
  {
    who: 'anyone',
    tag: 'Operation',
    route: 'GET /llms.txt',
    summary: 'The reference for language models',
    gives: { types: ['text/plain'] },
  },
  {
    who: 'anyone',
    tag: 'Operation',
    route: 'GET /docs/:page',
    summary: 'A page of the reference as Markdown or data',
    description: 'Its name ends in `.md` or `.json`; `/llms.txt` lists them.',
    parameters: [{ name: 'language', in: 'query', description: '`zh` for Chinese, as data. Default: English.' }],
    gives: { types: ['text/markdown', 'application/json'] },
  },
]

const video = { who: 'key', tag: 'Videos' } as const
const paging = [
  { name: 'limit', in: 'query', description: 'Videos per page, 1 to 100. Default: 20.' },
  { name: 'after', in: 'query', description: 'Id of the last video of the previous page.' },
  { name: 'order', in: 'query', description: '`asc` for the oldest first.' },
] as const
const one: RouteDoc['gives'] = { json: ['Video'] }

/** Descriptions of the endpoints of videos. */
export const videoRouteDocs: readonly RouteDoc[] = [
  {
    ...video,
    route: 'POST /v1/videos',
    summary: 'Make a video',
    description:
      'The response is sent when an upstream has started. The maximum cost is held until the video is complete, and charged then, once; a failed video is free. The log row is written at its end.',
    takes: { json: 'VideoRequest', form: 'VideoForm' },
    gives: one,
  },
  { ...video, route: 'GET /v1/videos', summary: 'List videos', parameters: paging, gives: { json: ['VideoList'] } },
  {
    ...video,
    route: 'POST /v1/videos/edits',
    summary: 'Edit a video',
    description: 'The source video must have been made here; its upstream makes the new one.',
    takes: { json: 'VideoFromRequest' },
    gives: one,
  },
  {
    ...video,
    route: 'POST /v1/videos/extensions',
    summary: 'Extend a video',
    description: 'The source video must have been made here; its upstream makes the new one.',
    takes: { json: 'VideoFromRequest' },
    gives: one,
  },
  { ...video, route: 'GET /v1/videos/:id', summary: 'A video and its progress', gives: one },
  { ...video, route: 'DELETE /v1/videos/:id', summary: 'Delete a video that has ended', gives: { json: ['VideoDeleted'] } },
  { ...video, route: 'POST /v1/videos/:id/remix', summary: 'Remix a video', takes: { json: 'VideoRemixRequest' }, gives: one },
  { ...video, route: 'GET /v1/videos/:id/content', summary: 'The file of a video', gives: { types: ['video/mp4'] } },
  ...['/v1beta', '/v1'].map(
    (prefix): RouteDoc => ({
      ...video,
      route: `POST ${prefix}/models/*`,
      path: `${prefix}/models/{model}:predictLongRunning`,
      summary: 'Gemini: make videos',
      description: 'In the format of Veo clients. The response is an operation, which is polled until it is done.',
      takes: { json: 'PredictVideosRequest' },
      gives: { json: ['VideoOperation'] },
    }),
  ),
  { ...video, route: 'GET /v1beta/operations/:id', summary: 'Gemini: an operation', gives: { json: ['VideoOperation'] } },
]
