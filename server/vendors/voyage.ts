/**
 * Voyage AI: embeddings and rerank in its own format. No chat.
 * Read: https://docs.voyageai.com/docs/embeddings, https://docs.voyageai.com/docs/reranker, and the request and response types of
 * the package voyageai (api/client/requests, api/types).
 */
import { openaiEndpoint } from './openai-paths.ts'
import type { Vendor } from './vendor.ts'

/** Voyage AI's API. */
export const voyage: Vendor = {
  id: 'voyage',
  title: 'Voyage AI',
  speaks: [],
  operations: ['embed', 'rerank'],
  styles: { embed: 'voyage', rerank: 'voyage' },
  baseUrl: 'https://api.voyageai.com/v1',
  keyless: false,
  auth: 'bearer',
  endpoint: openaiEndpoint,
  capabilities: () => ({ maxInputs: 1000 }),
}
