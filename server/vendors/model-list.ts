/** The URL of a vendor's list of models, if it has one: next to the URL of conversations, in each layout. */
import type { VendorId } from '#shared/ids'
import { schemeOf } from './auth.ts'
import type { AuthScheme, Vendor } from './vendor.ts'

/** How to request the list. */
export interface ModelList {
  url: string
  /** In addition to the credential. */
  headers: Record<string, string>
  auth: AuthScheme
}

/** These list models elsewhere (in a cloud's own catalogue), or not at all. */
const without = new Set<VendorId>(['azure-openai', 'vertex', 'bedrock', 'cohere', 'jina', 'demo', 'perplexity'])

/** A placeholder: the name is cut off again. */
const target = { operation: 'generate', model: 'm', stream: false, options: {} } as const

/** Undefined for a vendor that has no list. */
export function modelList(vendor: Vendor, baseUrl: string): ModelList | undefined {
  if (without.has(vendor.id)) return undefined
  const [dialect] = (['chat', 'messages', 'gemini'] as const).filter((one) => vendor.speaks.includes(one))
  if (dialect === undefined) return undefined
  const address = vendor.endpoint(baseUrl, { ...target, dialect })
  const auth = schemeOf(vendor, dialect)
  switch (dialect) {
    case 'chat':
      return { url: address.replace(/\/chat\/completions$/, '/models'), headers: {}, auth }
    case 'messages':
      return { url: address.replace(/\/messages$/, '/models?limit=1000'), headers: { 'anthropic-version': '2023-06-01' }, auth }
    case 'gemini':
      return { url: address.replace(/\/m:[^/]*$/, '?pageSize=1000'), headers: {}, auth }
  }
}
