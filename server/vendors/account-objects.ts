/** Which vendors have objects in their accounts, in which API formats and at which URLs. */
import type { ObjectApi, ObjectKind } from '#canonical/account-object'
import type { Dialect, VendorId } from '#shared/ids'
import { cleanBase, isVersioned, withoutVersion } from './address.ts'
import { azureObjectAddress } from './clouds/azure-openai.ts'
import { vertexObjectAddress } from './clouds/vertex.ts'
import { openaiBase } from './openai-paths.ts'

const kept: Readonly<Partial<Record<VendorId, Readonly<Partial<Record<ObjectApi, readonly ObjectKind[]>>>>>> = {
  openai: { openai: ['vector-store', 'container', 'voice', 'voice-consent', 'skill'] },
  'azure-openai': { openai: ['vector-store', 'container'] },
  anthropic: { messages: ['skill', 'memory-store', 'agent', 'environment', 'vault'] },
  gemini: { gemini: ['cached-content', 'file-search-store'] },
  vertex: { gemini: ['cached-content'] },
  parley: {
    openai: ['vector-store', 'container', 'voice', 'voice-consent', 'skill'],
    messages: ['skill', 'memory-store', 'agent', 'environment', 'vault'],
    gemini: ['cached-content', 'file-search-store'],
  },
}

/** Whether the vendor has this kind of object, in this format. */
export const keepsObjects = (vendor: VendorId, api: ObjectApi, kind: ObjectKind): boolean => kept[vendor]?.[api]?.includes(kind) ?? false

/** The vendors that have it, for error messages. */
export const keepersOf = (api: ObjectApi, kind: ObjectKind): VendorId[] =>
  (Object.keys(kept) as VendorId[]).filter((vendor) => keepsObjects(vendor, api, kind))

/** The dialect whose credential and headers such requests have. */
export const dialectOf: Readonly<Record<ObjectApi, Dialect>> = { openai: 'chat', messages: 'messages', gemini: 'gemini' }

interface Account {
  vendor: { id: VendorId }
  baseUrl: string
  options: Readonly<Record<string, string>>
}

/** The absolute URL of `path`, which begins after the version (`vector_stores/vs_1`); `isUpload`: Google's URL for uploads. */
export function objectAddress({ vendor, baseUrl, options }: Account, api: ObjectApi, path: string, isUpload = false): string {
  if (vendor.id === 'azure-openai') return azureObjectAddress(baseUrl, options, path)
  if (vendor.id === 'vertex') return vertexObjectAddress(baseUrl, options, path)
  if (api === 'openai') return `${openaiBase(baseUrl)}/${path}`
  const base = cleanBase(baseUrl)
  if (api === 'messages') return `${withoutVersion(base)}/v1/${path}`
  const versioned = isVersioned(base) ? base : `${base}/v1beta`
  if (!isUpload) return `${versioned}/${path}`
  const { origin, pathname } = new URL(versioned)
  return `${origin}/upload${pathname}/${path}`
}
