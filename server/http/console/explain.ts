/** POST /api/route, for administrators: what would happen to a request. Nothing is sent, held or charged. */
import type { Caller, User } from '#accounts/caller'
import type { Route } from '#http/request/route'
import type { Explain } from '#relay/admin/explain'
import { RouteQuestion } from '#shared/console/route'
import { type ConsoleDeps, consoleRoute } from './console-route.ts'

export interface RouteDeps extends ConsoleDeps {
  accounts: ConsoleDeps['accounts'] & { callerOf(user: User, key?: string, group?: string): Caller }
  explain: Explain
}

export function explainRoutes(deps: RouteDeps): Route[] {
  return [
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/route',
      who: 'admin',
      body: RouteQuestion,
      handle: ({ user, body: { key, group, dialect = 'chat', path, body } }) => ({
        body: deps.explain({
          caller: deps.accounts.callerOf(user, key, group),
          dialect,
          raw: JSON.stringify(body),
          ...(path !== undefined && { path }),
        }),
      }),
    }),
  ]
}
