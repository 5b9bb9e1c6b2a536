/** Applies a vendor's changes to a dialect's request (`Vendor.body`) by splicing the raw text: every other byte stays. Pure. */
import type { BodyQuirk } from '#vendors/vendor'
import { scanFields } from '#wire/json-scan'
import { type FieldChange, fieldEdits, splice } from '#wire/splice'
import type { UpstreamRequest } from './upstream.ts'

/** The values of a list header, trimmed and without empty ones. */
const listOf = (value: string) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/**
 * The request with the vendor's changes; unchanged without a quirk. Apply it before signing. Bytes were changed by `quirkedBody` before.
 */
export function withQuirk(request: UpstreamRequest, quirk: BodyQuirk | undefined): UpstreamRequest {
  if (!quirk) return request
  const { headers, body } = request
  const { dropHeaders, accept, listFromHeader: list } = quirk
  const kept = Object.entries(headers).filter(([name]) => !dropHeaders.includes(name.toLowerCase()))
  return {
    ...request,
    headers: { ...Object.fromEntries(kept), ...(accept !== undefined && { accept }) },
    body: typeof body === 'string' ? quirkedBody(body, quirk, list && headers[list.header]) : body,
  }
}

/** A body with the vendor's changes; `listed` is the value of the header that becomes a field. */
export function quirkedBody(body: string, quirk: BodyQuirk, listed: string | undefined): string {
  const changes = new Map<string, FieldChange>()
  for (const field of quirk.remove) changes.set(field, () => undefined)
  for (const [field, value] of Object.entries(quirk.set)) changes.set(field, () => JSON.stringify(value))
  const { listFromHeader: list } = quirk
  if (list && listed !== undefined) changes.set(list.field, (json) => json ?? JSON.stringify(listOf(listed)))
  const spans = scanFields(body)
  return spans ? splice(body, fieldEdits(body, spans, changes)) : body
}
