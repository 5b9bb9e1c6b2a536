/** Checks of request bodies that all scripted vendors share. */
import type { Media } from './scenarios.ts'

/** The fields of a JSON object. */
export type Fields = Record<string, unknown>

/** Whether the value is a JSON object. */
export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The objects in a list; empty for anything else. */
export const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The text, or an empty one for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The first field that is not in the list of known ones, which are separated by spaces. */
export function unknownField(value: Fields, known: string): string | undefined {
  const names = new Set(known.split(/\s+/))
  return Object.keys(value).find((name) => !names.has(name))
}

/** The first bytes of each file type. */
const beginnings: Record<string, string> = {
  'image/png': '\x89PNG',
  'image/jpeg': '\xff\xd8\xff',
  'image/gif': 'GIF8',
  'image/webp': 'RIFF',
  'application/pdf': '%PDF-',
}

/** Decodes strict base64 of a known type; undefined if it is invalid or the data is not of that type. */
export function mediaOf(mime: string, base64: unknown): Media | undefined {
  if (typeof base64 !== 'string' || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  const bytes = Buffer.from(base64, 'base64')
  const beginning = beginnings[mime]
  if (beginning === undefined || !bytes.toString('latin1').startsWith(beginning)) return undefined
  return { mime, bytes: bytes.length }
}

/** The same from a data URL. */
export function dataUrlMedia(url: unknown): Media | undefined {
  const parts = /^data:([a-z]+\/[a-z0-9.+-]+);base64,(.*)$/s.exec(textOf(url))
  return parts === null ? undefined : mediaOf(parts[1] ?? '', parts[2])
}

/** The first keyword anywhere in a schema that `wrong` reports for one of its objects. */
export function schemaFault(schema: unknown, wrong: (node: Fields) => string | undefined): string | undefined {
  if (Array.isArray(schema)) return schema.map((part) => schemaFault(part, wrong)).find((found) => found !== undefined)
  if (!isObject(schema)) return undefined
  const own = wrong(schema)
  if (own !== undefined) return own
  for (const [name, value] of Object.entries(schema)) {
    // Keys below these are the author's own names.
    const parts = /^(properties|\$defs|definitions)$/.test(name) && isObject(value) ? Object.values(value) : [value]
    if (/^(enum|const|default|example|examples|required)$/.test(name)) continue
    const found = schemaFault(parts, wrong)
    if (found !== undefined) return found
  }
  return undefined
}

/** An object of a strict schema that allows additional properties, or whose properties are not all required. */
export function looseObject(node: Fields): string | undefined {
  if (node.type !== 'object' && !isObject(node.properties)) return undefined
  return node.additionalProperties === false ? undefined : 'additionalProperties'
}

/** Whether a schema is of an object without properties, or missing: a tool without parameters. */
export const isEmpty = (schema: unknown): boolean =>
  !isObject(schema) || !isObject(schema.properties) || Object.keys(schema.properties).length === 0
