/**
 * Jina AI: rerank in its own format, embeddings in OpenAI's. No chat.
 *
 * Read: docs/mapping.md 1.9; https://jina.ai/embeddings and https://jina.ai/reranker name both addresses under `/v1`.
 */
import { openaiEndpoint } from './openai-paths.ts'
import type { Vendor } from './vendor.ts'

/** Jina AI's API. */
export const jina: Vendor = {
  id: 'jina',
  title: 'Jina AI',
  speaks: [],
  operations: ['embed', 'rerank'],
  baseUrl: 'https://api.jina.ai/v1',
  keyless: false,
  auth: 'bearer',
  endpoint: openaiEndpoint,
  capabilities: () => ({ maxInputs: 2048 }),
}
