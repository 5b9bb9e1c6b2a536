/** The closed list of edits in a request for embeddings. A batch repeats the model's name in each of its requests. */
import type { RequestEdits } from '#canonical/codec'
import type { Incoming } from '#canonical/operation/operation'
import { scanFields } from '#wire/json-scan'
import { type Edit, type FieldChange, fieldEdits, splice } from '#wire/splice'
import { editRequest as editFields } from '../request-edit.ts'
import { resourceOf, textOf } from './request.ts'

/** `incoming` is a body that readHead accepted. */
export function editRequest(incoming: Incoming, { model, ...edits }: RequestEdits): string {
  const raw = editFields(textOf(incoming), edits)
  if (model === undefined) return raw
  const name: FieldChange = (json) => json && JSON.stringify(resourceOf(model))
  const each: FieldChange = (json) => json && renameEach(json, new Map([['model', name]]))
  const changes = new Map([
    ['model', name],
    ['requests', each],
  ])
  const spans = scanFields(raw)
  return spans ? splice(raw, fieldEdits(raw, spans, changes)) : raw
}

/** `json` is an object or a list of objects. */
function renameEach(json: string, changes: ReadonlyMap<string, FieldChange>): string {
  const edits: Edit[] = []
  const isList = json.startsWith('[')
  for (let at = isList ? 1 : 0; ; ) {
    const spans = scanFields(json, at)
    if (!spans) break
    edits.push(...fieldEdits(json, spans, changes))
    const end = /\s*\}\s*,?/y
    end.lastIndex = spans.fields.at(-1)?.valueEnd ?? spans.open + 1
    if (!isList || !end.test(json)) break
    at = end.lastIndex
  }
  return splice(json, edits)
}
