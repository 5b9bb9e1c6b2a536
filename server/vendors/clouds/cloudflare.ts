/**
 * Cloudflare Workers AI through its OpenAI-compatible API. Option: `account` (required), the id of the account.
 * Read: https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility (chat, embeddings, Responses).
 */
import { badOption, cleanBase, notServed } from '../address.ts'
import { copiedFacts } from '../models/copied.ts'
import { openaiPath } from '../openai-paths.ts'
import type { EndpointTarget, Vendor } from '../vendor.ts'

function endpoint(baseUrl: string, target: EndpointTarget): string {
  if (target.operation !== 'generate' && target.operation !== 'embed') throw notServed()
  const base = cleanBase(baseUrl)
  // A URL that names the account, or a Cloudflare gateway, is used as the SDK would use it.
  if (/\/v1$/.test(base)) return `${base}/${openaiPath(target)}`
  const { account } = target.options
  if (account === undefined || !/^[A-Za-z0-9-]+$/.test(account)) throw badOption()
  return `${base}/accounts/${account}/ai/v1/${openaiPath(target)}`
}

/** Cloudflare Workers AI. */
export const cloudflare: Vendor = {
  id: 'cloudflare',
  title: 'Cloudflare Workers AI',
  speaks: ['chat', 'responses'],
  operations: ['generate', 'embed'],
  baseUrl: 'https://api.cloudflare.com/client/v4',
  keyless: false,
  auth: 'bearer',
  needs: ['account'],
  endpoint,
  capabilities: () => copiedFacts,
}
