/** Lists of models and single models, in the format of the caller's protocol. */
import type { Caller } from '#accounts/caller'
import type { PriceBook } from '#metering/price'
import { modelWriters } from '#protocols/index'
import type { Channels } from '#routing/channel'
import { modelNotFound } from '#routing/plan'
import { admit } from './relay-door.ts'
import { jsonText } from './respond.ts'
import type { Route, Visit } from './route.ts'

export interface ModelsDoor {
  accounts: { admitKey(secret: string): Caller }
  channels: Channels
  prices: PriceBook
  /** Seconds since the epoch; every model's `created`, since no vendor tells. */
  startedAt: number
}

export function modelRoutes(door: ModelsDoor): Route[] {
  const offered = (caller: Caller) =>
    door.channels
      .modelsOf(caller.group.name)
      .filter((model) => door.prices.get(model) !== undefined && (caller.models === null || caller.models.has(model)))
  const entry = (id: string) => ({ id, created: door.startedAt, ownedBy: 'parley' })

  function list(visit: Visit): Response {
    return jsonText(modelWriters.chat.list(offered(admit(door, visit)).map(entry)))
  }

  function detail(visit: Visit): Response {
    const caller = admit(door, visit)
    const model = visit.params['*'] ?? ''
    if (!offered(caller).includes(model)) throw modelNotFound()
    return jsonText(modelWriters.chat.one(entry(model)))
  }

  return [
    { method: 'GET', path: '/v1/models', envelope: 'chat', handle: list },
    { method: 'GET', path: '/v1/models/*', envelope: 'chat', handle: detail },
  ]
}
