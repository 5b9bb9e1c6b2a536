/**
 * Finds the positions of the top-level fields of a JSON object in its text, so that one can be replaced while every other byte stays
 * (`splice.ts`). Strings are skipped, nothing recurses, and the work is linear for any input.
 *
 * This folder converts bytes to frames and back and edits raw JSON text, without knowing any protocol's fields.
 */
import { GatewayError } from '#shared/errors'
import { keepDigits, keepFloats } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { ambiguousField, countNames, type NameTable } from './json-names.ts'

/** One occurrence of a top-level field: its quoted key and its value. Ends are exclusive. */
export interface JsonField {
  keyStart: number
  keyEnd: number
  valueStart: number
  valueEnd: number
  /** True when the key is written with escapes: `"mod\u0065l"` is `model`. */
  escaped: boolean
}

/** The fields of an object and their positions. */
export interface JsonSpans {
  /** Position of the object's opening brace. */
  open: number
  /** In order, with every occurrence of a duplicate. */
  fields: JsonField[]
}

/** A request body that is a JSON object: its values as JSON.parse reads them (what that rounds, `exact` has), and their positions. */
export interface ScannedObject extends JsonSpans {
  text: string
  value: Record<string, unknown>
  /** The sought prefixes with which some string, name or value, begins. */
  begins: ReadonlySet<string>
  /** A nested number is written as `1.0` is. */
  hasFloats: boolean
}

interface Limits {
  depth: number
  fields: number
}

/** Nesting as in CONTRACT section 5; no known request has a tenth of this number of fields. */
const requestLimits: Limits = { depth: 64, fields: 4096 }
const noLimits: Limits = { depth: Number.POSITIVE_INFINITY, fields: Number.POSITIVE_INFINITY }

/** What the scan counts: how many names the objects have, with duplicates, and which sought prefixes occur. */
interface Counts {
  names: number
  sought: readonly string[]
  begins: Set<string>
  /** A number has more digits than a double may have, or an exponent: digits may be lost. */
  hasLong: boolean
  /** A number has a fraction of zeros only: its form is lost. */
  hasFloats: boolean
}

const QUOTE = 0x22
const COMMA = 0x2c
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const LETTER_E = 0x65
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Parses a caller's body. Nesting is checked first. Throws GatewayError `invalid_request` (too deep, too many fields, not an object),
 * `invalid_json`, or `ambiguous_field` (a name twice in an object, or a variant of a name in `names`).
 */
export function scanObject(text: string, names?: NameTable): ScannedObject {
  const counts: Counts = { names: 0, sought: names?.sought ?? [], begins: new Set(), hasLong: false, hasFloats: false }
  const spans = scanFields(text, 0, requestLimits, counts)
  const value = parse(text)
  if (!spans || !isObject(value)) throw new GatewayError('invalid_request', 'The body must be a JSON object.')
  if (countNames(value, names) !== counts.names) throw ambiguousField(duplicateIn(text, names))
  keepDigits(text, value, counts.hasLong)
  return { open: spans.open, fields: spans.fields, text, value, begins: counts.begins, hasFloats: counts.hasFloats }
}

/** Keeps the form of numbers in calls of tools and their results (`exactCall`), where the body has any that would lose it. */
export function keepCallNumbers({ text, value, hasFloats = false }: Pick<ScannedObject, 'text' | 'value'> & { hasFloats?: boolean }): void {
  keepFloats(text, value, hasFloats)
}

/** Throws `ambiguous_field` for valid JSON in which an object has a name twice; `value` is its parsed form. */
export function refuseDuplicates(text: string, value: unknown, names?: NameTable): void {
  if (typeof value !== 'object' || value === null) return
  const counts: Counts = { names: 0, sought: [], begins: new Set(), hasLong: false, hasFloats: false }
  skipNested(text, skipSpace(text, 0), Number.POSITIVE_INFINITY, counts)
  if (countNames(value, names) !== counts.names) throw ambiguousField(duplicateIn(text, names))
}

/** The first name that an object has twice, if it is a known one. */
function duplicateIn(text: string, names: NameTable | undefined): string | undefined {
  const objects: (Set<unknown> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === OPEN_OBJECT) objects.push(new Set())
    else if (code === OPEN_LIST) objects.push(undefined)
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) objects.pop()
    else if (code === QUOTE) {
      const end = skipString(text, at)
      if (text.charCodeAt(skipSpace(text, end)) === COLON) {
        const name = decodeKey(text.slice(at, end))
        if (objects.at(-1)?.has(name)) return typeof name === 'string' && names?.known.has(name) ? name : undefined
        objects.at(-1)?.add(name)
      }
      at = end - 1
    }
  }
  return undefined
}

/**
 * The fields of the object that starts at or after `from`; undefined when something else starts there. Text after the object is
 * ignored. The spans are meaningful only if the text is valid JSON.
 */
export function scanFields(text: string, from = 0, limits: Limits = noLimits, counts?: Counts): JsonSpans | undefined {
  const open = skipSpace(text, from)
  if (text.charCodeAt(open) !== OPEN_OBJECT) {
    skipValue(text, open, limits.depth)
    return undefined
  }
  const fields: JsonField[] = []
  for (let at = open; at === open || text.charCodeAt(at) === COMMA; ) {
    const keyStart = skipSpace(text, at + 1)
    if (text.charCodeAt(keyStart) !== QUOTE) break
    if (counts) noteBeginning(text, keyStart + 1, counts)
    const keyEnd = skipString(text, keyStart)
    const colon = skipSpace(text, keyEnd)
    if (text.charCodeAt(colon) !== COLON) break
    const valueStart = skipSpace(text, colon + 1)
    const valueEnd = skipValue(text, valueStart, limits.depth - 1, counts)
    if (fields.length === limits.fields) throw new GatewayError('invalid_request', `The body has more than ${limits.fields} fields.`)
    if (counts) counts.names++
    fields.push({ keyStart, keyEnd, valueStart, valueEnd, escaped: hasEscape(text, keyStart, keyEnd) })
    at = skipSpace(text, valueEnd)
  }
  return { open, fields }
}

/** The names of the fields, unescaped. */
export const fieldNames = (text: string, { fields }: JsonSpans): string[] =>
  fields.map(({ keyStart, keyEnd }) => String(decodeKey(text.slice(keyStart, keyEnd))))

/** True when this is the field `key`. Compares in place, since a stream calls it for every field of every event. */
export function isNamed(text: string, { keyStart, keyEnd, escaped }: JsonField, key: string): boolean {
  if (escaped) return decodeKey(text.slice(keyStart, keyEnd)) === key
  return keyEnd - keyStart === key.length + 2 && text.startsWith(key, keyStart + 1)
}

function decodeKey(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new GatewayError('invalid_json', 'The body is not valid JSON.')
  }
}

/** The position after the value that begins at `start`. Throws GatewayError `invalid_request` when it nests deeper than `depth`. */
function skipValue(text: string, start: number, depth: number, counts?: Counts): number {
  const first = text.charCodeAt(start)
  if (first === QUOTE) {
    if (counts) noteBeginning(text, start + 1, counts)
    return skipString(text, start)
  }
  if (first === OPEN_OBJECT || first === OPEN_LIST) return skipNested(text, start, depth, counts)
  let at = start
  while (at < text.length && !endsPlainValue(text.charCodeAt(at))) at++
  return at
}

function skipNested(text: string, start: number, limit: number, counts?: Counts): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      if (counts) noteBeginning(text, at + 1, counts)
      at = skipString(text, at) - 1
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > limit) throw new GatewayError('invalid_request', `The body is nested deeper than ${requestLimits.depth} levels.`)
    } else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return at + 1
    // Outside strings, a colon follows a name and nothing else.
    else if (code === COLON && counts) counts.names++
    else if (counts && isDigit(code)) at = skipDigits(text, at, counts) - 1
  }
  return text.length
}

/** The position after the digits, points and exponent that begin at `start`. */
function skipDigits(text: string, start: number, counts: Counts): number {
  let at = start
  let point = -1
  for (; ; at++) {
    const code = text.charCodeAt(at)
    if (code === POINT) point = at
    else if ((code | 0x20) === LETTER_E) counts.hasLong = true
    else if (!isDigit(code)) break
  }
  // A double has every number of fifteen digits, and integers up to 2^53, which many schemas name as their maximum.
  const length = at - start
  if (length > 16 || (length === 16 && point === -1 && text.slice(start, at) > '9007199254740992')) counts.hasLong = true
  if (point !== -1) {
    let last = at - 1
    while (text.charCodeAt(last) === ZERO) last--
    if (last === point) counts.hasFloats = true
  }
  return at
}

function noteBeginning(text: string, start: number, { sought, begins }: Counts): void {
  const first = text.charCodeAt(start)
  for (const word of sought) if (word.charCodeAt(0) === first && text.startsWith(word, start)) begins.add(word)
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const endsPlainValue = (code: number) => code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || isSpace(code)

/** The position after the closing quote, or the end of the text without one. */
function skipString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return text.length
    let escapes = quote
    while (escapes > from && text.charCodeAt(escapes - 1) === BACKSLASH) escapes--
    if ((quote - escapes) % 2 === 0) return quote + 1
    from = quote + 1
  }
}

function hasEscape(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) === BACKSLASH) return true
  return false
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** Parses a JSON object; undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
