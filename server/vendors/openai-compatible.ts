/** Any service that copies OpenAI's Chat API and has no row of its own in `services.ts`. */
import { layoutEndpoint } from './layout.ts'
import { copiedFacts } from './models/copied.ts'
import type { Vendor } from './vendor.ts'

const layout = { openai: '/v1', messages: '' }

/**
 * The channel names the address, and in `speaks` the dialects besides Chat; a key is optional because local servers have
 * none.
 */
export const openaiCompatible: Vendor = {
  id: 'openai-compatible',
  title: 'OpenAI-compatible',
  speaks: ['chat'],
  // Which of them a server has is the administrator's to say; asked for one that it lacks, it answers 404 and the caller is told.
  operations: ['generate', 'embed', 'image', 'transcribe', 'speak', 'rerank', 'moderate', 'realtime'],
  baseUrl: undefined,
  keyless: true,
  auth: 'bearer',
  endpoint: (baseUrl, target) => layoutEndpoint(layout, baseUrl, target),
  capabilities: () => copiedFacts,
}
