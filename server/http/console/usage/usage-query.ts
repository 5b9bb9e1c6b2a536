/** Query parameters of usage: grouping, and users and keys. All throw `invalid_value` with the parameter as `param`. */

import { readOne } from '#http/console/route/one-value'
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

/** The parameters that name several users or keys. */
export const usageLists = ['users', 'keys'] as const
const mostIds = 200

/** The users and keys of the report: ids, separated by commas. */
export function readLists(query: URLSearchParams): Partial<Record<(typeof usageLists)[number], string[]>> {
  const given = usageLists.flatMap((name) => {
    const text = readOne(query, name)
    if (text === undefined) return []
    const ids = text.split(',')
    if (ids.length > mostIds || !ids.every((id) => /^[\w.-]{1,64}$/.test(id)))
      throw invalid(name, `1 to ${mostIds} ids, with commas between`)
    return [[name, ids]]
  })
  return Object.fromEntries(given)
}
