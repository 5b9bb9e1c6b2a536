/**
 * IBM watsonx.ai through its model gateway, which copies OpenAI's API. The base URL is that of the region. Option: `iam`, the address that
 * gives tokens for keys, where it is not IBM Cloud's.
 * Read: https://www.ibm.com/docs/en/watsonx/saas?topic=generation-inferencing-gateway-models (chat, completions, embeddings).
 */
import { cleanBase, notServed } from '../address.ts'
import { copiedFacts } from '../models/copied.ts'
import { openaiPath } from '../openai-paths.ts'
import type { EndpointTarget, Vendor } from '../vendor.ts'

function endpoint(baseUrl: string, target: EndpointTarget): string {
  if (target.operation !== 'generate' && target.operation !== 'embed') throw notServed()
  return `${cleanBase(baseUrl).replace(/\/ml\/gateway(?:\/v1)?$/, '')}/ml/gateway/v1/${openaiPath(target)}`
}

/** IBM watsonx.ai. */
export const watsonx: Vendor = {
  id: 'watsonx',
  title: 'IBM watsonx.ai',
  speaks: ['chat', 'completions'],
  operations: ['generate', 'embed'],
  baseUrl: 'https://us-south.ml.cloud.ibm.com',
  keyless: false,
  auth: 'ibm-iam',
  endpoint,
  capabilities: () => copiedFacts,
}
