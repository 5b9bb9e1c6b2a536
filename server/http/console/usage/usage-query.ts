/** Query parameters of usage: filters, time span, grouping. All throw `invalid_value` with the parameter as `param`. */

import { isZone, readOne } from '#http/console/route/one-value'
import { type UsageKey, usageKeys } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** Query parameters that filter usage. */
export const usageFilters = ['user', 'key', 'group', 'model', 'channel'] as const

/** Filters by name, or by id for users and keys. */
export function readFilter(query: URLSearchParams): Partial<Record<(typeof usageFilters)[number], string>> {
  const given = usageFilters.flatMap((name) => {
    const value = readOne(query, name)
    if (value === undefined) return []
    if (!/^\P{Cc}{1,256}$/u.test(value)) throw invalid(name, 'a name of 1 to 256 characters')
    return [[name, value]]
  })
  return Object.fromEntries(given)
}

/** The time span: `from` inclusive, `to` exclusive, both RFC 3339. */
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

/** The dimensions to group by: up to two of the list, each once. */
export function readBy(query: URLSearchParams): UsageKey[] {
  const by = (readOne(query, 'by') ?? '').split(',').filter((word) => word !== '')
  const known = by.filter((word): word is UsageKey => (usageKeys as readonly string[]).includes(word))
  if (known.length < by.length || known.length > 2 || new Set(known).size < known.length) {
    throw invalid('by', `one of ${usageKeys.join(', ')}, or two of them with a comma between`)
  }
  return known
}

/** The time zone in which days begin, UTC by default. */
export function readTimezone(query: URLSearchParams): string {
  const zone = readOne(query, 'timezone') ?? 'UTC'
  if (!isZone(zone)) throw invalid('timezone', 'the name of a time zone, like Europe/Berlin')
  return zone
}
