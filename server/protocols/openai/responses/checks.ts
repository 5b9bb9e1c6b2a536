/** Nested fields of a caller's body, checked like those of `fields.ts`: null means absent, and faults name the path. */
import { isObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readText, wrong } from '../fields.ts'

export function neededText(body: Body, field: string, path: string): string {
  const text = readText(body, field, path)
  if (text === undefined) throw missing(path)
  return text
}

export function readRange(body: Body, field: string, least: number, most: number): number | undefined {
  const value = body[field]
  if (isAbsent(value)) return undefined
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw wrong(field, `a number from ${least} to ${most}`)
}

export function readObject(body: Body, field: string, path = field): Body | undefined {
  const value = body[field]
  if (isAbsent(value)) return undefined
  if (!isObject(value)) throw wrong(path, 'an object')
  return value
}

/** The objects of a list, each with its path. */
export function readObjects(body: Body, field: string, path = field): [object: Body, path: string][] {
  const value = body[field]
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) throw wrong(path, 'a list')
  return value.map((item: unknown, index) => {
    const at = `${path}[${index}]`
    if (!isObject(item)) throw wrong(at, 'an object')
    return [item, at]
  })
}
