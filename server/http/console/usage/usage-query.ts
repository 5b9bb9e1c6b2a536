/** Query parameters of usage: grouping and time zone. All throw `invalid_value` with the parameter as `param`. */

import { isZone, readOne } from '#http/console/route/one-value'
import { type UsageKey, usageKeys } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

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
