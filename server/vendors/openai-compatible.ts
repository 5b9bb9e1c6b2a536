/** Any service with a copy of OpenAI's Chat API and no row of its own in `services/`. */
import { layoutEndpoint } from './layout.ts'
import { copiedFacts } from './models/copied.ts'
import type { Vendor } from './vendor.ts'

const layout = { openai: '/v1', messages: '' }

/** The channel names the URL, and in `speaks` the dialects besides Chat; a key is optional because local servers have none. */
export const openaiCompatible: Vendor = {
  id: 'openai-compatible',
  title: 'OpenAI-compatible',
  speaks: ['chat'],
  // The administrator decides which of these a server has; for one it lacks it answers 404, which is passed on to the caller.
  operations: ['generate', 'embed', 'image', 'video', 'transcribe', 'speak', 'rerank', 'moderate', 'realtime'],
  baseUrl: undefined,
  keyless: true,
  auth: 'bearer',
  endpoint: (baseUrl, target) => layoutEndpoint(layout, baseUrl, target),
  capabilities: () => copiedFacts,
}
