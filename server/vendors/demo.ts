/** The scripted model inside Parley, for trying everything without any upstream account. */
import { openaiEndpoint } from './openai-paths.ts'
import type { Vendor } from './vendor.ts'

/** The demo vendor. */
export const demo: Vendor = {
  id: 'demo',
  title: 'Demo',
  speaks: ['chat'],
  operations: ['generate', 'embed', 'image', 'transcribe', 'speak', 'rerank', 'moderate', 'realtime'],
  // `.invalid` can never resolve (RFC 2606): a demo channel that reached the network by mistake would fail.
  baseUrl: 'http://demo.invalid/v1',
  keyless: true,
  auth: 'none',
  scripted: true,
  endpoint: openaiEndpoint,
  capabilities: (model) =>
    model === 'parley-demo' ? { contextTokens: 128_000, maxOutputTokens: 4096, vision: true, tools: true, reasoning: true } : {},
}
