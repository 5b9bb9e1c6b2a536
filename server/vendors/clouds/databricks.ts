/**
 * Models served by a Databricks workspace. The base URL is the workspace, with or without `/serving-endpoints`; the model is the name of the
 * serving endpoint.
 * Read: https://docs.databricks.com/machine-learning/model-serving/score-foundation-models.html (OpenAI client: chat, embeddings and
 * completions, the endpoint's name as the model).
 */
import { cleanBase, notServed } from '../address.ts'
import { copiedFacts } from '../models/copied.ts'
import { openaiPath } from '../openai-paths.ts'
import type { EndpointTarget, Vendor } from '../vendor.ts'

function endpoint(baseUrl: string, target: EndpointTarget): string {
  if (target.operation !== 'generate' && target.operation !== 'embed') throw notServed()
  return `${cleanBase(baseUrl).replace(/(?<!\/)\/serving-endpoints$/, '')}/serving-endpoints/${openaiPath(target)}`
}

/** Databricks. */
export const databricks: Vendor = {
  id: 'databricks',
  title: 'Databricks',
  speaks: ['chat', 'completions'],
  operations: ['generate', 'embed'],
  baseUrl: undefined,
  keyless: false,
  auth: 'bearer',
  endpoint,
  capabilities: () => copiedFacts,
}
