/** Sign-in by an identity provider, and the identities of the signed-in user. */

import type { User } from '#accounts/caller'
import type { Attempt, Identity, IdentityProvider } from '#accounts/identity/provider'
import type { Invitations } from '#accounts/invitations/invitations'
import type { TeamClaims } from '#accounts/teams/claims'
import { consoleRoute, proofNeeded } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import { originOf } from '#http/request/origin'
import type { Route, Visit } from '#http/request/route'
import { clearAttemptCookie, readAttemptCookie, readSessionCookie, writeAttemptCookie } from '#http/request/session-cookie'
import type { Actor } from '#shared/console/audit'
import { ProviderSignIn } from '#shared/console/session'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { provedCookies, signInCookies } from './signed-in.ts'

const path = '/api/session/oidc'
/** Where the provider sends the browser back to. */
export const callbackPath = `${path}/callback`

/** State kept by the browser while the user is at the provider. */
interface Begun extends Attempt {
  /** A path of this server. */
  to: string
  /** Adds the identity to the signed-in user. */
  link: boolean
  /** Confirms the signed-in user's identity again. */
  proof: boolean
  /** The token of an invitation link; empty without one. */
  invitation: string
}

/** Dependencies. */
interface SingleSignOnServices extends ConsoleServices {
  teams: TeamClaims
  invitations: Pick<Invitations, 'accept'>
}

/** `/api/session/oidc`: begin, come back. `/api/session/identities`: list, remove. */
export function singleSignOnRoutes(services: SingleSignOnServices): Route[] {
  const { accounts, teams, invitations, publicUrl, identityProvider } = services
  const tokenOf = ({ request }: Visit) => readSessionCookie(request, publicUrl)

  /** Redirects to the requested page; a failure is passed in its query, since only a page can explain it. */
  function arrive(to: string, failure: string | undefined, cookies: readonly string[]): Response {
    const address = new URL(to, publicUrl)
    if (failure !== undefined) address.searchParams.set('sign-in', failure)
    const headers = new Headers({ location: `${address.pathname}${address.search}${address.hash}`, 'cache-control': 'no-store' })
    for (const cookie of [clearAttemptCookie(publicUrl), ...cookies]) headers.append('set-cookie', cookie)
    return new Response(null, { status: 302, headers })
  }

  /** Completes what was begun for the signed-in user: redirects to the page, with a failure in the query. */
  async function ofSignedIn(visit: Visit, begun: Begun, identity: Identity, to: string): Promise<Response> {
    const token = tokenOf(visit)
    const user = accounts.userOfSession(token)
    if (user === undefined || token === undefined) return arrive(to, 'expired', [])
    if (begun.link) {
      await accounts.linkIdentity(user, identity, visit.requestId)
      return arrive(to, undefined, [])
    }
    if (!(await accounts.isIdentityOf(identity, user))) return arrive(to, 'refused', [])
    return arrive(to, undefined, provedCookies(services, await accounts.proved(token, visit.requestId)))
  }

  /** Why the invitation could not be accepted; undefined when it was. The user is signed in either way. */
  const accepted = (user: User & Actor, token: string, isNew: boolean) =>
    invitations.accept(user, token, isNew).then(
      () => undefined,
      (thrown: unknown) => {
        if (thrown instanceof GatewayError) return thrown.code === 'name_taken' ? undefined : 'invitation'
        throw thrown
      },
    )

  async function comeBack(visit: Visit): Promise<Response> {
    const provider = required(identityProvider)
    const begun = readBegun(readAttemptCookie(visit.request, publicUrl))
    if (begun === undefined) return arrive('/', 'expired', [])
    const to = localPath(begun.to, publicUrl)
    try {
      if (visit.url.searchParams.has('error')) return arrive(to, 'refused', [])
      const returned = new URL(`${callbackPath}${visit.url.search}`, publicUrl)
      const ask = () => provider.finish(returned, begun, begun.proof)
      const identity = await accounts.confirmed(ask, begun.state, originOf(visit).address)
      if (begun.link || begun.proof) return await ofSignedIn(visit, begun, identity, to)
      const signIn = await accounts.signInAs(identity, originOf(visit))
      const { user, isNew, awaiting } = signIn
      await teams.joinByClaim(user, identity.groups, visit.requestId)
      // With a second step pending, the invitation is accepted on the page after sign-in.
      const accepts = begun.invitation !== '' && awaiting === undefined
      const failure = accepts ? await accepted({ ...user, requestId: visit.requestId }, begun.invitation, isNew) : undefined
      return arrive(to, awaiting ? 'second-factor' : failure, await signInCookies(services, visit, signIn))
    } catch (thrown) {
      const failure = thrown instanceof GatewayError ? failures[thrown.code] : undefined
      if (failure === undefined) throw thrown
      return arrive(to, failure, [])
    }
  }

  return [
    consoleRoute(services, {
      method: 'POST',
      path,
      who: 'anyone',
      body: ProviderSignIn,
      handle: async ({ visit, body }) => {
        const { link = false, proof = false, invitation = '', to = '/' } = body
        // A linked identity is another way to sign in.
        if (link && accounts.userOfSession(tokenOf(visit)) && !accounts.isFresh(tokenOf(visit))) throw proofNeeded()
        const { address, attempt } = await required(identityProvider).begin(proof)
        const begun: Begun = { ...attempt, to: localPath(to, publicUrl), link, proof, invitation }
        const value = Buffer.from(JSON.stringify(begun)).toString('base64url')
        return { headers: { 'set-cookie': writeAttemptCookie(publicUrl, value) }, body: { address: address.href } }
      },
    }),
    // The provider decides about the parameters, so they are not checked against a list here.
    { method: 'GET', path: callbackPath, envelope: 'chat', handle: comeBack },
    consoleRoute(services, {
      method: 'GET',
      path: '/api/session/identities',
      who: 'session',
      query: paging,
      handle: async ({ user, query }) => {
        const rows = await accounts.identitiesOf(user)
        return { body: pageOf('identities', rows, (row) => `${row.at} ${row.id}`, readPaging(query)) }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: '/api/session/identities/:id',
      who: 'session',
      fresh: true,
      handle: async ({ visit, user }) => {
        await accounts.unlinkIdentity(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
  ]
}

/** Failure codes passed to pages, for failures that users can resolve. */
const failures: Readonly<Record<string, string>> = {
  invalid_credentials: 'refused',
  not_permitted: 'disabled',
  upstream_error: 'unavailable',
  name_taken: 'taken',
  too_many_attempts: 'wait',
}

function required(provider: IdentityProvider | undefined): IdentityProvider {
  if (provider === undefined) throw new GatewayError('not_found', 'No identity provider is set up here: see PARLEY_OIDC_ISSUER.')
  return provider
}

/** The path of a URL of this server; anything else becomes `/`. */
function localPath(to: string, publicUrl: URL): string {
  if (!URL.canParse(to, publicUrl)) return '/'
  const { origin, pathname, search, hash } = new URL(to, publicUrl)
  return origin === publicUrl.origin ? `${pathname}${search}${hash}` : '/'
}

function readBegun(value: string | undefined): Begun | undefined {
  if (value === undefined) return undefined
  const begun = parse(Buffer.from(value, 'base64url').toString('utf8'))
  if (!isObject(begun)) return undefined
  const { state, nonce, verifier, to, link, proof, invitation } = begun
  const isWhole = [state, nonce, verifier, to].every((part) => typeof part === 'string' && part !== '')
  const more = { link: link === true, proof: proof === true, invitation: typeof invitation === 'string' ? invitation : '' }
  return isWhole ? ({ state, nonce, verifier, to, ...more } as Begun) : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
