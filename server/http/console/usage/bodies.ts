/** Kept bodies: read and deleted by the owner of their key, and by administrators. */
import type { ReadBody } from '#bodies/reading'
import { type KeptRecord, textOf } from '#bodies/record'
import { type Asker, consoleRoute } from '#http/console/route/console-route'
import { readOneOf } from '#http/console/route/list-order'
import { readOne } from '#http/console/route/one-value'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { chatFormOf } from '#replay/chat-form'
import type { KeptBody, KeptPart } from '#shared/console/body'
import { GatewayError } from '#shared/errors'

/** Most bytes of a body shown with its record; the whole body is a download. */
const shownBytes = 1024 * 1024

/**
 * `GET` and `DELETE /api/bodies/{requestId}`, `GET /api/bodies/{requestId}/{part}`, and `DELETE /api/bodies` of a key, a user or all users.
 */
export function bodyRoutes(deps: ConsoleServices): Route[] {
  const { bodies, accounts } = deps
  const idOf = (params: Record<string, string>) => params.requestId ?? ''

  function whoseOf(user: Asker, query: URLSearchParams): { keyId: string } | { userId: string } | { everybody: true } {
    const [key, owner, all] = [readOne(query, 'key'), readOne(query, 'user'), readOneOf(query, 'all', ['true'])]
    if (all) {
      if (user.role !== 'admin') throw new GatewayError('not_permitted', 'Only administrators may delete the kept bodies of all users.')
      if (key === undefined && owner === undefined) return { everybody: true }
      throw new GatewayError('invalid_value', 'Give a key or a user, or all=true.', { param: 'all' })
    }
    if ((key === undefined) === (owner === undefined))
      throw new GatewayError('invalid_value', 'Give a key or a user, or all=true.', { param: key === undefined ? 'key' : 'user' })
    if (key !== undefined) {
      const { id, teamId, userId } = accounts.keys.find(user, key)
      // As with reading: requests of a member's key belong to the member, not to the team's managers.
      if (teamId !== null && userId !== user.id && user.role !== 'admin')
        throw new GatewayError('not_found', 'There is no such key.', { param: 'key' })
      return { keyId: id }
    }
    if (owner !== user.id && user.role !== 'admin') throw new GatewayError('not_found', 'There is no such user.', { param: 'user' })
    return { userId: owner ?? user.id }
  }

  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/bodies/:requestId',
      who: 'session',
      scope: 'bodies',
      query: ['as'],
      async handle({ user, visit, query }) {
        const as = readOne(query, 'as')
        if (as !== undefined && as !== 'chat') throw new GatewayError('invalid_value', 'as: expected chat.', { param: 'as' })
        const read = await bodies.read(user, idOf(visit.params))
        const chat = as && chatFormOf(read.record)
        return { body: { ...bodyOf(read), ...(chat && { chat }) } }
      },
    }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/bodies/:requestId/:part',
      who: 'session',
      scope: 'bodies',
      async handle({ user, visit }) {
        const { record } = await bodies.read(user, idOf(visit.params))
        const part = record.parts[/^\d{1,3}$/.test(visit.params.part ?? '') ? Number(visit.params.part) : -1]
        if (!part || part.leftOut) throw new GatewayError('not_found', 'This request has no such body.')
        const headers = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="body"' }
        return { stream: new Blob([new Uint8Array(part.body)]).stream(), headers }
      },
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: '/api/bodies/:requestId',
      who: 'session',
      scope: 'bodies',
      async handle({ user, visit }) {
        await bodies.remove(user, idOf(visit.params))
        return { status: 204 }
      },
    }),
    consoleRoute(deps, {
      method: 'DELETE',
      path: '/api/bodies',
      who: 'session',
      scope: 'bodies',
      query: ['key', 'user', 'all'],
      handle: async ({ user, query }) => ({ body: { deleted: await bodies.removeAll(user, whoseOf(user, query)) } }),
    }),
  ]
}

function bodyOf({ record, redacted, isWhole }: ReadBody): KeptBody {
  const { requestId, at, parts } = record
  return { requestId, at: new Date(at).toISOString(), redacted, whole: isWhole, parts: parts.map(partOf) }
}

function partOf({ body, headers, pieces, ...head }: KeptRecord['parts'][number]): KeptPart {
  const text = head.leftOut || body.length > shownBytes ? undefined : textOf(body)
  return { ...head, headers: [...headers], ...(pieces && { pieces: [...pieces] }), ...(text !== undefined && { text }) }
}
