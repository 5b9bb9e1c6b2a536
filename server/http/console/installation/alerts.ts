/** Alerts, for administrators: hooks, a test of each, and deliveries that are pending or were given up. */
import type { Alerts } from '#alerts/alerts'
import { type ConsoleDeps, consoleRoute, names } from '#http/console/route/console-route'
import { readOne } from '#http/console/route/one-value'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import { AlertHookPatch, deliveryStates, NewAlertHook } from '#shared/console/alert'
import { GatewayError } from '#shared/errors'

/** What the alert routes need from the program. */
export interface AlertDeps extends ConsoleDeps {
  alerts: Alerts
}

/** `/api/alerts`. */
export function alertRoutes(deps: AlertDeps): Route[] {
  const { alerts } = deps
  const path = '/api/alerts/hooks'
  const admin = { who: 'admin', scope: 'settings' } as const
  const test = consoleRoute(deps, {
    method: 'POST',
    path: `${path}/:id/test`,
    ...admin,
    handle: async ({ visit }) => ({ body: await alerts.test(visit.params.id ?? '') }),
  })
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/alerts',
      ...admin,
      query: [...paging, 'state'],
      handle: async ({ query }) => {
        const named = readOne(query, 'state')
        const state = deliveryStates.find((one) => one === named)
        if (named !== undefined && state === undefined)
          throw new GatewayError('invalid_value', `state: expected one of ${deliveryStates.join(', ')}.`, { param: 'state' })
        return { body: await alerts.page({ ...readPaging(query), ...(state !== undefined && { state }) }) }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/alerts/:id/retry',
      ...admin,
      handle: async ({ visit, user }) => {
        await alerts.retry(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path,
      ...admin,
      query: paging,
      handle: async ({ query }) => ({
        body: pageOf('alert-hooks', await alerts.hooks(), ({ createdAt, id }) => `${createdAt} ${id}`, readPaging(query)),
      }),
    }),
    consoleRoute(deps, {
      method: 'POST',
      path,
      ...admin,
      fresh: true,
      body: NewAlertHook,
      handle: async ({ user, body }) => {
        const { row, secret } = await alerts.create(user, body)
        return { status: 201, body: { ...row, ...(secret !== null && { secret }) } }
      },
    }),
    consoleRoute(deps, {
      method: 'PATCH',
      path: `${path}/:id`,
      ...admin,
      fresh: names('url', 'secret', 'to'),
      body: AlertHookPatch,
      handle: async ({ visit, user, body }) => ({ body: await alerts.change(user, visit.params.id ?? '', body) }),
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: `${path}/:id`,
      ...admin,
      handle: async ({ visit, user }) => {
        await alerts.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    // A hook can be slow; sending has its own timeout.
    { ...test, slow: true },
  ]
}
