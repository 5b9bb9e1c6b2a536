/** Management keys: keys of the signed-in user for this API. Management keys have no access to these routes. */

import { consoleRoute } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { NewManagementKey } from '#shared/console/management-key'

/** `/api/management-keys`: list, create, delete. */
export function managementKeyRoutes(services: ConsoleServices): Route[] {
  const { managementKeys } = services.accounts
  const path = '/api/management-keys'
  return [
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'session',
      query: paging,
      handle: ({ user, query }) => {
        const rows = managementKeys.rowsOf(user)
        return { body: pageOf('management-keys', rows, (row) => `${row.createdAt} ${row.id}`, readPaging(query)) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path,
      who: 'session',
      fresh: true,
      body: NewManagementKey,
      handle: async ({ user, body }) => {
        const { row, secret } = await managementKeys.create(user, body)
        return { status: 201, body: { ...row, key: secret } }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: `${path}/:id`,
      who: 'session',
      handle: async ({ visit, user }) => {
        await managementKeys.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
  ]
}
