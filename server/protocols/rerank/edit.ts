/** Edits of a rerank request that passes as it is. */
import type { RequestEdits } from '#canonical/codec'
import type { Incoming } from '#canonical/operation/operation'
import { scanFields } from '#wire/json-scan'
import { demandExact, type FieldChange, fieldEdits, splice } from '#wire/splice'
import { jsonOf } from './request.ts'

/** The body with these edits spliced in. Throws GatewayError for a form, and for a name that is spelled twice. */
export function editRequest(incoming: Incoming, { model, set, remove }: RequestEdits): Incoming {
  const body = jsonOf(incoming)
  const changes = new Map<string, FieldChange>()
  for (const key of remove ?? []) changes.set(key, () => undefined)
  for (const [key, value] of Object.entries(set ?? {})) changes.set(key, () => JSON.stringify(value))
  if (model !== undefined) changes.set('model', () => JSON.stringify(model))
  const spans = changes.size > 0 ? scanFields(body) : undefined
  if (spans) demandExact(body, spans, changes.keys())
  return spans ? splice(body, fieldEdits(body, spans, changes)) : body
}
