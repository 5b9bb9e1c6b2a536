/** The closed list of edits in a request of the family, spliced into its raw text. */
import type { RequestEdits } from '#canonical/codec'
import { isObject } from '#shared/json'
import { scanFields } from '#wire/json-scan'
import { demandExact, type FieldChange, fieldEdits, splice } from '#wire/splice'

/** The field for the channel's system prompt, and its edit: from its JSON text to the new one. */
export interface PromptPlace {
  field: string
  put(json: string | undefined, systemPrompt: string): string | undefined
}

/**
 * `raw` is a body that the dialect's readHead accepted. Later changes win: remove, set, system prompt, usage, and last the
 * model's name.
 */
export function editFields(raw: string, edits: RequestEdits, place: PromptPlace): string {
  const { remove, set, systemPrompt, model, forceUsage } = edits
  // Most bodies are sent unchanged.
  if (remove === undefined && set === undefined && systemPrompt === undefined && model === undefined && !forceUsage) return raw
  const changes = new Map<string, FieldChange>()
  const change = (key: string, next: FieldChange) => {
    const before = changes.get(key)
    changes.set(key, before ? (json) => next(before(json)) : next)
  }
  for (const key of remove ?? []) change(key, () => undefined)
  for (const [key, value] of Object.entries(set ?? {})) change(key, () => JSON.stringify(value))
  if (systemPrompt !== undefined) change(place.field, (json) => place.put(json, systemPrompt))
  if (forceUsage) change('stream_options', withUsage)
  if (model !== undefined) change('model', () => JSON.stringify(model))

  const spans = changes.size > 0 ? scanFields(raw) : undefined
  if (spans) demandExact(raw, spans, changes.keys())
  return spans ? splice(raw, fieldEdits(raw, spans, changes)) : raw
}

/** Other stream options stay; anything but an object is left for the upstream to refuse. */
function withUsage(options: string | undefined): string | undefined {
  if (options === undefined || options === 'null') return '{"include_usage":true}'
  const parsed: unknown = JSON.parse(options)
  if (!isObject(parsed) || parsed.include_usage === true) return options
  const spans = scanFields(options)
  return spans && splice(options, fieldEdits(options, spans, new Map([['include_usage', () => 'true']])))
}
