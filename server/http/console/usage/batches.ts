/**
 * Batches: their progress, and stopping them. Users see their own, administrators all; their contents are only for their owners' clients.
 */
import type { Batches } from '#batches/batches'
import type { Batch } from '#canonical/batch'
import { type Asker, consoleRoute } from '#http/console/route/console-route'
import { decodeCursor, encodeCursor, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import type { BatchRow } from '#shared/batch'
import { GatewayError } from '#shared/errors'

/** What the routes of batches need from the program. */
export interface BatchDeps extends ConsoleServices {
  batches: Pick<Batches, 'list' | 'find' | 'cancel'>
}

const list = 'batches'
const noBatch = () => new GatewayError('not_found', 'There is no such batch.', { param: 'id' })

/** `GET /api/batches` and `POST /api/batches/{id}/stop`. */
export function batchRoutes(deps: BatchDeps): Route[] {
  const { batches } = deps

  function rowOf(reader: Asker, batch: Batch): BatchRow {
    const { users, teams, keys } = deps.accounts.directory
    const { id, tenant, keyId, model, endpoint, createdAt, endsAt, cancelledAt, endedAt, total, counts } = batch
    const name = users.get(tenant)?.name ?? teams.get(tenant)?.team.name ?? null
    return {
      id,
      ...(reader.role === 'admin' && { user: { id: tenant, name } }),
      ...{ key: keys.get(keyId)?.key.name ?? null, model: model ?? null, endpoint },
      state: endedAt ? 'ended' : cancelledAt ? 'stopping' : 'running',
      createdAt: createdAt.toISOString(),
      endsAt: endsAt.toISOString(),
      endedAt: endedAt?.toISOString() ?? null,
      total,
      ...counts,
    }
  }

  /** The tenant whose batches the reader sees; undefined: all. */
  const whose = ({ role, id }: Asker) => (role === 'admin' ? undefined : id)

  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/batches',
      who: 'session',
      scope: 'usage',
      query: paging,
      async handle({ user, query }) {
        const { limit, after } = readPaging(query)
        const tenant = whose(user)
        const last = after === undefined ? undefined : await batches.find(decodeCursor(list, after), tenant)
        if (after !== undefined && !last) throw new GatewayError('invalid_value', 'after: this batch no longer exists.', { param: 'after' })
        const found = await batches.list({ ...(tenant !== undefined && { tenant }), most: limit + 1, ...(last && { after: last }) })
        const shown = found.slice(0, limit)
        const end = shown.at(-1)
        const next = found.length > limit && end ? encodeCursor(list, end.id) : null
        return { body: { data: shown.map((batch) => rowOf(user, batch)), next } }
      },
    }),
    consoleRoute(deps, {
      method: 'POST',
      path: '/api/batches/:id/stop',
      who: 'session',
      scope: 'keys',
      async handle({ user, visit }) {
        const batch = await batches.find(visit.params.id ?? '', whose(user))
        if (!batch) throw noBatch()
        const stopped = batch.endedAt || batch.cancelledAt ? batch : await batches.cancel(batch.id, user)
        if (!stopped) throw noBatch()
        return { body: rowOf(user, stopped) }
      },
    }),
  ]
}
