/** Edits the JSON of a server-sent event; every other byte stays, including invalid UTF-8. */
import { type Frame, fieldSpans, type Span } from '#shared/sse'
import { bytesOf, bytewise, encoded } from './bytewise.ts'
import { isNamed, scanFields } from './json-scan.ts'
import { type Edit, type FieldChanges, fieldEdits, splice } from './splice.ts'

/**
 * The bytes of an event with `changes` applied to the JSON object in its data; `raw` itself when nothing changes. With `inside`, the
 * object is the value of that field. A change gets the field's old text with one character per byte: only its ASCII part is
 * meaningful.
 */
export function editEvent(raw: Uint8Array, changes: FieldChanges, inside?: string): Uint8Array {
  return withEdits(raw, eventEdits(raw, changes, inside))
}

/** The edits of `editEvent`, in the bytewise text of the event. */
export const eventEdits = (raw: Uint8Array, changes: FieldChanges, inside?: string): Edit[] =>
  // One character per byte, so that text positions are byte positions and every byte is preserved.
  textEdits(bytewise(raw), changes, inside).map(inBytes)

/** The bytes of an event with its edits made; `raw` itself without any. */
export const withEdits = (raw: Uint8Array, edits: readonly Edit[]): Uint8Array =>
  edits.length === 0 ? raw : bytesOf(splice(bytewise(raw), edits))

function textEdits(text: string, changes: FieldChanges, inside: string | undefined): Edit[] {
  const lines = dataLines(text)
  const [line] = lines
  if (!line) return []
  if (lines.length === 1) return objectEdits(text, line.start, changes, inside)
  const data = lines.map(({ start, end }) => text.slice(start, end)).join('\n')
  return toEvent(objectEdits(data, 0, changes, inside), lines)
}

function dataLines(text: string): Span[] {
  if (text.startsWith('data: {') && text.indexOf('\n') === text.length - 2) return [{ start: 6, end: text.length - 2 }]
  return fieldSpans(text, 'data', text.startsWith('\xef\xbb\xbf') ? 3 : 0)
}

function objectEdits(text: string, from: number, changes: FieldChanges, inside: string | undefined): Edit[] {
  const spans = scanFields(text, from)
  if (!spans || inside === undefined) return spans ? fieldEdits(text, spans, changes) : []
  const outer = spans.fields.filter((field) => isNamed(text, field, inside))
  return outer.flatMap((field) => (text[field.valueStart] === '{' ? objectEdits(text, field.valueStart, changes, undefined) : []))
}

/** Maps positions in the joined data to positions in the event. */
function toEvent(edits: Edit[], lines: Span[]): Edit[] {
  let before = 0
  let index = 0
  const move = (position: number): number => {
    for (let line = lines[index]; line && position > before + line.end - line.start; line = lines[index]) {
      before += line.end - line.start + 1
      index++
    }
    return (lines[index]?.start ?? 0) + position - before
  }
  return edits.map(({ start, end, text }) => ({ start: move(start), end: move(end), text }))
}

function inBytes(edit: Edit): Edit {
  const isAscii = Buffer.byteLength(edit.text) === edit.text.length
  return isAscii ? edit : { ...edit, text: encoded(edit.text) }
}

/** The bytes of an event, with a blank line added when the stream ended inside it, so that the next event is separate. */
export function closedEvent({ unfinished }: Pick<Frame, 'unfinished'>, out: Uint8Array): Uint8Array {
  if (!unfinished) return out
  const whole = new Uint8Array(out.length + 2).fill(0x0a)
  whole.set(out)
  return whole
}
