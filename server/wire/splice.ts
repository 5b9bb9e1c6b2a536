/**
 * Edits raw JSON text: fields of the top-level object are replaced, removed or added, and every other byte stays: white space, order,
 * duplicates, spellings of numbers. Many edits take one pass over the text.
 */
import { refuseVariants } from './json-names.ts'
import { fieldNames, isNamed, type JsonField, type JsonSpans } from './json-scan.ts'

/** Replaces the span from `start` to `end` with `text`. */
export interface Edit {
  start: number
  end: number
  text: string
}

/**
 * Changes a field: gets the JSON text of its value (once for every occurrence of a duplicate), or undefined when the object has no
 * such field. Returns the new JSON text, or undefined to remove the field.
 */
export type FieldChange = (json: string | undefined) => string | undefined

/** Changes by field name. */
export type FieldChanges = ReadonlyMap<string, FieldChange>

/** `text` with `edits` made; they must be in order and must not overlap. */
export function splice(text: string, edits: readonly Edit[]): string {
  let result = ''
  let from = 0
  for (const edit of edits) {
    result += text.slice(from, edit.start) + edit.text
    from = edit.end
  }
  return edits.length === 0 ? text : result + text.slice(from)
}

/**
 * Throws `ambiguous_field` when a field of a caller's body differs only in case from one that is set or removed: the upstream might
 * take either.
 */
export function demandExact(text: string, spans: JsonSpans, changes: Iterable<string>): void {
  refuseVariants(fieldNames(text, spans), changes)
}

/** The edits, in order, that apply `changes` to the object that `spans` describes. */
export function fieldEdits(text: string, spans: JsonSpans, changes: FieldChanges): Edit[] {
  const edits: Edit[] = []
  const seen = new Set<string>()
  let lastKept: JsonField | undefined
  let firstRemoved: JsonField | undefined

  for (const field of spans.fields) {
    const key = nameOf(text, field, changes)
    const before = key === undefined ? '' : text.slice(field.valueStart, field.valueEnd)
    const after = key === undefined ? before : changes.get(key)?.(before)
    if (key !== undefined) seen.add(key)
    if (after === undefined) {
      firstRemoved ??= field
      continue
    }
    // Removed fields include the comma after them, as long as a kept field follows.
    if (firstRemoved) edits.push({ start: firstRemoved.keyStart, end: field.keyStart, text: '' })
    firstRemoved = undefined
    if (after !== before) edits.push({ start: field.valueStart, end: field.valueEnd, text: after })
    lastKept = field
  }

  const added = addedFields(changes, seen)
  const insertAt = lastKept?.valueEnd ?? spans.open + 1
  if (added !== '') edits.push({ start: insertAt, end: insertAt, text: lastKept ? `,${added}` : added })
  const last = spans.fields.at(-1)
  // Removed fields at the end include the comma before them.
  if (firstRemoved && last) edits.push({ start: lastKept ? insertAt : firstRemoved.keyStart, end: last.valueEnd, text: '' })
  return edits
}

function nameOf(text: string, field: JsonField, changes: FieldChanges): string | undefined {
  for (const key of changes.keys()) if (isNamed(text, field, key)) return key
  return undefined
}

function addedFields(changes: FieldChanges, seen: ReadonlySet<string>): string {
  const fields: string[] = []
  for (const [key, change] of changes) {
    const json = seen.has(key) ? undefined : change(undefined)
    if (json !== undefined) fields.push(`${JSON.stringify(key)}:${json}`)
  }
  return fields.join(',')
}
