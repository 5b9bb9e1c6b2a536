/** The audit trail, for administrators: who changed what. Read-only. */

import { consoleRoute } from '#http/console/route/console-route'
import { cutPage, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { GatewayError } from '#shared/errors'

const filters = ['actor', 'target', 'action'] as const

/** `GET /api/audit`. */
export function auditRoutes(services: ConsoleServices): Route[] {
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/audit',
      who: 'admin',
      scope: 'audit',
      query: [...filters, ...paging],
      handle: async ({ query }) => {
        const page = await services.accounts.auditTrail.page({ ...readPaging(query), ...readFilters(query) })
        return { body: cutPage(page, ({ id }) => id) }
      },
    }),
  ]
}

/** The filters of the query. Throws `invalid_value` for one that is empty, too long or repeated. */
function readFilters(query: URLSearchParams): Partial<Record<(typeof filters)[number], string>> {
  const given = filters.filter((name) => query.has(name))
  return Object.fromEntries(given.map((name) => [name, only(name, query.getAll(name))]))
}

function only(name: string, [value = '', ...more]: string[]): string {
  if (value !== '' && value.length <= 256 && more.length === 0 && !value.includes('\0')) return value
  throw new GatewayError('invalid_value', `${name}: expected a single value of 1 to 256 characters.`, { param: name })
}
