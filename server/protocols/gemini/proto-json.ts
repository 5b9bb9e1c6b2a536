/**
 * Gemini: the family of Google's generateContent. Its wire form is proto3 JSON, where every field has two spellings (`maxOutputTokens`,
 * `max_output_tokens`), a number may come as a string, null is absence, and a lone object may stand for a list of one. This file implements
 * those four rules and knows no field; all others use the camelCase names. Requests are read through `Fields` with `protoRules`, answers
 * and measured content through the `pick` functions. Start reading at generate-content/codec.ts.
 */
import type { FieldRules } from '#protocols/codec/fields'
import { isObject } from '#shared/json'

/** A JSON object of this family. */
export type Body = Record<string, unknown>

const snakes = new Map<string, string>()

/** `maxOutputTokens` as `max_output_tokens`. Names are from code, so the cache is bounded. */
export function snake(name: string): string {
  let spelled = snakes.get(name)
  if (spelled === undefined) {
    spelled = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    snakes.set(name, spelled)
  }
  return spelled
}

/** `max_output_tokens` as `maxOutputTokens`. */
export const camel = (name: string): string => name.replace(/(?<=.)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The value of a field by its camelCase name, however it is spelled; null is absence. */
export function pick(body: Body, name: string): unknown {
  const value = body[name] ?? body[snake(name)]
  return value === null ? undefined : value
}

/** The object in a field, or undefined. For upstream answers, where nothing is refused. */
export function pickObject(body: Body, name: string): Body | undefined {
  const value = pick(body, name)
  return isObject(value) ? value : undefined
}

/** The objects in a list; other items are skipped. */
export function pickObjects(body: Body, name: string): Body[] {
  const value = pick(body, name)
  return Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : []
}

/** The text in a field, or undefined. */
export function pickText(body: Body, name: string): string | undefined {
  const value = pick(body, name)
  return typeof value === 'string' ? value : undefined
}

/** How `Fields` reads a body of this family. */
export const protoRules: FieldRules = {
  snake,
  number: numeric,
  loneInList: true,
}

/** A finite number, also one in a string; undefined for anything else. */
export function numeric(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,20}(?:\.\d{1,20})?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
