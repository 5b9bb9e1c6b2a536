/**
 * The only module that imports TypeBox. Elysia 1.4 uses `@sinclair/typebox` 0.34; the package now named `typebox` is another major
 * and must not be mixed in. String formats are registered here, once.
 */
import { FormatRegistry, Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { isInstant } from './instant.ts'

export { type Static, type TSchema, Type }

FormatRegistry.Set('decimal', (value) => /^-?(0|[1-9]\d{0,12})(\.\d{1,9})?$/.test(value))
FormatRegistry.Set('instant', isInstant)
FormatRegistry.Set('http-url', (value) => value.length <= 2048 && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))

/** A JSON integer in [min, max]; unlike Elysia's own number types it never accepts a string. */
export const Int = (min: number, max: number) => Type.Integer({ minimum: min, maximum: max })

/** A non-negative amount of money or a ratio as a decimal string, up to 9 places. */
export const Decimal = () => Type.String({ format: 'decimal', maxLength: 24, pattern: '^\\d' })

/** Like `Decimal`, but possibly negative. */
export const SignedDecimal = () => Type.String({ format: 'decimal', maxLength: 24 })

/** Control characters, and those that turn the direction of the text around them: a name with one looks like another. */
export const invisible = '\\u0000-\\u001f\\u007f\\u202a-\\u202e\\u2066-\\u2069'

/** At least one character, none of them a control character. */
export const visible = `^[^${invisible}]+$`

/** A short human-given name: visible characters, inner spaces allowed. */
export const Name = (maxLength = 120) => Type.String({ minLength: 1, maxLength, pattern: visible })

/** Text of bounded length, the default for every string a person types. */
export const Text = (maxLength = 8192) => Type.String({ maxLength })

TypeRegistry.Set<{ enum: unknown[] }>('OneOf', (schema, value) => schema.enum.includes(value))

/** One of a closed list of strings. */
export const OneOf = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ [Kind]: 'OneOf', type: 'string', enum: [...values] })

/** An object that refuses unknown fields. */
export const Exact = <T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

/**
 * A map from names of up to `maxName` visible characters; other names are unknown fields. (A bare Record accepts any value under a
 * name that does not match its pattern.) `form` narrows the names further.
 */
export const MapOf = <T extends TSchema>(maxName: number, value: T, form = '[^\\u0000-\\u001f\\u007f]') =>
  Type.Record(Type.String({ pattern: `^${form}{1,${maxName}}$` }), value, { additionalProperties: false })
