/** What a schema allows, in words for the person whose value was refused. Pure; never sees the value. */
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { type TSchema, visible } from './typebox.ts'

/** The formats of `typebox.ts` in words. */
const forms: Readonly<Record<string, string>> = {
  decimal: 'a plain decimal number with up to 13 digits and 9 places, such as 0.5',
  'http-url': 'an address that begins with http:// or https://',
  instant: 'a time like 2026-03-01T00:00:00Z',
}

/** A sentence without its stop: `Expected ...`. */
export function expectation({ type, schema, message }: ValueError): string {
  const size = sizes[type]?.(schema)
  if (size !== undefined) return `Expected ${size}`
  if (Array.isArray(schema.enum)) return `Expected ${allowed(schema)}`
  const { description, format = '', pattern } = schema
  const shape = pattern === visible ? 'text without control characters' : 'text of a different format'
  if (type === ValueErrorType.StringPattern) return `Expected ${description ?? forms[format] ?? shape}`
  if (type === ValueErrorType.StringFormat) return `Expected ${forms[format] ?? description ?? 'text of a different format'}`
  if (type === ValueErrorType.Union) return `Expected ${allowed(schema)}`
  const kind = kindOf(schema)
  return kind === undefined ? message : `Expected ${kind}`
}

/** What is wrong with the size of a value. */
const sizes: Readonly<Record<number, (schema: TSchema) => string>> = {
  [ValueErrorType.StringMinLength]: ({ minLength }) => (minLength === 1 ? 'text that is not empty' : `at least ${minLength} characters`),
  [ValueErrorType.StringMaxLength]: ({ maxLength }) => `at most ${maxLength} characters`,
  [ValueErrorType.ArrayMinItems]: ({ minItems }) => (minItems === 1 ? 'a list that is not empty' : `at least ${minItems} entries`),
  [ValueErrorType.ArrayMaxItems]: ({ maxItems }) => `at most ${maxItems} entries`,
  [ValueErrorType.ArrayUniqueItems]: () => 'a list without repetitions',
  [ValueErrorType.ObjectMinProperties]: ({ minProperties }) => (minProperties === 1 ? 'a field' : `at least ${minProperties} fields`),
  [ValueErrorType.ObjectMaxProperties]: ({ maxProperties }) => `at most ${maxProperties} fields`,
}

/** Everything that a schema allows, in a few words. */
function allowed(schema: TSchema): string {
  const { description, format = '' } = schema
  if (Array.isArray(schema.anyOf)) return listed([...new Set((schema.anyOf as TSchema[]).map(allowed))])
  if (Array.isArray(schema.enum)) return `one of: ${schema.enum.join(', ')}`
  if (description !== undefined || forms[format] !== undefined) return description ?? forms[format] ?? ''
  return kindOf(schema) ?? 'another kind of value'
}

function kindOf(schema: TSchema): string | undefined {
  const { type } = schema
  if ('const' in schema) return String(schema.const)
  if (type === 'integer' || type === 'number') return `a ${type === 'integer' ? 'whole ' : ''}number${range(schema)}`
  return kinds[type]
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  null: 'null',
  object: 'an object of fields',
  string: 'text',
}

function range({ minimum, maximum, exclusiveMinimum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (exclusiveMinimum !== undefined && maximum !== undefined) return ` above ${exclusiveMinimum}, up to ${maximum}`
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`
  if (maximum !== undefined) return ` up to ${maximum}`
  return minimum === undefined ? '' : ` of at least ${minimum}`
}

const listed = (words: readonly string[]) => (words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)
