/**
 * Anthropic itself. Both API versions are supported: the version header is the client's own, or the codec's for a converted request
 * (docs/mapping.md 0.1). `x-api-key` takes precedence over a bearer token (docs/mapping.md 1.4).
 */
import { cleanBase, notServed, withoutVersion } from './address.ts'
import { claudeFacts } from './models/claude.ts'
import type { EndpointTarget, Vendor } from './vendor.ts'

/**
 * The URL of Messages or of token counting, under the base URL that Anthropic's SDK would be given; a version at the end is accepted
 * too.
 */
export function messagesEndpoint(baseUrl: string, { operation, dialect }: EndpointTarget): string {
  if (dialect !== 'messages') throw notServed()
  const base = `${withoutVersion(cleanBase(baseUrl))}/v1/messages`
  if (operation === 'generate') return base
  if (operation === 'count-tokens') return `${base}/count_tokens`
  throw notServed()
}

/** Anthropic's own API. */
export const anthropic: Vendor = {
  id: 'anthropic',
  title: 'Anthropic',
  speaks: ['messages'],
  operations: ['generate', 'count-tokens'],
  baseUrl: 'https://api.anthropic.com',
  keyless: false,
  auth: 'x-api-key',
  endpoint: messagesEndpoint,
  capabilities: claudeFacts,
}
