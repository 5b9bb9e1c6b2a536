/**
 * JSON schemas as the vendor's constrained decoding takes them: objects are closed, and constraints that it does not enforce (lengths,
 * ranges, patterns) become text in the description, so that the model still knows them.
 */
import type { JsonSchema } from '#canonical/conversation'
import { isRawNumber } from '#shared/exact-numbers'
import { isObject } from '#shared/json'

/** Kept unchanged. */
const plain = new Set(['type', 'enum', 'const', 'description', 'title', 'default', 'required', '$ref'])
/** Left out: they constrain nothing. */
const idle = new Set(['$schema', '$id', '$comment', 'examples', 'deprecated', 'readOnly', 'writeOnly'])
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** `schema` in that form; `lossy` when a constraint became text. */
export function schemaSubset(schema: JsonSchema): { schema: JsonSchema; lossy: boolean } {
  let lossy = false
  const narrow = (value: unknown): unknown => (isObject(value) && !isRawNumber(value) ? narrowed(value) : value)

  function narrowed(node: JsonSchema): JsonSchema {
    const out: JsonSchema = {}
    const words: string[] = []
    for (const [key, value] of Object.entries(node)) {
      if (plain.has(key)) out[key] = value
      else if (key === 'properties' || key === '$defs' || key === 'definitions') out[key] = eachValue(value)
      else if (key === 'anyOf' || key === 'allOf') out[key] = each(value)
      else if (key === 'oneOf') out.anyOf = each(value)
      else if (key === 'items') out[key] = narrow(value)
      else if (isKept(key, value)) out[key] = value
      else if (!idle.has(key) && !(key === 'additionalProperties' && value === false)) words.push(`${key}: ${JSON.stringify(value)}`)
    }
    if (node.type === 'object' || isObject(node.properties)) out.additionalProperties = false
    if (words.length > 0) {
      lossy = true
      out.description = [out.description, `{${words.join(', ')}}`].filter((word) => typeof word === 'string' && word !== '').join('\n')
    }
    return out
  }

  const each = (value: unknown): unknown => (Array.isArray(value) ? value.map(narrow) : value)
  const eachValue = (value: unknown): unknown =>
    isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, narrow(inner)])) : value

  return { schema: narrowed(schema), lossy }
}

function isKept(key: string, value: unknown): boolean {
  if (key === 'format') return typeof value === 'string' && formats.has(value)
  return key === 'minItems' && (value === 0 || value === 1)
}
