/**
 * Building blocks of the request and response schemas: what Parley itself reads and promises. Tolerant on purpose: what only
 * an upstream understands passes through, so no object is closed. The API reference is generated from them, and tests check
 * responses against them.
 */
import { type Static, type TSchema, Type } from '../typebox.ts'

/** An object that accepts unknown fields. */
export const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T, description?: string) =>
  Type.Object(properties, { additionalProperties: true, ...(description !== undefined && { description }) })

/** May be absent or null: many clients send null for unused fields. */
export const OrNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** `schema` with a description. */
export const Described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })

/** Name of a model, as `GET /v1/models` lists it. */
export const ModelName = () => Type.String({ minLength: 1, maxLength: 256, description: 'Name of a model of the group.' })

/** A string of at least one character. */
export const NotEmpty = (description?: string) => Type.String({ minLength: 1, ...(description !== undefined && { description }) })

/** An integer from `minimum` to `maximum`. */
export const Whole = (minimum = 0, maximum?: number) => Type.Integer({ minimum, ...(maximum !== undefined && { maximum }) })

/** A file in a form. */
export const FileField = (description: string) => Type.String({ contentMediaType: 'application/octet-stream', description })

/** Token usage as the older OpenAI endpoints report it. */
export const TokenUsage = Open({ prompt_tokens: Whole(), total_tokens: Whole() })
export type TokenUsage = Static<typeof TokenUsage>
