/** The time span of a query. */
import { GatewayError } from '#shared/errors'
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
  const form = /^(19[7-9]|2\d\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i
  const ms = form.test(text) ? msOf(text) : undefined
  if (ms === undefined) throw invalid(name, 'a time like 2026-03-01T00:00:00Z, or with %2B02:00 in the place of Z')
  return new Date(ms)
}

/** Undefined for a day that does not exist, such as February 30, which `Date.parse` would move into the next month. */
function msOf(text: string): number | undefined {
  try {
    return Temporal.Instant.from(text).epochMilliseconds
  } catch {
    return undefined
  }
}
