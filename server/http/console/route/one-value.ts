/** Parses single values of a query. */
import { GatewayError } from '#shared/errors'

/** The single value of a parameter; undefined when it is absent. Throws `invalid_value` where it is repeated. */
export function readOne(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name)
  if (more.length > 0) throw new GatewayError('invalid_value', `${name}: expected one value.`, { param: name })
  return value
}

/** Whether this is the name of an IANA time zone. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]\w*([/+-]\w+)*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The time zone in which days begin, UTC by default. Throws `invalid_value` for one that is unknown. */
export function readTimezone(query: URLSearchParams): string {
  const zone = readOne(query, 'timezone') ?? 'UTC'
  if (isZone(zone)) return zone
  throw new GatewayError('invalid_value', 'timezone: expected the name of a time zone, like Europe/Berlin.', { param: 'timezone' })
}
