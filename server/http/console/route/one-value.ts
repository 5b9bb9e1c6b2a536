/** Single values of a query. */
import { GatewayError } from '#shared/errors'

/** The single value of a parameter; undefined when it is absent. Throws `invalid_value` where it is repeated. */
export function readOne(query: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = query.getAll(name)
  if (more.length > 0) throw new GatewayError('invalid_value', `${name}: expected one value.`, { param: name })
  return value
}
