/** Any service that copies OpenAI's Chat API: local model servers, resellers, and most hosted models. */
import { openaiEndpoint } from './openai-paths.ts'
import type { Vendor } from './vendor.ts'

/** The channel names the address; a key is optional because local servers have none. */
export const openaiCompatible: Vendor = {
  id: 'openai-compatible',
  title: 'OpenAI-compatible',
  speaks: ['chat'],
  operations: ['generate'],
  baseUrl: undefined,
  keyless: true,
  auth: 'bearer',
  endpoint: openaiEndpoint,
  capabilities: () => ({}),
}
