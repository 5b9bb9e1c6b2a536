/** Second factors of the signed-in user, and their reset by administrators. */
import { consoleRoute } from '#http/console/route/console-route'
import type { Route, Visit } from '#http/request/route'
import { readSessionCookie } from '#http/request/session-cookie'
import { AppCode, type FactorsRow, NewApp, NewPasskey } from '#shared/console/session'
import { GatewayError } from '#shared/errors'
import type { FactorServices } from './sign-in-steps.ts'

/** `/api/session/factors`, `/api/session/recovery-codes`, and `DELETE /api/users/:id/factors`. */
export function factorRoutes(services: FactorServices): Route[] {
  const { accounts, factors, publicUrl } = services
  const path = '/api/session/factors'
  const tokenOf = ({ request }: Visit) => readSessionCookie(request, publicUrl)
  /** Other sessions have not proved the newly required factor. */
  const endOthers = (visit: Visit, userId: string) => accounts.endSessionsOf(userId, tokenOf(visit))
  return [
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'session',
      enrols: true,
      handle: async ({ visit, user }) => {
        const [rows, recoveryCodesLeft] = [await factors.rowsOf(user.id), await factors.recoveryCodesLeft(user.id)]
        const required = accounts.requiresFactor(tokenOf(visit))
        const body: FactorsRow = { required, passkeys: factors.passkeys, factors: rows, recoveryCodesLeft }
        return { body }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/apps`,
      who: 'session',
      ...{ enrols: true, fresh: true },
      body: NewApp,
      handle: async ({ user, body }) => ({ status: 201, body: await factors.addApp(user, body.name) }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/apps/:id`,
      who: 'session',
      enrols: true,
      body: AppCode,
      handle: async ({ visit, user, body }) => {
        const recoveryCodes = await factors.confirmApp(user, visit.params.id ?? '', body.code)
        await endOthers(visit, user.id)
        return { body: { recoveryCodes } }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/passkeys`,
      who: 'session',
      ...{ enrols: true, fresh: true },
      body: NewPasskey,
      handle: async ({ visit, user, body }) => {
        const asked = { use: 'enrolment', subject: accounts.nameOf(tokenOf(visit) ?? '') } as const
        const recoveryCodes = await factors.addPasskey(user, body, asked)
        await endOthers(visit, user.id)
        return { status: 201, body: { recoveryCodes } }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: `${path}/:id`,
      who: 'session',
      fresh: true,
      handle: async ({ visit, user }) => {
        await factors.remove(user, visit.params.id ?? '', accounts.requiresFactor(tokenOf(visit)))
        await endOthers(visit, user.id)
        return { status: 204 }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/session/recovery-codes',
      who: 'session',
      fresh: true,
      handle: async ({ user }) => ({ status: 201, body: { recoveryCodes: await factors.renewRecoveryCodes(user) } }),
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: '/api/users/:id/factors',
      who: 'admin',
      scope: 'users',
      fresh: true,
      handle: async ({ visit, user }) => {
        const whose = accounts.users.get(visit.params.id ?? '')
        if (whose === undefined) throw new GatewayError('not_found', 'There is nothing with this id, or it is not yours.')
        if (user.through && whose.role === 'admin') throw notByKey()
        await factors.reset(user, whose)
        await accounts.endSessionsOf(whose.id, whose.id === user.id ? tokenOf(visit) : undefined)
        return { status: 204 }
      },
    }),
  ]
}

const notByKey = () =>
  new GatewayError('not_permitted', 'A management key may not remove an administrator’s second factors: sign in to do that.')
