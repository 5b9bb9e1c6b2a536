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

/** The request with the vendor's changes; unchanged without a quirk. Apply it before signing. */
export function withQuirk(request: UpstreamRequest, quirk: BodyQuirk | undefined): UpstreamRequest {
  if (!quirk || typeof request.body === 'object') return request
  const changes = new Map<string, FieldChange>()
  for (const field of quirk.remove) changes.set(field, () => undefined)
  for (const [field, value] of Object.entries(quirk.set)) changes.set(field, () => JSON.stringify(value))
  const { listFromHeader: list, dropHeaders, accept } = quirk
  const listed = list && request.headers[list.header]
  if (list && listed !== undefined) changes.set(list.field, (json) => json ?? JSON.stringify(listOf(listed)))

  const kept = Object.entries(request.headers).filter(([name]) => !dropHeaders.includes(name.toLowerCase()))
  return {
    ...request,
    headers: { ...Object.fromEntries(kept), ...(accept !== undefined && { accept }) },
    body: request.body === undefined ? undefined : edited(request.body, changes),
  }
}

function edited(body: string, changes: ReadonlyMap<string, FieldChange>): string {
  const spans = scanFields(body)
  return spans ? splice(body, fieldEdits(body, spans, changes)) : body
}
