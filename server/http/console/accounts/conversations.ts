/** Conversations that users store on the server, and links by which others read a copy. Sessions only: management keys have no access. */
import type { UserConversations } from '#accounts/kept/conversations'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import { KeptConversation, NewShare } from '#shared/console/user'

/** Dependencies. */
export interface ConversationDeps extends ConsoleDeps {
  conversations: UserConversations
}

/** `/api/conversations` and `/api/shares`. */
export function conversationRoutes(deps: ConversationDeps): Route[] {
  const { conversations } = deps
  const [path, shares] = ['/api/conversations', '/api/shares']
  return [
    consoleRoute(deps, {
      method: 'GET',
      path,
      who: 'session',
      query: paging,
      handle: async ({ user, query }) => ({
        body: pageOf('conversations', await conversations.kept(user), (row) => row.id, readPaging(query)),
      }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: `${path}/:id`,
      who: 'session',
      handle: async ({ visit, user }) => ({ body: await conversations.read(user, visit.params.id ?? '') }),
    }),
    consoleRoute(deps, {
      method: 'PUT',
      path: `${path}/:id`,
      who: 'session',
      body: KeptConversation,
      handle: async ({ visit, user, body }) => {
        await conversations.keep(user, visit.params.id ?? '', body)
        return { status: 204 }
      },
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: `${path}/:id`,
      who: 'session',
      handle: async ({ visit, user }) => {
        await conversations.forget(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: shares,
      who: 'session',
      query: paging,
      handle: async ({ user, query }) => ({
        body: pageOf('shares', await conversations.shares(user), (row) => `${row.createdAt} ${row.id}`, readPaging(query), true),
      }),
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: shares,
      who: 'session',
      body: NewShare,
      handle: async ({ user, body }) => ({ status: 201, body: await conversations.share(user, body) }),
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: `${shares}/:id`,
      who: 'session',
      handle: async ({ visit, user }) => {
        await conversations.unshare(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: `${shares}/:id`,
      who: 'anyone',
      handle: async ({ visit }) => ({
        body: await conversations.shared(visit.params.id ?? ''),
        headers: { 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' },
      }),
    }),
  ]
}
