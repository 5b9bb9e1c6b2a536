/**
 * Edits files that belong to other programs, and undoes it: texts in, texts out. The previous content is saved in a record beside
 * the file, so that undoing restores an otherwise unchanged file byte for byte, and in a changed one
 * reverts only what was written here.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Part } from './agents.ts'

/** The previous content of a file; null where there was none. */
export interface Before {
  text: string | null
}

const begin = '# --- parley: begin ---'
const end = '# --- parley: end ---'

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Throws an Error for text that is not a JSON object, which is never overwritten. */
function objectIn(text: string | null, file: string): Json {
  if (text === null || text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`${file} is not plain JSON (comments?); it was not changed. Add the settings by hand.`)
  }
  if (!isObject(value)) throw new Error(`${file} is not a JSON object; it was not changed.`)
  return value
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), object)
}

/** A copy of the object with this value set; undefined removes it, and objects that thereby become empty. */
function withValue(object: Json, [name = '', ...rest]: readonly string[], value: unknown): Json {
  const { [name]: inside, ...others } = object
  if (rest.length === 0) return value === undefined ? others : { ...object, [name]: value }
  const changed = withValue(isObject(inside) ? inside : {}, rest, value)
  return value === undefined && Object.keys(changed).length === 0 ? others : { ...object, [name]: changed }
}

const print = (value: Json) => `${JSON.stringify(value, undefined, 2)}\n`

const withoutBlock = (text: string) => {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  return from < 0 || to < 0 ? text : text.slice(0, from).replace(/\n\n$/, '\n') + text.slice(to + end.length).replace(/^\n/, '')
}

/** The file's text with the part in it, once. Throws an Error for a file that cannot be read. */
export function written(part: Part, now: string | null): string {
  if ('json' in part) {
    return print(part.json.reduce((object, [path, value]) => withValue(object, path, value), objectIn(now, part.file)))
  }
  const rest = withoutBlock(now ?? '')
  const gap = rest === '' ? '' : rest.endsWith('\n') ? '\n' : '\n\n'
  return `${rest}${gap}${[begin, ...part.lines, end].join('\n')}\n`
}

/** The file's text without the part; null where there should be no file again. */
export function takenBack(part: Part, now: string | null, { text: before }: Before): string | null {
  if (now === null) return null
  if (now === written(part, before)) return before
  if ('lines' in part) {
    const rest = withoutBlock(now)
    return rest.trim() === '' && before === null ? null : rest
  }
  const then = objectIn(before, part.file)
  let undone = part.json.reduce(
    (object, [path, value]) => {
      // A value that was changed since is left alone.
      return isDeepStrictEqual(valueAt(object, path), value) ? withValue(object, path, valueAt(then, path)) : object
    },
    objectIn(now, part.file),
  )
  const holders = part.json.flatMap(([path]) => path.slice(1).map((_, at) => path.slice(0, at + 1)))
  for (const path of holders) if (isObject(valueAt(then, path)) && valueAt(undone, path) === undefined) undone = withValue(undone, path, {})
  return before === null && Object.keys(undone).length === 0 ? null : print(undone)
}
