/** Channels, for administrators. Keys go in and never come out; the registry in `routing` knows what is allowed. */
import type { ChannelRegistry } from '#routing/channels'
import { ChannelPatch, NewChannel } from '#shared/console/channel'
import type { Route } from '../route.ts'
import { type ConsoleDeps, consoleRoute } from './console.ts'
import { pageOf, readPaging } from './page.ts'

export function channelRoutes(deps: ConsoleDeps & { channels: ChannelRegistry }): Route[] {
  const { channels } = deps
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels',
      who: 'admin',
      handle: ({ query }) => ({ body: pageOf(channels.rows(), (row) => `${row.createdAt} ${row.id}`, readPaging(query)) }),
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/channels',
      who: 'admin',
      body: NewChannel,
      handle: async ({ body }) => ({ status: 201, body: await channels.create(body) }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels/:id',
      who: 'admin',
      handle: ({ visit }) => ({ body: channels.row(visit.params.id ?? '') }),
    }),
    consoleRoute(deps, {
      method: 'PATCH',
      path: '/api/channels/:id',
      who: 'admin',
      body: ChannelPatch,
      handle: async ({ visit, body }) => ({ body: await channels.patch(visit.params.id ?? '', body) }),
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: '/api/channels/:id',
      who: 'admin',
      handle: async ({ visit }) => {
        await channels.remove(visit.params.id ?? '')
        return { status: 204 }
      },
    }),
  ]
}
