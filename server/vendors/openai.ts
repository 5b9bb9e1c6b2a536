/**
 * OpenAI itself. Its Completions endpoint serves only a few old models, so it is not in the default dialects: a channel for those
 * lists it in `speaks`.
 */
import { openaiFacts } from './models/gpt.ts'
import { openaiEndpoint } from './openai-paths.ts'
import type { Vendor } from './vendor.ts'

/** OpenAI's own API. */
export const openai: Vendor = {
  id: 'openai',
  title: 'OpenAI',
  speaks: ['chat', 'responses'],
  operations: ['generate', 'embed', 'image', 'video', 'transcribe', 'speak', 'moderate', 'realtime', 'compact', 'search'],
  baseUrl: 'https://api.openai.com/v1',
  keyless: false,
  auth: 'bearer',
  endpoint: openaiEndpoint,
  capabilities: openaiFacts,
}
