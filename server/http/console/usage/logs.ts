/** Usage rows: users see their own, administrators all. */
import { billOf } from '#billing/pricing/bill'
import { consoleRoute } from '#http/console/route/console-route'
import { cutPage, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import { readSpan } from '#http/console/route/span'
import { readFilter, usageFilters } from '#http/console/route/usage-filter'
import type { Route } from '#http/request/route'
import { cursorOf, logConditions, readConditions } from './log-query.ts'

/** `GET /api/logs` and `GET /api/logs/{requestId}`. */
export function logRoutes(services: ConsoleServices): Route[] {
  const { usageLog } = services.accounts
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/logs',
      who: 'session',
      scope: 'usage',
      query: [...usageFilters, ...logConditions, 'from', 'to', ...paging],
      async handle({ user, query }) {
        const conditions = readConditions(query)
        const page = await usageLog.page(user, { ...readPaging(query), ...readSpan(query), filter: readFilter(query), conditions })
        return { body: cutPage(page, cursorOf) }
      },
    }),
    consoleRoute(services, {
      method: 'GET',
      path: '/api/logs/:requestId',
      who: 'session',
      scope: 'usage',
      async handle({ user, visit }) {
        const requestId = visit.params.requestId ?? ''
        const { row, lines } = await usageLog.find(user, requestId)
        const kept = await services.bodies.keptAmong([requestId])
        return { body: { ...row, bill: billOf(row, lines), ...(kept.has(requestId) && { stored: true }) } }
      },
    }),
  ]
}
