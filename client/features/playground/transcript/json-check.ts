/**
 * Whether a reply is JSON and matches a JSON Schema. Covers what structured output uses: type, properties, required, items,
 * enum, const, additionalProperties, anyOf. Other keywords are ignored.
 */
import { isRecord } from '#client/api/http.ts'
import type { Settings } from '#client/features/playground/conversation/settings.ts'

/** The result of a check. */
export interface JsonVerdict {
  ok: boolean
  /** Path of the first mismatch; `$` is the whole value. */
  where: string
}

/** Checks `text` against the requested output format. */
export function checkJsonReply(text: string, settings: Pick<Settings, 'output' | 'schema'>): JsonVerdict {
  const value = parse(text)
  if (value === undefined) return { ok: false, where: '$' }
  const schema = settings.output === 'schema' ? parse(settings.schema) : undefined
  const where = schema === undefined ? undefined : findMismatch(value.json, schema.json, '$')
  return { ok: where === undefined, where: where ?? '' }
}

function parse(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The path of the first mismatch, or undefined when `value` matches. `at` is the path of `value`. */
export function findMismatch(value: unknown, schema: unknown, at: string): string | undefined {
  if (!isRecord(schema)) return undefined
  if (Array.isArray(schema.anyOf) && schema.anyOf.every((option) => findMismatch(value, option, at) !== undefined)) return at
  if ('const' in schema && JSON.stringify(schema.const) !== JSON.stringify(value)) return at
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => JSON.stringify(one) === JSON.stringify(value))) return at
  if (!hasType(value, schema.type)) return at
  if (Array.isArray(value)) return first(value.map((one, index) => () => findMismatch(one, schema.items, `${at}[${index}]`)))
  return isRecord(value) ? findMismatchIn(value, schema, at) : undefined
}

function findMismatchIn(value: Record<string, unknown>, schema: Record<string, unknown>, at: string): string | undefined {
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${at}.${missing}`
  if (schema.additionalProperties === false) {
    const extra = Object.keys(value).find((name) => !Object.hasOwn(properties, name))
    if (extra !== undefined) return `${at}.${extra}`
  }
  return first(
    Object.entries(properties).map(
      ([name, inner]) =>
        () =>
          name in value ? findMismatch(value[name], inner, `${at}.${name}`) : undefined,
    ),
  )
}

function first(checks: (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check()
    if (found !== undefined) return found
  }
  return undefined
}

function hasType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(value, one))
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    default:
      return true
  }
}
