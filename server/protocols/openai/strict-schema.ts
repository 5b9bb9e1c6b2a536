/**
 * Whether a schema is one that OpenAI enforces: every object closed, every property required, and only keywords of its subset
 * (platform.openai.com, "Structured outputs", supported schemas). Messages and Gemini enforce whatever they take, so a schema from
 * there stays enforced wherever it fits.
 */
import type { ConversationRequest, JsonSchema, OutputFormat } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { isObject } from '#shared/json'

const keywords = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs', 'definitions'],
  ...['title', 'description', 'pattern', 'format', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minItems', 'maxItems'],
])
/** Levels of nesting and properties that OpenAI allows. */
const deepest = 10
const mostProperties = 5000

/** True for a schema that OpenAI takes with `strict`. */
export function fitsStrict(schema: JsonSchema): boolean {
  if (schema.type !== 'object' || schema.anyOf !== undefined) return false
  return fits(schema, 0, { properties: 0 })
}

function fits(schema: unknown, depth: number, count: { properties: number }): boolean {
  if (!isObject(schema) || depth > deepest) return false
  if (!Object.keys(schema).every((key) => keywords.has(key))) return false
  if (
    schema.type === undefined &&
    schema.$ref === undefined &&
    schema.anyOf === undefined &&
    schema.enum === undefined &&
    schema.const === undefined
  ) {
    return false
  }
  const all = (schemas: readonly unknown[], at: number) => schemas.every((one) => fits(one, at, count))
  if (isObject(schema.properties) || isObjectType(schema.type)) {
    const properties = isObject(schema.properties) ? schema.properties : {}
    const names = Object.keys(properties)
    count.properties += names.length
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : []
    if (schema.additionalProperties !== false || count.properties > mostProperties) return false
    if (!names.every((name) => required.includes(name))) return false
    if (!all(Object.values(properties), depth + 1)) return false
  }
  if (schema.items !== undefined && !fits(schema.items, depth + 1, count)) return false
  if (schema.anyOf !== undefined && !(Array.isArray(schema.anyOf) && all(schema.anyOf, depth))) return false
  return [schema.$defs, schema.definitions].every((definitions) => !isObject(definitions) || all(Object.values(definitions), depth))
}

const isObjectType = (type: unknown): boolean => type === 'object' || (Array.isArray(type) && type.includes('object'))

interface Writing {
  request: Pick<ConversationRequest, 'dialect'>
  losses: LossList
}

/** The format, strict if its schema comes from a dialect that always enforces it. Records a loss if that is not possible. */
export function heldTo(format: OutputFormat, { request, losses }: Writing): OutputFormat {
  const isEnforced = request.dialect === 'messages' || request.dialect === 'gemini'
  if (format.kind !== 'schema' || format.strict !== undefined || !isEnforced) return format
  if (fitsStrict(format.schema)) return { ...format, strict: true }
  losses.adapted('output.format.strict', 'The upstream enforces only part of JSON Schema: this schema is sent but not enforced.')
  return format
}
