/**
 * Models of Azure AI Foundry: those of other makers in OpenAI's format, Claude in its own. The base URL is the resource
 * (`https://NAME.services.ai.azure.com`), with or without a path that its examples show; the model is the name of the deployment.
 * OpenAI's models are `azure-openai`.
 * Read: https://learn.microsoft.com/azure/foundry/foundry-models/concepts/endpoints (`/openai/v1`),
 * https://learn.microsoft.com/azure/foundry-classic/foundry-models/how-to/use-foundry-models-claude (`/anthropic/v1/messages`),
 * https://learn.microsoft.com/samples/azure-samples/ai-model-start/ai-model-start/ (Responses of other makers' models).
 */
import { cleanBase, notServed } from '../address.ts'
import { claudeFacts, isClaude } from '../models/claude.ts'
import { copiedFacts } from '../models/copied.ts'
import { openaiPath } from '../openai-paths.ts'
import type { EndpointTarget, Vendor } from '../vendor.ts'

function endpoint(baseUrl: string, target: EndpointTarget): string {
  const resource = cleanBase(baseUrl).replace(/(?<!\/)\/(?:openai(?:\/v1)?|anthropic(?:\/v1(?:\/messages)?)?|models)$/, '')
  if (target.operation === 'generate' && target.dialect === 'messages') return `${resource}/anthropic/v1/messages`
  if (target.operation !== 'generate' && target.operation !== 'embed') throw notServed()
  return `${resource}/openai/v1/${openaiPath(target)}`
}

/** Azure AI Foundry. */
export const azureFoundry: Vendor = {
  id: 'azure-foundry',
  title: 'Azure AI Foundry',
  speaks: ['chat', 'responses', 'messages'],
  speaksFor: (model) => (isClaude(model) ? ['messages'] : ['chat', 'responses']),
  operations: ['generate', 'embed'],
  baseUrl: undefined,
  keyless: false,
  auth: 'api-key',
  authBy: { messages: 'x-api-key' },
  endpoint,
  capabilities: (model) => (isClaude(model) ? claudeFacts(model) : copiedFacts),
}
