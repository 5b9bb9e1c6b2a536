/**
 * Replicate: pictures, as predictions of one model each. Its models of language speak no common API, and are not served. A model is
 * `owner/name` for an official one, `owner/name:version` for any other.
 * Read: https://replicate.com/docs/reference/http.md, https://replicate.com/docs/topics/predictions/create-a-prediction and
 * github vercel/ai packages/replicate.
 */
import { cleanBase, modelSegment, notServed, withoutVersion } from './address.ts'
import type { EndpointTarget, Vendor } from './vendor.ts'

function endpoint(baseUrl: string, { operation, model, stream }: EndpointTarget): string {
  if (operation !== 'image' || stream) throw notServed()
  const base = `${withoutVersion(cleanBase(baseUrl))}/v1`
  if (model.includes(':')) return `${base}/predictions`
  return `${base}/models/${model.split('/').map(modelSegment).join('/')}/predictions`
}

/** Replicate's API. */
export const replicate: Vendor = {
  id: 'replicate',
  title: 'Replicate',
  speaks: [],
  operations: ['image'],
  styles: { image: 'replicate' },
  baseUrl: 'https://api.replicate.com/v1',
  keyless: false,
  auth: 'bearer',
  endpoint,
  capabilities: () => ({}),
}
