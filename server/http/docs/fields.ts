/** The fields of a schema as rows: their path, type, whether they are required, and what is said of them. */
import type { DocField } from '#shared/console/docs'

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

/** Every field of the schema, outer fields before inner ones of the same object. */
export function fieldsOf(schema: unknown): DocField[] {
  const rows: DocField[] = []
  walk(schema as Schema, '', 0, rows)
  return rows.slice(0, mostRows)
}

function walk(schema: Schema, path: string, depth: number, rows: DocField[]): void {
  for (const part of schema.anyOf ?? []) walk(part, path, depth, rows)
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path === '' ? name : `${path}.${name}`
    if (!rows.some((row) => row.path === at)) {
      rows.push({ path: at, type: typeOf(field), required: schema.required?.includes(name) ?? false, means: meaningOf(field) })
    }
    if (depth < deepest) inside(field, at, depth + 1, rows)
  }
}

function inside(field: Schema, path: string, depth: number, rows: DocField[]): void {
  for (const part of field.anyOf ?? []) inside(part, path, depth, rows)
  if (field.items) {
    if (field.items.properties || field.items.anyOf) walk(field.items, `${path}[]`, depth, rows)
  } else if (field.properties) walk(field, path, depth, rows)
  for (const value of Object.values(field.patternProperties ?? {})) walk(value, `${path}.*`, depth, rows)
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ')
  if (schema.items) return `array of ${typeOf(schema.items)}`
  return schema.type ?? 'any'
}

function meaningOf(schema: Schema): string {
  const own = schema.anyOf ? schema.anyOf.filter(({ type }) => type !== 'null') : [schema]
  const range = own.flatMap(({ minimum, maximum, exclusiveMinimum, minLength, minItems, maxItems, format }) => [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    minimum !== undefined && maximum === undefined ? `at least ${minimum}` : '',
    minimum === undefined && maximum !== undefined ? `at most ${maximum}` : '',
    exclusiveMinimum !== undefined ? `more than ${exclusiveMinimum}` : '',
    minLength !== undefined && minLength > 0 ? 'not empty' : '',
    minItems !== undefined && minItems > 0 ? `${minItems} or more` : '',
    maxItems !== undefined ? `at most ${maxItems}` : '',
    format === 'instant' ? 'RFC 3339' : format === 'decimal' ? 'decimal USD' : '',
  ])
  const text = schema.description ?? own.find(({ description }) => description !== undefined)?.description ?? ''
  return [text, [...new Set(range.filter((one) => one !== ''))].join(', ')].filter((one) => one !== '').join(' ')
}
