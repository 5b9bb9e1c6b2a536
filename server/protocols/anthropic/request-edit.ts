/** The closed list of edits in a Messages request, spliced into its raw text. */
import type { RequestEdits } from '#canonical/codec'
import { scanFields } from '#wire/json-scan'
import { demandExact, type FieldChange, fieldEdits, splice } from '#wire/splice'

/** `raw` is a body that readHead accepted. Later changes win: remove, set, system prompt, and last the model's name. */
export function editRequest(raw: string, { remove, set, systemPrompt, model }: RequestEdits): string {
  const changes = new Map<string, FieldChange>()
  const change = (key: string, next: FieldChange) => {
    const before = changes.get(key)
    changes.set(key, before ? (json) => next(before(json)) : next)
  }
  for (const key of remove ?? []) change(key, () => undefined)
  for (const [key, value] of Object.entries(set ?? {})) change(key, () => JSON.stringify(value))
  if (systemPrompt !== undefined) change('system', (json) => withSystem(json, systemPrompt))
  if (model !== undefined) change('model', () => JSON.stringify(model))

  const spans = changes.size > 0 ? scanFields(raw) : undefined
  if (spans) demandExact(raw, spans, changes.keys())
  return spans ? splice(raw, fieldEdits(raw, spans, changes)) : raw
}

/** The channel's prompt comes first, as a block of its own: the client's text keeps its bytes, and its cache breakpoints. */
function withSystem(system: string | undefined, prompt: string): string {
  const first = JSON.stringify({ type: 'text', text: prompt })
  if (system?.startsWith('[')) return `[${first}${/^\[\s*\]/.test(system) ? '' : ','}${system.slice(1)}`
  if (system === undefined || system === 'null' || system === '""') return JSON.stringify(prompt)
  return `[${first},{"type":"text","text":${system}}]`
}
