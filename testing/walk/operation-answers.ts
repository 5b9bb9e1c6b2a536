/** The basis for walking answers and events of operations other than generation. */
import type { SideOperation, Style } from '#shared/ids'
import type { Guide } from './cases.ts'

/** An operation and the style of an upstream. */
export type OperationAnswerEndpoint = keyof typeof operationAnswerTypes

/**
 * The types of whole answers. Where no SDK is installed they are written from the vendors' references: docs.cohere.com/reference/rerank,
 * api.jina.ai/redoc, docs.voyageai.com/reference/reranker-api.
 */
export const operationAnswerTypes = {
  'embed openai': 'OpenAI.CreateEmbeddingResponse',
  'embed gemini': 'Google.EmbedContentResponse',
  'image openai': 'OpenAI.ImagesResponse',
  'image gemini': 'Google.GenerateContentResponse',
  'transcribe openai': 'OpenAI.Audio.TranscriptionVerbose',
  'moderate openai': 'OpenAI.ModerationCreateResponse',
  'rerank jina': `{ model?: string, object?: 'list', usage: { total_tokens: number, prompt_tokens?: number },
    results: { index: number, relevance_score: number, document?: { text: string } }[] }`,
  'rerank cohere': `{ id?: string, results: { index: number, relevance_score: number }[], meta?: {
    api_version?: { version: string, is_deprecated?: boolean, is_experimental?: boolean },
    billed_units?: { images?: number, input_tokens?: number, output_tokens?: number, search_units?: number, classifications?: number },
    tokens?: { input_tokens?: number, output_tokens?: number }, cached_tokens?: number, warnings?: string[] } }`,
  'rerank voyage': `{ object: 'list', model: string, usage: { total_tokens: number },
    data: { index: number, relevance_score: number, document?: string }[] }`,
} as const

/** The types of events, which only clients of the same style get. */
export const operationEventTypes = {
  'image openai': '{ event?: OpenAI.ImageGenStreamEvent | OpenAI.ImageEditStreamEvent }',
  'transcribe openai': '{ event?: OpenAI.Audio.TranscriptionStreamEvent }',
} as const

/** The operation and the style of an endpoint. */
export const partsOf = (endpoint: OperationAnswerEndpoint) => endpoint.split(' ') as [SideOperation, Style]

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const samples: Readonly<Record<string, unknown>> = {
  model: 'asked',
  embedding: [0.5, 0.25],
  values: [0.5, 0.25],
  index: 0,
  relevance_score: 0.5,
  results: undefined,
  data: png,
  mimeType: 'image/png',
  b64_json: png,
  created: 1_764_000_000,
  text: 'Hello',
  finishReason: 'STOP',
  total_tokens: 150,
  promptTokenCount: 100,
  candidatesTokenCount: 50,
  totalTokenCount: 150,
}
const skipped = new Set(['model', 'modelVersion', 'sdkHttpResponse', 'automaticFunctionCallingHistory', '_request_id'])
const needed = {
  EmbedContentResponse: ['embeddings'],
  ContentEmbedding: ['values'],
  GenerateContentResponseUsageMetadata: ['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount'],
  Blob: ['data', 'mimeType'],
  Blob_2: ['data', 'mimeType'],
}
const common = { sample: (name: string) => samples[name], skipped, needed, kept: new Set<string>() }
const picture = { inlineData: { mimeType: 'image/png', data: png } }

/** How the answers of each endpoint are walked. */
export const operationAnswerGuides: Readonly<Record<OperationAnswerEndpoint, Guide>> = {
  'embed openai': {
    ...common,
    seed: {
      object: 'list',
      model: 'asked',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    },
  },
  'embed gemini': { ...common, seed: { embeddings: [{ values: [0.5, 0.25] }] } },
  'image openai': { ...common, seed: { created: 1_764_000_000, data: [{ b64_json: png }] } },
  'image gemini': {
    ...common,
    // Contents of a candidate are beside its picture.
    seed: { candidates: [{ index: 0, content: { role: 'model', parts: [picture] }, finishReason: 'STOP' }] },
    kept: new Set(['candidates']),
  },
  'transcribe openai': { ...common, seed: { duration: 1, language: 'english', text: 'Hello' } },
  'moderate openai': { ...common, seed: { id: 'modr_1', model: 'asked', results: [] } },
  'rerank jina': {
    ...common,
    seed: { model: 'asked', usage: { total_tokens: 9 }, results: [{ index: 0, relevance_score: 0.5 }] },
  },
  'rerank cohere': { ...common, seed: { results: [{ index: 0, relevance_score: 0.5 }] } },
  'rerank voyage': {
    ...common,
    seed: { object: 'list', model: 'asked', usage: { total_tokens: 9 }, data: [{ index: 0, relevance_score: 0.5 }] },
  },
}
