/** Filters usage by a query. */
import { GatewayError } from '#shared/errors'
import { readOne } from './one-value.ts'

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** A name in a query: of a model or a channel, say. */
export const nameForm = /^\P{Cc}{1,256}$/u

/** Query parameters that filter usage. */
export const usageFilters = ['user', 'team', 'key', 'group', 'model', 'channel'] as const

/** Filters by name, or by id for users, teams and keys. Throws `invalid_value` with the parameter as `param`. */
export function readFilter(query: URLSearchParams): Partial<Record<(typeof usageFilters)[number], string>> {
  const given = usageFilters.flatMap((name) => {
    const value = readOne(query, name)
    if (value === undefined) return []
    if (!nameForm.test(value)) throw invalid(name, 'a name of 1 to 256 characters')
    return [[name, value]]
  })
  return Object.fromEntries(given)
}
