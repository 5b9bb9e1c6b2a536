/**
 * The plan of a request: every candidate that may serve it, best first. Reads channels from memory only; a model that the
 * group or the key does not have is unknown, whatever the reason.
 */
import { GatewayError } from '#shared/errors'
import { type Dialect, type Operation, servedBy } from '#shared/ids'
import type { Channel, Channels } from './channel.ts'
import { type Candidate, order } from './order.ts'

export interface PlanRequest {
  group: string
  model: string
  /** The key's own list; null = every model of the group. */
  models: ReadonlySet<string> | null
  operation: Operation
  dialect: Dialect
}

export const modelNotFound = () =>
  new GatewayError('model_not_found', 'The model does not exist or this key may not use it.', { param: 'model' })

function candidatesOf(channel: Channel, request: PlanRequest): Candidate[] {
  const model = channel.models.get(request.model)
  const dialect = servedBy[request.dialect].find((spoken) => channel.speaks.includes(spoken))
  const native = dialect === request.dialect
  if (!model || !dialect || !channel.operations.includes(request.operation)) return []
  if (channel.vendor.keyless && channel.keys.length === 0) return [{ channel, key: null, model, dialect, native }]
  return channel.keys.filter((key) => key.enabled).map((key) => ({ channel, key, model, dialect, native }))
}

/** Throws `model_not_found`, `unsupported_endpoint` or `no_channel_available`; otherwise there is at least one candidate. */
export function plan(channels: Channels, request: PlanRequest, roll: () => number): Candidate[] {
  const offering = request.models === null || request.models.has(request.model) ? channels.offering(request.group, request.model) : []
  if (offering.length === 0) throw modelNotFound()
  const candidates = offering.flatMap((channel) => candidatesOf(channel, request))
  if (candidates.length > 0) return order(candidates, roll)
  const able = offering.some(
    (channel) =>
      channel.operations.includes(request.operation) && servedBy[request.dialect].some((spoken) => channel.speaks.includes(spoken)),
  )
  if (!able) throw new GatewayError('unsupported_endpoint', 'No channel of this model can serve this endpoint.')
  throw new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter: 5 })
}
