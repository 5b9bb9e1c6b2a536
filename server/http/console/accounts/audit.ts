/** The audit trail, for administrators: who changed what, as pages of JSON or one CSV file. Read-only. */

import { consoleRoute } from '#http/console/route/console-route'
import { type Cell, type CsvColumns, csvOfPages, csvReply, plainWords, readFormat } from '#http/console/route/csv'
import { cutPage, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import { readSpan } from '#http/console/route/span'
import type { Route } from '#http/request/route'
import type { AuditRow } from '#shared/console/audit'
import { GatewayError } from '#shared/errors'

const filters = ['actor', 'target', 'action'] as const
/** Most rows of a file, and how many are read at once. */
const mostCsvRows = 50_000
const rowsAtOnce = 200

/** `GET /api/audit`. */
export function auditRoutes(services: ConsoleServices): Route[] {
  const { auditTrail } = services.accounts
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/audit',
      who: 'admin',
      scope: 'audit',
      query: [...filters, 'from', 'to', 'format', ...paging],
      handle: async ({ query, visit }) => {
        const asked = { ...readFilters(query), ...readSpan(query) }
        const { limit, after } = readPaging(query)
        const read = (limit: number, after?: string) => auditTrail.page({ ...asked, limit, ...(after !== undefined && { after }) })
        if (readFormat(query, visit.request, ['csv']) === 'json') return { body: cutPage(await read(limit, after), ({ id }) => id) }
        const first = await read(rowsAtOnce, after)
        return csvReply(
          'audit.csv',
          csvOfPages(columns, first, (next) => read(rowsAtOnce, next), mostCsvRows),
          services.clock,
        )
      },
    }),
  ]
}

const json = (value: unknown): Cell => (value === null ? undefined : plainWords(JSON.stringify(value)))
const columns: CsvColumns<AuditRow> = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['actor', ({ actor }) => plainWords(actor)],
  ['actorName', ({ actorName }) => plainWords(actorName)],
  ['owner', ({ owner }) => plainWords(owner?.name)],
  ['action', ({ action }) => action],
  ['target', ({ target }) => plainWords(target)],
  ['targetName', ({ targetName }) => plainWords(targetName)],
  ['before', ({ before }) => json(before)],
  ['after', ({ after }) => json(after)],
  ['requestId', ({ requestId }) => requestId],
]

/** The filters of the query. Throws `invalid_value` for one that is empty, too long or repeated. */
function readFilters(query: URLSearchParams): Partial<Record<(typeof filters)[number], string>> {
  const given = filters.filter((name) => query.has(name))
  return Object.fromEntries(given.map((name) => [name, only(name, query.getAll(name))]))
}

function only(name: string, [value = '', ...more]: string[]): string {
  if (value !== '' && value.length <= 256 && more.length === 0 && !value.includes('\0')) return value
  throw new GatewayError('invalid_value', `${name}: expected a single value of 1 to 256 characters.`, { param: name })
}
