/** The rows of `index.ts` as vendors. */
import { type ServiceId, serviceIds } from '#shared/ids'
import { layoutEndpoint } from '../layout.ts'
import { copiedFacts } from '../models/copied.ts'
import type { Vendor } from '../vendor.ts'
import { services } from './index.ts'

function vendorOf(id: ServiceId): Vendor {
  const service = services[id]
  const facts = { ...copiedFacts, ...service.facts }
  return {
    id,
    title: service.title,
    speaks: ['chat', ...(service.messages === undefined ? [] : (['messages'] as const)), ...(service.also ?? [])],
    operations: ['generate', ...(service.serves ?? [])],
    ...(service.refuses && { refuses: { chat: service.refuses } }),
    baseUrl: service.host + service.openai,
    keyless: service.local === true,
    auth: 'bearer',
    ...(service.messagesAuth && { authBy: { messages: service.messagesAuth } }),
    endpoint: (baseUrl, target) => layoutEndpoint(service, baseUrl, target),
    capabilities: () => facts,
  }
}

/** Every row as a vendor, for the registry. */
export const serviceVendors = Object.fromEntries(serviceIds.map((id) => [id, vendorOf(id)])) as Record<ServiceId, Vendor>
