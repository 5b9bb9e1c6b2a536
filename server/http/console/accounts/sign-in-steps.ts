/** The second step of a sign-in, sign-in by a passkey alone, and confirming the identity again. */
import type { Factors, PasskeyAsked } from '#accounts/factors/factors'
import { consoleRoute } from '#http/console/route/console-route'
import type { ConsoleServices } from '#http/console/route/services'
import { originOf } from '#http/request/origin'
import type { Route, Visit } from '#http/request/route'
import { readSessionCookie, readStepCookie } from '#http/request/session-cookie'
import { FactorGiven, PasskeyOptions, PasskeySignIn, type PasskeyUse, ProofGiven, type ProofMethods } from '#shared/console/session'
import { GatewayError } from '#shared/errors'
import { provedCookies, signedInReply } from './signed-in.ts'

/** Dependencies of the second factor routes. */
export interface FactorServices extends ConsoleServices {
  factors: Factors
}

/** `/api/session/step`, `passkey`, `passkey-options` and `proof`. */
export function signInStepRoutes(services: FactorServices): Route[] {
  const { accounts, factors, publicUrl } = services
  const path = '/api/session'
  const tokenOf = ({ request }: Visit) => readSessionCookie(request, publicUrl)
  const stepOf = ({ request }: Visit) => readStepCookie(request, publicUrl)

  /** The passkey options for the browser. Throws `not_signed_in`. */
  async function optionsFor(use: PasskeyUse, visit: Visit): Promise<object> {
    if (use === 'sign-in') return factors.requestOptions(undefined, { use, subject: '' })
    const token = use === 'step' ? stepOf(visit) : tokenOf(visit)
    const user = use === 'step' ? await accounts.userOfStep(token) : accounts.userEnrolling(token)
    if (user === undefined || token === undefined) throw new GatewayError('not_signed_in', 'Sign in first.')
    const asked: PasskeyAsked = { use, subject: accounts.nameOf(token) }
    return use === 'enrolment' ? factors.creationOptions(user, asked) : factors.requestOptions(user.id, asked)
  }

  return [
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/step`,
      who: 'anyone',
      body: FactorGiven,
      handle: async ({ visit, body }) => {
        demandOne(body)
        return signedInReply(services, visit, await accounts.finishStep(stepOf(visit), body, originOf(visit)))
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/passkey`,
      who: 'anyone',
      body: PasskeySignIn,
      handle: async ({ visit, body }) => signedInReply(services, visit, await accounts.signInByPasskey(body.passkey, originOf(visit))),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/passkey-options`,
      who: 'anyone',
      body: PasskeyOptions,
      handle: async ({ visit, body }) => ({ body: { options: await optionsFor(body.for, visit) } }),
    }),
    consoleRoute(services, {
      method: 'GET',
      path: `${path}/proof`,
      who: 'session',
      enrols: true,
      handle: async ({ user }) => {
        const none = { app: false, passkey: false, recoveryCode: false }
        const hasProvider = services.identityProvider !== undefined && (await accounts.identitiesOf(user)).length > 0
        const password = services.accounts.directory.users.get(user.id)?.signsIn === true
        const body: ProofMethods = { ...none, ...(await factors.methodsOf(user.id)), password, provider: hasProvider }
        return { body }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/proof`,
      who: 'session',
      enrols: true,
      body: ProofGiven,
      handle: async ({ visit, user, body }) => {
        demandOne(body)
        const token = tokenOf(visit)
        const next = token === undefined ? undefined : await accounts.proveAgain(user, token, body, originOf(visit))
        return { status: 204, cookies: provedCookies(services, next) }
      },
    }),
  ]
}

/** Throws `invalid_value` unless exactly one proof is there. */
function demandOne(given: ProofGiven): void {
  if (Object.values(given).filter((one) => one !== undefined).length === 1) return
  throw new GatewayError(
    'invalid_value',
    'Give exactly one proof: a code, a recovery code, a passkey, or a password where one is accepted.',
  )
}
