/** Walks a schema along with a value, to find the scalars that are decimal numbers. */
import type { TSchema } from '#shared/typebox'

/** True for money and ratios: a string in the schema, a number in the file. */
export const isDecimal = (schema: TSchema | undefined): boolean => schema?.format === 'decimal'

/** The schema of a field or item, if known; of a union, its object or list member. */
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
