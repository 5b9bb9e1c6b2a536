/** OpenAI itself. Model facts are as public documentation repeats them (not read on OpenAI's own pages);
 * a model without a row has unknown facts, and a channel can override every one. */
import { openaiEndpoint } from './openai-paths.ts'
import type { Capabilities, Vendor } from './vendor.ts'

const gpt5: Capabilities = { contextTokens: 400_000, maxOutputTokens: 128_000, vision: true, tools: true, reasoning: true }
const gpt41: Capabilities = { contextTokens: 1_047_576, maxOutputTokens: 32_768, vision: true, tools: true }
const gpt4o: Capabilities = { contextTokens: 128_000, maxOutputTokens: 16_384, vision: true, tools: true }

/** By exact name: a dated snapshot may differ from its alias (the first gpt-4o ends at 4,096 tokens). */
const models = new Map<string, Capabilities>([
  ['gpt-5', gpt5],
  ['gpt-5-mini', gpt5],
  ['gpt-5-nano', gpt5],
  ['gpt-4.1', gpt41],
  ['gpt-4.1-mini', gpt41],
  ['gpt-4.1-nano', gpt41],
  ['gpt-4o', gpt4o],
  ['gpt-4o-mini', gpt4o],
])

export const openai: Vendor = {
  id: 'openai',
  title: 'OpenAI',
  speaks: ['chat'],
  operations: ['generate'],
  baseUrl: 'https://api.openai.com/v1',
  keyless: false,
  auth: 'bearer',
  endpoint: openaiEndpoint,
  capabilities: (model) => models.get(model) ?? {},
}
