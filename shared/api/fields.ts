/**
 * What requests and answers of the doors are made of: schemas of what Parley itself reads and promises. They are tolerant on
 * purpose: what only an upstream understands passes, so no object is closed. The API document is written from them, and
 * samples and tests hold answers against them.
 */
import { type Static, type TSchema, Type } from '../typebox.ts'

export const Open = <T extends Parameters<typeof Type.Object>[0]>(properties: T, description?: string) =>
  Type.Object(properties, { additionalProperties: true, ...(description !== undefined && { description }) })

/** May be absent or null: many clients write null for what they do not mean. */
export const OrNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

export const Described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description })

/** Name of a model, as `GET /v1/models` lists it. */
export const ModelName = () => Type.String({ minLength: 1, maxLength: 256, description: 'Name of a model of the group.' })

export const NotEmpty = (description?: string) => Type.String({ minLength: 1, ...(description !== undefined && { description }) })

/** An integer of at least `minimum`. */
export const Whole = (minimum = 0, maximum?: number) => Type.Integer({ minimum, ...(maximum !== undefined && { maximum }) })

/** A file of a form. */
export const FileField = (description: string) => Type.String({ contentMediaType: 'application/octet-stream', description })

/** Tokens as OpenAI's older doors count them. */
export const TokenUsage = Open({ prompt_tokens: Whole(), total_tokens: Whole() })
export type TokenUsage = Static<typeof TokenUsage>
