/** Invitations by link: creating, ending and accepting them. */
import type { Invitations } from '#accounts/invitations/invitations'
import { consoleRoute } from '#http/console/route/console-route'
import { readOne } from '#http/console/route/one-value'
import { pageUntil, paging, placeIn, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import { originOf } from '#http/request/origin'
import type { Route } from '#http/request/route'
import { type InvitationRow, InvitationToken, Join, NewInvitation } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { signedInReply } from './signed-in.ts'

/** Dependencies. */
export interface InvitationServices extends ConsoleServices {
  invitations: Invitations
}

/** `/api/invitations`: list, create, end, accept. `/api/join`: look, and create an account. */
export function invitationRoutes(services: InvitationServices): Route[] {
  const { invitations, publicUrl } = services
  const path = '/api/invitations'
  return [
    consoleRoute(services, {
      method: 'GET',
      path,
      who: 'session',
      scope: 'users',
      query: [...paging, 'team'],
      handle: async ({ user, query }) => {
        const { limit, after } = readPaging(query)
        const [place, team] = [placeIn('invitations', after), readOne(query, 'team')]
        const asked = { limit, ...(place && { after: place }), ...(team !== undefined && { team }) }
        const { rows, more } = await invitations.pageFor(user, asked)
        const placeOf = ({ createdAt, id }: InvitationRow) => [createdAt, id] as const
        const last = more ? rows.at(-1) : undefined
        return { body: pageUntil('invitations', rows, last ? placeOf(last) : null, placeOf) }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path,
      who: 'session',
      scope: 'users',
      fresh: ({ role, group, team }) => role === 'admin' || group !== undefined || team !== undefined,
      body: NewInvitation,
      handle: async ({ user, body }) => {
        if (user.through && body.role === 'admin') throw notByKey()
        const { row, token } = await invitations.create(user, body)
        // After the hash: browsers do not send it, so it is in no log and no Referer.
        return { status: 201, body: { ...row, link: new URL(`/join#${token}`, publicUrl).href } }
      },
    }),
    consoleRoute(services, {
      method: 'DELETE',
      path: `${path}/:id`,
      who: 'session',
      scope: 'users',
      handle: async ({ visit, user }) => {
        await invitations.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: `${path}/accept`,
      who: 'session',
      body: InvitationToken,
      handle: async ({ user, body }) => {
        await invitations.accept(user, body.token)
        return { status: 204 }
      },
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/join/look',
      who: 'anyone',
      body: InvitationToken,
      handle: async ({ body }) => ({ body: await invitations.look(body.token) }),
    }),
    consoleRoute(services, {
      method: 'POST',
      path: '/api/join',
      who: 'anyone',
      body: Join,
      handle: async ({ visit, body }) => signedInReply(services, visit, await invitations.join(body, originOf(visit)), 201),
    }),
  ]
}

const notByKey = () => new GatewayError('not_permitted', 'A management key may not invite administrators: sign in to do that.')
