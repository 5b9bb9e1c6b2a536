/** Fields of a caller's body, checked one by one: each throws GatewayError 400 with the field's path as `param`. */
import { GatewayError } from '#shared/errors'

export type Body = Record<string, unknown>

/** The error for a required field that is absent. */
export function missing(param: string): GatewayError {
  return new GatewayError('missing_field', `The field \`${param}\` is required.`, { param })
}

/** The error for a value that breaks `rule`, which completes "must be ...". */
export function wrong(param: string, rule: string): GatewayError {
  return new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })
}

/** Null means absent everywhere. */
export const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

/** A name of 1 to 256 characters. Throws GatewayError 400. */
export function readModel(model: unknown): string {
  if (isAbsent(model)) throw missing('model')
  const isName = typeof model === 'string' && model.length > 0 && model.length <= 256 && model.isWellFormed() && !/\p{Cc}/u.test(model)
  if (!isName) throw wrong('model', 'a name of 1 to 256 characters without control characters')
  return model
}

/** True or false; undefined if absent. Throws GatewayError 400. */
export function readFlag(body: Body, field: string, path = field): boolean | undefined {
  const value = body[field]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'boolean') throw wrong(path, 'true or false')
  return value
}

/** An integer within the bounds; undefined if absent. Throws GatewayError 400. */
export function readCount(body: Body, field: string, most = Number.MAX_SAFE_INTEGER, least = 1): number | undefined {
  const value = body[field]
  if (isAbsent(value)) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
  if (most !== Number.MAX_SAFE_INTEGER) throw wrong(field, `an integer from ${least} to ${most}`)
  throw wrong(field, least === 1 ? 'a positive integer' : `an integer of at least ${least}`)
}

/** A finite number; undefined if absent. Throws GatewayError 400. */
export function readNumber(body: Body, field: string): number | undefined {
  const value = body[field]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(field, 'a number')
  return value
}

/** A text; undefined if absent. Throws GatewayError 400. */
export function readText(body: Body, field: string, path = field): string | undefined {
  const value = body[field]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') throw wrong(path, 'text')
  return value
}

/** One of a closed list of values. */
export function readWord<T extends string>(body: Body, field: string, words: readonly T[], path = field): T | undefined {
  const value = body[field]
  if (isAbsent(value)) return undefined
  const word = words.find((one) => one === value)
  if (word === undefined) throw wrong(path, `one of ${words.join(', ')}`)
  return word
}
