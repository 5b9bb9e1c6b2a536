/** The time span of a query. */
import { GatewayError } from '#shared/errors'
import { isInstant } from '#shared/instant'
import { readOne } from './one-value.ts'

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** The time span: `from` inclusive, `to` exclusive, both RFC 3339. Throws `invalid_value` with the parameter as `param`. */
export function readSpan(query: URLSearchParams): { from?: Date; to?: Date } {
  const [from, to] = ['from', 'to'].map((name) => readInstant(query, name))
  if (from && to && from >= to) throw invalid('to', 'a time after from')
  return { ...(from && { from }), ...(to && { to }) }
}

function readInstant(query: URLSearchParams, name: string): Date | undefined {
  const text = readOne(query, name)
  if (text === undefined) return undefined
  if (!isInstant(text) || !/^(19[7-9]|2)/.test(text)) {
    throw invalid(name, 'a time like 2026-03-01T00:00:00Z, or with %2B02:00 in the place of Z')
  }
  return new Date(text)
}
