/** The fields of a schema as rows: path, type, whether they are required, and description. */
import type { DocField } from '#shared/console/docs'
import { type Say, sentences } from './say.ts'

interface Schema {
  type?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  patternProperties?: Record<string, Schema>
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  format?: string
  default?: unknown
}

/** Objects inside objects are shown to this depth. */
const deepest = 4
/** Most rows of one body. */
const mostRows = 150

interface Row {
  path: string
  required: boolean
  field: Schema
}

/** Every field of the schema, outer fields before inner ones of the same object. */
export function fieldsOf(schema: unknown, say: Say): DocField[] {
  const rows: Row[] = []
  walk(schema as Schema, '', 0, rows)
  return rows
    .slice(0, mostRows)
    .map(({ path, required, field }) => ({ path, type: typeOf(field, say), required, means: meaningOf(field, say) }))
}

function walk(schema: Schema, path: string, depth: number, rows: Row[]): void {
  for (const part of schema.anyOf ?? []) walk(part, path, depth, rows)
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`
    if (!rows.some((row) => row.path === at)) rows.push({ path: at, required: schema.required?.includes(name) ?? false, field })
    if (depth < deepest) inside(field, at, depth + 1, rows)
  }
}

function inside(field: Schema, path: string, depth: number, rows: Row[]): void {
  for (const part of field.anyOf ?? []) inside(part, path, depth, rows)
  if (field.items) {
    if (field.items.properties || field.items.anyOf) walk(field.items, `${path}[]`, depth, rows)
  } else if (field.properties) walk(field, path, depth, rows)
  for (const value of Object.values(field.patternProperties ?? {})) walk(value, `${path}.*`, depth, rows)
}

function typeOf(schema: Schema, say: Say): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => typeOf(one, say)))].join(' | ')
  if (schema.items) return say('array of {type}', { type: typeOf(schema.items, say) })
  return schema.type ?? say('any')
}

function meaningOf(schema: Schema, say: Say): string {
  const own = schema.anyOf ? schema.anyOf.filter(({ type }) => type !== 'null') : [schema]
  const bounds = [...new Set(own.flatMap((one) => boundsOf(one, say)))]
  const text = schema.description ?? own.find(({ description }) => description !== undefined)?.description
  return sentences([text === undefined ? '' : say(text), bounds.join(say(', '))])
}

function boundsOf(
  { minimum, maximum: most, exclusiveMinimum, minLength = 0, maxLength, minItems = 0, maxItems, format }: Schema,
  say: Say,
): string[] {
  const said: string[] = []
  // The largest safe integer is not a meaningful bound.
  const maximum = most === Number.MAX_SAFE_INTEGER ? undefined : most
  if (minimum !== undefined && maximum !== undefined) said.push(say('{minimum} to {maximum}', { minimum, maximum }))
  else if (minimum !== undefined) said.push(say('at least {minimum}', { minimum }))
  else if (maximum !== undefined) said.push(say('at most {maximum}', { maximum }))
  if (exclusiveMinimum !== undefined) said.push(say('more than {exclusiveMinimum}', { exclusiveMinimum }))
  if (minLength > 0) said.push(say('not empty'))
  if (maxLength !== undefined) said.push(say('at most {maximum} characters', { maximum: maxLength }))
  if (minItems > 0) said.push(say('{minItems} or more', { minItems }))
  if (maxItems !== undefined) said.push(say('at most {maximum}', { maximum: maxItems }))
  if (format === 'instant') said.push('RFC 3339')
  if (format === 'decimal') said.push(say('decimal USD'))
  return said
}
