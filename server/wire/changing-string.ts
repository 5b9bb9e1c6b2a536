/**
 * JSON texts that are alike but for one string, as the events of a stream are: once one of them was parsed, that string of the others is
 * found by what stands around it.
 */

/** What stands before and after the string, its quotes included. */
export interface ChangingString {
  before: string
  after: string
}

/** Needs no unescaping. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in a string.
const plain = /^[^"\\\u0000-\u001f]+$/

/**
 * The surroundings of `value` in `text`, from which `read` takes it after parsing. Undefined where it is empty, escaped, or not the only
 * one of its kind. `text` is valid JSON.
 */
export function changingString(text: string, value: string, read: (parsed: unknown) => unknown): ChangingString | undefined {
  const literal = `"${value}"`
  const at = text.indexOf(literal)
  if (at < 0 || text.indexOf(literal, at + 1) >= 0 || !plain.test(value)) return undefined
  const surroundings = { before: text.slice(0, at + 1), after: text.slice(at + literal.length - 1) }
  // The same text may be a name, or belong to another field.
  const changed = `${value}+`
  return read(JSON.parse(surroundings.before + changed + surroundings.after)) === changed ? surroundings : undefined
}

/** The same string of a text that begins at `from` and is followed by others; undefined likewise. */
export function nextString({ before, after }: ChangingString, text: string, from: number): string | undefined {
  if (!text.startsWith(before, from)) return undefined
  const start = from + before.length
  const end = text.indexOf('"', start)
  if (end <= start || !text.startsWith(after, end)) return undefined
  const value = text.slice(start, end)
  return plain.test(value) ? value : undefined
}

/**
 * The string of another text, or of the part of it from `start` to `end`; undefined where anything else differs, or it is empty or
 * escaped.
 */
export function stringWithin({ before, after }: ChangingString, text: string, start = 0, end = text.length): string | undefined {
  const [from, to] = [start + before.length, end - after.length]
  if (to <= from || !text.startsWith(before, start) || !text.startsWith(after, to)) return undefined
  const value = text.slice(from, to)
  return plain.test(value) ? value : undefined
}
