/**
 * Numbers with more digits than a double holds, kept as they were written: ids of orders and the like in arguments and results of tools,
 * limits in schemas. `JSON.parse` rounds them silently.
 *
 * Parsed values stay ordinary: a number is read as a number, rounded. A side table remembers which objects and lists hold
 * (at any depth) numbers whose value was changed, and their twins, in which such a number is a raw one (`JSON.rawJSON`) that
 * `JSON.stringify` writes digit for digit. A codec takes the twin of what is FREE, by `exact(value)`: arguments, results, schemas,
 * which it passes on without interpreting. Where the text of a free value is at hand, `parseExact` reads the twin directly.
 *
 * For every twin: a raw number is an object without meaningful fields, so a walker checks `isRawNumber` before it goes
 * into one. It cannot be posted to another thread as an object (structured clone refuses it): values with twins are posted as text, and
 * `parseExact` reads it there.
 *
 * Texts without a number of sixteen characters or with an exponent, nearly all, are parsed once and nothing is remembered.
 */
import { isObject, type JsonObject } from './json.ts'

declare global {
  interface JSON {
    /** ES2026; in Bun, and in V8 since 11.4. */
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** A number as it was written. */
export interface RawNumber {
  readonly rawJSON: string
}

/** The reviver of a `JSON.parse` that also passes the source text; the library's types do not have it yet. */
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

const twins = new WeakMap<object, object>()
/** The same with numbers such as `1.0`, for what `keepFloats` recorded. */
const floatTwins = new WeakMap<object, object>()

/** A number that may have lost digits, with what can precede a number; matches inside strings are false positives that only cost time. */
const long = /[:,[][\s-]*(?:\d[\d.]{15}|[\d.]+[eE])/

/** Whether a value is a number that is kept as it was written. */
export const isRawNumber = (value: unknown): value is RawNumber => typeof value === 'object' && value !== null && JSON.isRawJSON(value)

/** The number written as `source` in JSON: raw where a double would differ. */
export function exactNumber(source: string): number | RawNumber {
  const number = Number(source)
  return isSame(source, number) ? number : JSON.rawJSON(source)
}

/** Parses a free value, with raw numbers where doubles would differ. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  // A number may also stand at the very beginning of the text.
  return long.test(text) || /^[\s\d.eE+-]+$/.test(text) ? revived(text) : JSON.parse(text)
}

/** The same for an object; undefined for anything else. */
export function parseExactObject(text: string): JsonObject | undefined {
  try {
    const parsed = parseExact(text)
    return isObject(parsed) && !isRawNumber(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** A number written with a fraction of zeros: in many languages a float, where `1` is an integer. */
const wholeFloat = /^-?\d+\.0+$/
const wholeFloatWithin = /[:,[]\s*-?\d+\.0+[\s,\]}]/

/** Arguments of a tool as an object: as `parseExactObject`, and `1.0` stays `1.0`, which a tool may tell from `1`. */
export function parseArguments(text: string): JsonObject | undefined {
  if (!wholeFloatWithin.test(text)) return parseExactObject(text)
  try {
    const parsed = JSON.parse(text, reviveFloats as (key: string, value: unknown) => unknown)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/**
 * Parses a text that is written again with changes elsewhere: every number is written as it came, in form too (`1.0`, `1e3`). Such numbers
 * are raw, so this is for what is passed on only. Throws SyntaxError.
 */
export const parseAsWritten = (text: string): unknown => JSON.parse(text, reviveAsWritten as (key: string, value: unknown) => unknown)

/** Records the digits that `value`, parsed from `text`, has lost. `hasLong`: whether the text is known to have long numbers. */
export function keepDigits(text: string, value: unknown, hasLong = long.test(text)): void {
  if (!hasLong || typeof value !== 'object' || value === null) return
  try {
    pair(value, revived(text), twins)
  } catch {
    // Nested deeper than any codec goes.
  }
}

/** Records where `value`, parsed from `text`, had numbers such as `1.0`: for what `exactCall` writes. `hasFloats`: whether it had. */
export function keepFloats(text: string, value: unknown, hasFloats = wholeFloatWithin.test(text)): void {
  if (!hasFloats || typeof value !== 'object' || value === null) return
  try {
    pair(value, JSON.parse(text, reviveFloats as (key: string, value: unknown) => unknown), floatTwins)
  } catch {
    // As above.
  }
}

/** Arguments or results of a tool for passing on as text: as `exact`, and `1.0` stays `1.0` if `keepFloats` has recorded it. */
export function exactCall<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  return (floatTwins.get(value) as Value | undefined) ?? exact(value)
}

/** A free value for passing on: the parsed one, or its twin with raw numbers. */
export function exact<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  return (twins.get(value) as Value | undefined) ?? value
}

const revive: Reviver = (_, value, { source }) => (typeof value === 'number' && !isSame(source, value) ? JSON.rawJSON(source) : value)

const reviveFloats: Reviver = (key, value, context) =>
  typeof value === 'number' && wholeFloat.test(context.source) ? JSON.rawJSON(context.source) : revive(key, value, context)

const reviveAsWritten: Reviver = (_, value, { source }) =>
  typeof value === 'number' && String(value) !== source ? JSON.rawJSON(source) : value

const revived = (text: string): unknown => JSON.parse(text, revive as (key: string, value: unknown) => unknown)

/** True where `twin` has a raw number; then the pair is recorded in `pairs`. */
function pair(value: object, twin: unknown, pairs: WeakMap<object, object>): boolean {
  if (typeof twin !== 'object' || twin === null) return false
  let differs = false
  for (const [key, inner] of Object.entries(value)) {
    const other = (twin as JsonObject)[key]
    if (typeof inner === 'number' ? inner !== other : typeof inner === 'object' && inner !== null && pair(inner, other, pairs))
      differs = true
  }
  if (differs) pairs.set(value, twin)
  return differs
}

/** Whether the double prints as the number that was written, in whatever form (`1.0` and `1`, `1e3` and `1000`). */
function isSame(source: string, number: number): boolean {
  const printed = String(number)
  if (printed === source) return true
  if (!Number.isFinite(number)) return false
  const [digits, exponent] = normal(source)
  const [own, power] = normal(printed)
  return digits === own && (exponent === power || digits === '')
}

/** Significant digits, and the power of ten by which 0.DIGITS is multiplied. */
function normal(number: string): [digits: string, exponent: number] {
  const [, sign = '', whole = '', fraction = '', power = '0'] = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const written = whole + fraction
  let start = 0
  while (written[start] === '0') start++
  let end = written.length
  while (end > start && written[end - 1] === '0') end--
  const digits = written.slice(start, end)
  return [digits === '' ? '' : sign + digits, whole.length - start + Number(power)]
}
