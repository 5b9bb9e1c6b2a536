/**
 * The closed list of edits in a generateContent request, spliced into its raw text. The model is in the path, and in the body only if the
 * caller repeats it; usage is always reported.
 */
import type { RequestEdits } from '#canonical/codec'
import { isObject } from '#shared/json'
import { isNamed, type JsonSpans, scanFields } from '#wire/json-scan'
import { demandExact, type FieldChange, fieldEdits, splice } from '#wire/splice'
import { camel, snake } from './proto-json.ts'

/** `raw` is a body that readHead accepted. Later changes win: remove, set, system prompt, and last the model's name. */
export function editRequest(raw: string, edits: RequestEdits): string {
  const spans = scanFields(raw)
  if (!spans) return raw
  const changes = new Map<string, FieldChange>()
  const change = (key: string, next: FieldChange) => {
    const before = changes.get(key)
    changes.set(key, before ? (json) => next(before(json)) : next)
  }
  for (const key of edits.remove ?? []) for (const spelled of spellings(key)) change(spelled, () => undefined)
  for (const [key, value] of Object.entries(edits.set ?? {})) change(spellingIn(raw, spans, key), () => JSON.stringify(value))
  const { systemPrompt, model } = edits
  if (systemPrompt !== undefined) change(spellingIn(raw, spans, 'systemInstruction'), (json) => withSystem(json, systemPrompt))
  if (model !== undefined) change('model', (json) => (json?.startsWith('"') ? JSON.stringify(`models/${model}`) : json))
  demandExact(raw, spans, changes.keys())
  return changes.size > 0 ? splice(raw, fieldEdits(raw, spans, changes)) : raw
}

const spellings = (key: string) => new Set([key, camel(key), snake(key)])

/** The caller's spelling of a field: the upstream refuses two spellings of one field. */
function spellingIn(raw: string, spans: JsonSpans, key: string): string {
  const present = [...spellings(key)].find((spelled) => spans.fields.some((field) => isNamed(raw, field, spelled)))
  return present ?? key
}

function withSystem(json: string | undefined, text: string): string {
  const first = JSON.stringify({ text })
  const before: unknown = json === undefined ? undefined : JSON.parse(json)
  if (typeof before === 'string') return `{"parts":[${first},${JSON.stringify({ text: before })}]}`
  const spans = json === undefined || !isObject(before) ? undefined : scanFields(json)
  if (json === undefined || !spans) return `{"parts":[${first}]}`
  return splice(json, fieldEdits(json, spans, new Map([['parts', (parts) => withFirst(parts, first)]])))
}

function withFirst(parts: string | undefined, first: string): string {
  if (parts?.startsWith('{')) return `[${first},${parts}]`
  if (!parts?.startsWith('[')) return `[${first}]`
  const rest = parts.slice(1)
  return `[${first}${/^\s*\]/.test(rest) ? '' : ','}${rest}`
}
