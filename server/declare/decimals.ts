/** Walks a schema beside a value, to know which scalars are decimal numbers. */
import type { TSchema } from '#shared/typebox'

/** Money or a ratio: a string in the schema, a number for whoever writes the file. */
export const isDecimal = (schema: TSchema | undefined): boolean => schema?.format === 'decimal'

/** The schema of a field or item, as far as it is known; unions are entered by their object or list. */
export function childSchema(schema: TSchema | undefined, step: string | number): TSchema | undefined {
  if (!schema) return undefined
  const variants: TSchema[] = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  return typeof step === 'number' ? variants.find((one) => one.type === 'array')?.items : field(variants, step)
}

function field(variants: readonly TSchema[], name: string): TSchema | undefined {
  const object = variants.find((one) => one.type === 'object')
  const properties: Record<string, TSchema> = object?.properties ?? {}
  if (Object.hasOwn(properties, name)) return properties[name]
  const patterns: Record<string, TSchema> = object?.patternProperties ?? {}
  return Object.values(patterns)[0]
}
