/**
 * What administrators ask of the whole house, and nothing changes by: POST /api/route explains how a request would be routed, GET /api/books
 * checks the books of this database and the journals of this instance.
 */
import type { Caller, User } from '#accounts/caller'
import type { Route } from '#http/request/route'
import type { Explain } from '#relay/admin/explain'
import type { BooksReport } from '#shared/console/books'
import { RouteQuestion } from '#shared/console/route'
import { type ConsoleDeps, consoleRoute } from './console-route.ts'

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

/** What the route needs from the program. */
export interface BooksDeps extends ConsoleDeps {
  checkBooks(): Promise<BooksReport>
}

/** `GET /api/books`. */
export const booksRoutes = (deps: BooksDeps): Route[] => [
  consoleRoute(deps, { method: 'GET', path: '/api/books', who: 'admin', handle: async () => ({ body: await deps.checkBooks() }) }),
]
