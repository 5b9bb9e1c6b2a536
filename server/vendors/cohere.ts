/**
 * Cohere: rerank in its own format (v2); chat and embeddings through its OpenAI-compatible API. The base URL is the host, with or
 * without one of the two paths.
 *
 * Read: docs/mapping.md 1.9; https://docs.cohere.com/docs/compatibility-api (`/compatibility/v1`) and the reference of `/v2/rerank`.
 */
import { cleanBase } from './address.ts'
import { copiedFacts } from './models/copied.ts'
import { openaiPath } from './openai-paths.ts'
import type { EndpointTarget, Vendor } from './vendor.ts'

function endpoint(baseUrl: string, target: EndpointTarget): string {
  const host = cleanBase(baseUrl).replace(/\/(compatibility\/v1|v[12])$/, '')
  return target.operation === 'rerank' ? `${host}/v2/rerank` : `${host}/compatibility/v1/${openaiPath(target)}`
}

/** Cohere's API. */
export const cohere: Vendor = {
  id: 'cohere',
  title: 'Cohere',
  speaks: ['chat'],
  operations: ['generate', 'embed', 'rerank'],
  styles: { rerank: 'cohere' },
  baseUrl: 'https://api.cohere.com',
  keyless: false,
  auth: 'bearer',
  endpoint,
  capabilities: () => ({ ...copiedFacts, maxInputs: 96 }),
}
