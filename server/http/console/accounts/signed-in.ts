/** The response of every sign-in, however it was proved: the session, or the second factors to continue with. */
import type { SignedIn as Begun } from '#accounts/sessions'
import { afterAnswers, type ConsoleReply } from '#http/console/route/console-route'
import type { ConsoleServices } from '#http/console/route/services'
import type { Visit } from '#http/request/route'
import { clearStepCookie, readSessionCookie, writeSessionCookie, writeStepCookie } from '#http/request/session-cookie'
import type { StepNeeded } from '#shared/console/session'
import type { SignedIn } from '#shared/console/user'

/** The cookies of a sign-in; ends the browser's existing session, so that none is carried over. */
export async function signInCookies(services: ConsoleServices, visit: Visit, { token, awaiting }: Begun): Promise<string[]> {
  const { accounts, publicUrl } = services
  if (awaiting) return [writeStepCookie(publicUrl, token)]
  await accounts.signOut(readSessionCookie(visit.request, publicUrl), visit.requestId)
  return [writeSessionCookie(publicUrl, token), clearStepCookie(publicUrl)]
}

/** The cookie of a session whose user has confirmed their identity again: it has a new token. */
export const provedCookies = ({ publicUrl }: ConsoleServices, token: string | undefined): string[] =>
  token === undefined ? [] : [writeSessionCookie(publicUrl, token)]

/** 200 with the user, or 202 with the second factors to continue with. */
export async function signedInReply(services: ConsoleServices, visit: Visit, begun: Begun, status = 200): Promise<ConsoleReply> {
  const cookies = await signInCookies(services, visit, begun)
  if (begun.awaiting) {
    const body: StepNeeded = { secondFactor: begun.awaiting }
    return { status: 202, cookies, body }
  }
  const banner = services.banner()
  const mustEnrol = services.accounts.userOfSession(begun.token) === undefined
  await afterAnswers(services)
  const user = await services.accounts.users.row(begun.user)
  const body: SignedIn = { user, ...(banner !== null && { banner }), ...(mustEnrol && { mustEnrol }) }
  return { status, cookies, body }
}
