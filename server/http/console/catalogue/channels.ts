/** Channels, for administrators. Channel keys are write-only; the registry in `routing` validates changes. */

import { type ConsoleDeps, consoleRoute, names } from '#http/console/route/console-route'
import { orderedList, readOneOf } from '#http/console/route/list-order'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import type { ChannelRegistry } from '#routing/channels'
import type { Health } from '#routing/health-contract'
import { sliceCount, sliceMs } from '#routing/outcomes'
import {
  type ChannelAttempts,
  type ChannelHealthRow,
  ChannelKeyPatch,
  type ChannelOutcomes,
  ChannelPatch,
  HealthReset,
  type HealthRow,
  NewChannel,
} from '#shared/console/channel'
import { channelFilters, channelOrder, channelTotals, isWantedChannel, readChannelQuestion } from './channel-list.ts'

/** What the channel routes need from the program. */
export interface ChannelDeps extends ConsoleDeps {
  channels: ChannelRegistry
  health: Pick<Health, 'ailments' | 'resting' | 'outcomes' | 'reset'>
}

/** `/api/channels`: list, create, read, change, delete, health, reset and outcomes. */
export function channelRoutes(deps: ChannelDeps): Route[] {
  const { channels, health } = deps
  const healthOf = (id: string): HealthRow[] =>
    health.ailments(id).map(({ key, model, state, cause, waitMs }) => ({ key, model, state, cause, retryInMs: Math.round(waitMs) }))
  const restsNow = () => Map.groupBy(health.resting(), ({ channelId }) => channelId)
  const outcomesOf = (id: string): ChannelOutcomes => {
    const row = channels.row(id)
    const nameOf = new Map(row.keys.map((key) => [key.id, key.name]))
    // Outcomes of a removed key belong to nothing any more.
    const known = health.outcomes(row.id).filter(({ keyId }) => keyId === null || nameOf.has(keyId))
    const data = known.map(({ keyId, model, slices }) => ({ key: nameOf.get(keyId ?? '') ?? null, model, slices }))
    return { sliceSeconds: sliceMs / 1000, data }
  }
  const attemptsOf = (channelId: string): ChannelAttempts[] => {
    const { data } = outcomesOf(channelId)
    if (data.length === 0) return []
    const sum = (at: number, what: 'attempts' | 'failed') => data.reduce((all, { slices }) => all + (slices[at]?.[what] ?? 0), 0)
    const slices = Array.from({ length: sliceCount }, (_, at) => ({ attempts: sum(at, 'attempts'), failed: sum(at, 'failed') }))
    return [{ channelId, slices }]
  }
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels',
      who: 'admin',
      scope: 'channels',
      query: [...channelFilters, ...paging],
      handle: ({ query }) => {
        const question = readChannelQuestion(query)
        const { order } = question
        const rests = restsNow()
        const wanted = channels.rows().filter((row) => isWantedChannel(question, row, rests))
        return { body: pageOf(orderedList('channels', order), wanted, channelOrder(order, rests), readPaging(query), order.down) }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels/totals',
      who: 'admin',
      scope: 'channels',
      handle: () => ({ body: channelTotals(channels.rows(), restsNow()) }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels/outcomes',
      who: 'admin',
      scope: 'channels',
      query: paging,
      handle: ({ query }) => {
        const rows = channels.rows().flatMap(({ id }) => attemptsOf(id))
        return { body: { sliceSeconds: sliceMs / 1000, ...pageOf('outcomes', rows, ({ channelId }) => channelId, readPaging(query)) } }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/channels',
      who: 'admin',
      scope: 'channels',
      fresh: true,
      body: NewChannel,
      handle: async ({ user, body }) => ({ status: 201, body: await channels.create(user, body) }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels/:id',
      who: 'admin',
      scope: 'channels',
      handle: ({ visit }) => ({ body: channels.row(visit.params.id ?? '') }),
    }),
    consoleRoute(deps, {
      method: 'PATCH',
      path: '/api/channels/:id',
      who: 'admin',
      scope: 'channels',
      fresh: names('keys', 'addKeys', 'baseUrl', 'headers', 'proxy', 'tls', 'options', 'params'),
      body: ChannelPatch,
      handle: async ({ visit, user, body }) => ({ body: await channels.patch(user, visit.params.id ?? '', body) }),
    }),
    consoleRoute(deps, {
      method: 'PATCH',
      path: '/api/channels/:id/keys/:key',
      who: 'admin',
      scope: 'channels',
      body: ChannelKeyPatch,
      handle: async ({ visit: { params }, user, body }) => ({
        body: await channels.patchKey(user, params.id ?? '', params.key ?? '', body),
      }),
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: '/api/channels/:id',
      who: 'admin',
      scope: 'channels',
      handle: async ({ visit, user }) => {
        await channels.remove(user, visit.params.id ?? '')
        return { status: 204 }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/channels/:id/reset',
      who: 'admin',
      scope: 'channels',
      body: HealthReset,
      optional: true,
      handle: ({ visit, body }) => {
        const { id } = channels.row(visit.params.id ?? '')
        health.reset(id, body)
        return { body: { data: healthOf(id), next: null } }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/health',
      who: 'admin',
      scope: 'channels',
      query: ['lately'],
      handle: ({ query }) => {
        const found = readOneOf(query, 'lately', ['true', 'false']) === 'true' ? health.ailments() : health.resting()
        const data = found.map(
          ({ channelId, key, model, state, cause, waitMs }): ChannelHealthRow => ({
            ...{ channelId, key, model, state, cause },
            retryInMs: Math.round(waitMs),
          }),
        )
        return { body: { data, next: null } }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels/:id/health',
      who: 'admin',
      scope: 'channels',
      handle: ({ visit }) => ({ body: { data: healthOf(channels.row(visit.params.id ?? '').id), next: null } }),
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/channels/:id/outcomes',
      who: 'admin',
      scope: 'channels',
      handle: ({ visit }) => ({ body: outcomesOf(visit.params.id ?? '') }),
    }),
  ]
}
