/**
 * Gemini: the family of Google's generateContent. Its wire form is proto3 JSON, where every field has two spellings
 * (`maxOutputTokens`, `max_output_tokens`), a number may come as a string, null is absence, and a lone object may stand for
 * a list of one. This file knows those four rules and how a wrong value is named in the caller's own spelling; all others
 * ask for fields by their camelCase name. Must not know any field. Start reading at generate-content/codec.ts.
 */
import { GatewayError } from '#shared/errors'
import { isObject } from '#wire/json-scan'

export type Body = Record<string, unknown>

/** An object and where it stands in the caller's body. */
export interface Node {
  body: Body
  path: string
}

const snakes = new Map<string, string>()

/** `maxOutputTokens` as `max_output_tokens`. Names come from code, so the memory is bounded. */
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

/** The object in a field, or undefined when there is none. For upstream answers, where nothing is refused. */
export function pickObject(body: Body, name: string): Body | undefined {
  const value = pick(body, name)
  return isObject(value) ? value : undefined
}

/** The objects in a list; what is no object is passed over. */
export function pickObjects(body: Body, name: string): Body[] {
  const value = pick(body, name)
  return Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : []
}

/** The text in a field, or undefined. */
export function pickText(body: Body, name: string): string | undefined {
  const value = pick(body, name)
  return typeof value === 'string' ? value : undefined
}

/** Where the field `name` stands in the caller's body, as the caller spells it. */
export function pathOf(node: Node, name: string): string {
  const spelled = node.body[name] === undefined && node.body[snake(name)] !== undefined ? snake(name) : name
  return node.path === '' ? spelled : `${node.path}.${spelled}`
}

export function wrong(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })
}

export function missing(param: string): GatewayError {
  return new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
}

/** The functions below throw GatewayError 400 with the field's path as `param` for a value of another kind. */
export function objectAt(node: Node, name: string): Node | undefined {
  const value = pick(node.body, name)
  if (value === undefined) return undefined
  const path = pathOf(node, name)
  if (!isObject(value)) throw wrong(path, 'an object')
  return { body: value, path }
}

export function objectsAt(node: Node, name: string): Node[] {
  const value = pick(node.body, name)
  if (value === undefined) return []
  const path = pathOf(node, name)
  if (isObject(value)) return [{ body: value, path }]
  if (!Array.isArray(value)) throw wrong(path, 'a list of objects')
  return value.map((item: unknown, index) => {
    if (!isObject(item)) throw wrong(`${path}[${index}]`, 'an object')
    return { body: item, path: `${path}[${index}]` }
  })
}

export function textAt(node: Node, name: string): string | undefined {
  const value = pick(node.body, name)
  if (value === undefined || typeof value === 'string') return value
  throw wrong(pathOf(node, name), 'a text')
}

export function textsAt(node: Node, name: string): string[] {
  const value = pick(node.body, name) ?? []
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.every((item) => typeof item === 'string')) return list
  throw wrong(pathOf(node, name), 'a list of texts')
}

export function flagAt(node: Node, name: string): boolean | undefined {
  const value = pick(node.body, name)
  if (value === undefined || typeof value === 'boolean') return value
  throw wrong(pathOf(node, name), 'true or false')
}

export function numberAt(node: Node, name: string, least: number, most: number): number | undefined {
  const value = pick(node.body, name)
  if (value === undefined) return undefined
  const number = numeric(value)
  if (number !== undefined && number >= least && number <= most) return number
  throw wrong(pathOf(node, name), `a number from ${least} to ${most}`)
}

export function integerAt(node: Node, name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = pick(node.body, name)
  if (value === undefined) return undefined
  const number = numeric(value)
  if (number !== undefined && Number.isSafeInteger(number) && number >= least && number <= most) return number
  throw wrong(
    pathOf(node, name),
    most === Number.MAX_SAFE_INTEGER ? `an integer of ${least} or more` : `an integer from ${least} to ${most}`,
  )
}

/** A finite number, also one in a string; undefined for anything else. */
export function numeric(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,20}(?:\.\d{1,20})?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
