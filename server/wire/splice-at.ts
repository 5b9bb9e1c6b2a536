/** Changes one nested value in a JSON text; every other byte stays. */
import { isNamed, scanFields } from './json-scan.ts'
import { fieldEdits, splice } from './splice.ts'

/**
 * `json` with the value at `path` changed, each name of the path in any of its spellings. Unchanged if there is no such value; `json` must
 * already be checked for duplicate names.
 */
export function spliceAt(json: string, path: readonly (readonly string[])[], change: (value: string) => string): string {
  const [spellings, ...rest] = path
  if (spellings === undefined) return change(json)
  const spans = scanFields(json)
  const key = spans && spellings.find((name) => spans.fields.some((field) => isNamed(json, field, name)))
  if (!spans || key === undefined) return json
  const changed = (value: string | undefined) => (value === undefined ? value : spliceAt(value, rest, change))
  return splice(json, fieldEdits(json, spans, new Map([[key, changed]])))
}
