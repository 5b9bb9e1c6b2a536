/**
 * Edits in raw JSON text: fields of the outermost object are replaced, removed or added, and every other byte stays as it
 * came: white space, order, duplicates, spellings of numbers. Many edits are one pass over the text.
 */
import { isNamed, type JsonField, type JsonSpans } from './json-scan.ts'

/** Puts `text` in place of the span from `start` to `end`. */
export interface Edit {
  start: number
  end: number
  text: string
}

/**
 * What becomes of a field: given the JSON text of its value (once for every occurrence of a duplicate), or undefined when
 * the object has no such field. The answer is the new JSON text, or undefined for no field.
 */
export type FieldChange = (json: string | undefined) => string | undefined

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

/** The edits, in order, that make `changes` in the object that `spans` was scanned from. */
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
    // Removed fields go with the comma that follows them, as long as a field is kept after them.
    if (firstRemoved) edits.push({ start: firstRemoved.keyStart, end: field.keyStart, text: '' })
    firstRemoved = undefined
    if (after !== before) edits.push({ start: field.valueStart, end: field.valueEnd, text: after })
    lastKept = field
  }

  const added = addedFields(changes, seen)
  const insertAt = lastKept?.valueEnd ?? spans.open + 1
  if (added !== '') edits.push({ start: insertAt, end: insertAt, text: lastKept ? `,${added}` : added })
  const last = spans.fields.at(-1)
  // Removed fields at the end go with the comma before them.
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
