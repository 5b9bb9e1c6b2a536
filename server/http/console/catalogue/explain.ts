/** POST /api/route, for administrators: explains how a request would be routed. Nothing is sent, held or charged. */
import type { Caller, User } from '#accounts/caller'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import type { Route } from '#http/request/route'
import type { Explain } from '#relay/admin/explain'
import { RouteQuestion } from '#shared/console/inspection/route'

/** What the explain route needs from the program. */
export interface RouteDeps extends ConsoleDeps {
  accounts: ConsoleDeps['accounts'] & { callerOf(user: User, key?: string, group?: string): Caller }
  explain: Explain
}

/** `POST /api/route`. */
export function explainRoutes(deps: RouteDeps): Route[] {
  return [
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/route',
      who: 'admin',
      scope: 'channels',
      asks: true,
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
