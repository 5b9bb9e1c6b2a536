/** What every scripted vendor checks in a body, in no vendor's words. */
import type { Media } from './scenarios.ts'

export type Fields = Record<string, unknown>

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
export const objects = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The first field that is not in the list, which is written as words. */
export function unknownField(value: Fields, known: string): string | undefined {
  const names = new Set(known.split(/\s+/))
  return Object.keys(value).find((name) => !names.has(name))
}

/** How files of a type begin. */
const beginnings: Record<string, string> = {
  'image/png': '\x89PNG',
  'image/jpeg': '\xff\xd8\xff',
  'image/gif': 'GIF8',
  'image/webp': 'RIFF',
  'application/pdf': '%PDF-',
}

/** Decodes strict base64 of a known type; undefined when it is none, or when the data is not what the type says. */
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

/** The first keyword, anywhere in a schema, that is in the list or that `wrong` finds in one of its objects. */
export function schemaFault(schema: unknown, wrong: (node: Fields) => string | undefined): string | undefined {
  if (Array.isArray(schema)) return schema.map((part) => schemaFault(part, wrong)).find((found) => found !== undefined)
  if (!isObject(schema)) return undefined
  const own = wrong(schema)
  if (own !== undefined) return own
  for (const [name, value] of Object.entries(schema)) {
    // Under these the names are the author's own.
    const parts = /^(properties|\$defs|definitions)$/.test(name) && isObject(value) ? Object.values(value) : [value]
    if (/^(enum|const|default|example|examples|required)$/.test(name)) continue
    const found = schemaFault(parts, wrong)
    if (found !== undefined) return found
  }
  return undefined
}

/** An object of a strict schema that leaves room for more, or whose properties are not all required. */
export function looseObject(node: Fields): string | undefined {
  if (node.type !== 'object' && !isObject(node.properties)) return undefined
  return node.additionalProperties === false ? undefined : 'additionalProperties'
}

/** A schema of an object without any property, or none at all: a tool without parameters. */
export const isEmpty = (schema: unknown): boolean =>
  !isObject(schema) || !isObject(schema.properties) || Object.keys(schema.properties).length === 0
