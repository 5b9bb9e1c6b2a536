/**
 * Schemas of tools and answers. Gemini takes full JSON Schema in one field and, in another, its own older kind (types in
 * capitals, `nullable`, counts as strings); both are read as JSON Schema.
 */
import type { JsonSchema } from '#canonical/conversation'
import { isRawNumber } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { camel, numeric } from './proto-json.ts'

const lists = new Set(['anyOf', 'oneOf', 'allOf'])
const counts = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'])

/** Translated elsewhere, or unsafe as a property name. */
const left = new Set(['nullable', 'propertyOrdering', '__proto__'])

/** A schema of the older kind as JSON Schema. Its nesting is bounded by the body's. */
export function readSchema(schema: Record<string, unknown>): JsonSchema {
  const read: JsonSchema = {}
  for (const [spelled, value] of Object.entries(schema)) {
    const key = camel(spelled)
    if (value === null || value === undefined || left.has(key)) continue
    if (key === 'type') Object.assign(read, typeof value === 'string' && value !== 'TYPE_UNSPECIFIED' ? { type: value.toLowerCase() } : {})
    else if (key === 'example') read.examples = [value]
    else if (counts.has(key)) read[key] = numeric(value) ?? value
    else if (lists.has(key) && Array.isArray(value)) read[key] = value.map(readAny)
    else if (key === 'items') read[key] = readAny(value)
    else if (key === 'properties' && isObject(value)) read[key] = mapped(value, readAny)
    else read[key] = value
  }
  const ordered = inOrder(read, schema.propertyOrdering ?? schema.property_ordering)
  return schema.nullable === true ? orNull(ordered) : ordered
}

/** Elsewhere the order of the properties is that of the schema itself. */
function inOrder(schema: JsonSchema, names: unknown): JsonSchema {
  const { properties } = schema
  if (!Array.isArray(names) || !isObject(properties)) return schema
  const first = names.filter((name): name is string => typeof name === 'string' && name !== '__proto__' && Object.hasOwn(properties, name))
  const ordered = Object.fromEntries(first.map((name) => [name, properties[name]]))
  return { ...schema, properties: { ...ordered, ...properties } }
}

/** A raw number is not a schema. */
const isSchema = (value: unknown): value is JsonSchema => isObject(value) && !isRawNumber(value)

const readAny = (value: unknown): unknown => (isSchema(value) ? readSchema(value) : value)
const mapped = (fields: Record<string, unknown>, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]))

function orNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type === 'string') schema.type = [schema.type, 'null']
  else if (Array.isArray(schema.anyOf)) schema.anyOf = [...schema.anyOf, { type: 'null' }]
  if (Array.isArray(schema.enum)) schema.enum = [...schema.enum, null]
  return schema
}

/** More than any real schema has with its references inlined; nested references can multiply exponentially. */
const mostNodes = 20_000

/**
 * JSON Schema as this dialect takes it: an object at its root, no `$schema`, local references inlined. Undefined when references are
 * circular or multiply without bounds.
 */
export function inlined(schema: JsonSchema): JsonSchema | undefined {
  const { $schema: _, ...rest } = schema
  const root: JsonSchema = rest.type === undefined && !isUnion(rest) ? { type: 'object', ...rest } : rest
  if (!JSON.stringify(root).includes('"$ref"')) return root
  let nodes = 0
  const place = (value: unknown, within: readonly string[]): unknown => {
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
    if (++nodes > mostNodes) throw endless
    if (Array.isArray(value)) return value.map((item) => place(item, within))
    const { $ref, $defs: _defs, definitions: _definitions, ...fields } = value as JsonSchema
    const own = mapped(fields, (field) => place(field, within))
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return $ref === undefined ? own : { ...own, $ref }
    if (within.includes($ref)) throw endless
    const target = place(targetOf(schema, $ref), [...within, $ref])
    return isObject(target) ? { ...target, ...own } : own
  }
  try {
    return place(root, []) as JsonSchema
  } catch (thrown) {
    if (thrown === endless) return undefined
    throw thrown
  }
}

const endless = Symbol('endless')
const isUnion = (schema: JsonSchema) => ['anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'].some((key) => schema[key] !== undefined)

function targetOf(root: JsonSchema, ref: string): unknown {
  let at: unknown = root
  for (const step of ref.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

const plain = new Set(['title', 'description', 'default', 'pattern', 'minimum', 'maximum', 'required', ...counts])
const formats = new Set(['date-time', 'enum', 'float', 'double', 'int32', 'int64'])

/** The older kind, from JSON Schema without references; `stripped` is called for each keyword that it does not have. */
export function olderSchema(schema: JsonSchema, stripped: () => void): JsonSchema {
  const written: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'type') Object.assign(written, olderType(value, stripped))
    else if (plain.has(key)) written[key] = value
    else if (key === 'format' && formats.has(String(value))) written.format = value
    else if (key === 'enum' && Array.isArray(value)) written.enum = value.filter((item) => item !== null).map(textOf)
    else if (key === 'const') written.enum = [textOf(value)]
    else if (key === 'items') written.items = olderAny(value, stripped)
    else if (key === 'properties' && isObject(value)) written.properties = mapped(value, (field) => olderAny(field, stripped))
    else if (lists.has(key) && Array.isArray(value)) written.anyOf = value.map((item) => olderAny(item, stripped))
    else stripped()
  }
  return written
}

/** The older kind enumerates texts. */
const textOf = (value: unknown): string => (isRawNumber(value) ? value.rawJSON : String(value))

const olderAny = (value: unknown, stripped: () => void): unknown => (isSchema(value) ? olderSchema(value, stripped) : value)

function olderType(type: unknown, stripped: () => void): JsonSchema {
  const types = (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === 'string')
  const [first, ...others] = types.filter((one) => one !== 'null')
  if (others.length > 0) stripped()
  return { ...(first !== undefined && { type: first.toUpperCase() }), ...(types.includes('null') && { nullable: true }) }
}
