/** GET /api/books, for administrators: checks the whole books of this database and the journals of this instance. */
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import type { Route } from '#http/request/route'
import type { BooksReport } from '#shared/console/books'

/** What the route needs from the program. */
export interface BooksDeps extends ConsoleDeps {
  /** Rejects when the signal is aborted because the client disconnected. */
  checkBooks(signal: AbortSignal): Promise<BooksReport>
}

/** `GET /api/books`. */
export const booksRoutes = (deps: BooksDeps): Route[] => [
  consoleRoute(deps, {
    method: 'GET',
    path: '/api/books',
    who: 'admin',
    scope: 'audit',
    handle: async ({ visit }) => ({ body: await deps.checkBooks(visit.request.signal) }),
  }),
]
