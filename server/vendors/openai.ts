/**
 * OpenAI itself. Its Completions endpoint serves a few old models only, so it is not spoken by default: a channel for those
 * says so in `speaks`.
 */
import { openaiFacts } from './models/gpt.ts'
import { openaiEndpoint } from './openai-paths.ts'
import type { Vendor } from './vendor.ts'

export const openai: Vendor = {
  id: 'openai',
  title: 'OpenAI',
  speaks: ['chat', 'responses'],
  operations: ['generate', 'embed', 'image', 'transcribe', 'speak', 'moderate', 'realtime', 'compact', 'search'],
  baseUrl: 'https://api.openai.com/v1',
  keyless: false,
  auth: 'bearer',
  endpoint: openaiEndpoint,
  capabilities: openaiFacts,
}
