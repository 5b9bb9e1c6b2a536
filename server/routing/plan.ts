/**
 * The plan of a request: every candidate that may serve it, best first. Reads channels from memory only; a model that the
 * group or the key does not have is unknown, whatever the reason.
 */
import { GatewayError } from '#shared/errors'
import { type Dialect, type Operation, servedBy } from '#shared/ids'
import type { Channel, ChannelModel, Channels } from './channel.ts'
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

/** The dialect to speak to this channel about this model, the client's own if it can be; undefined when it cannot serve it. */
function dialectFor(channel: Channel, model: ChannelModel, request: PlanRequest): Dialect | undefined {
  if (!channel.operations.includes(request.operation)) return undefined
  const ofModel = channel.vendor.speaksFor?.(model.upstream)
  return servedBy[request.dialect].find((spoken) => channel.speaks.includes(spoken) && (ofModel?.includes(spoken) ?? true))
}

function candidatesOf(channel: Channel, request: PlanRequest): Candidate[] {
  const model = channel.models.get(request.model)
  const dialect = model && dialectFor(channel, model, request)
  if (!model || !dialect) return []
  const native = dialect === request.dialect
  if (channel.vendor.keyless && channel.keys.length === 0) return [{ channel, key: null, model, dialect, native }]
  return channel.keys.filter((key) => key.enabled).map((key) => ({ channel, key, model, dialect, native }))
}

/** Throws `model_not_found`, `unsupported_endpoint` or `no_channel_available`; otherwise there is at least one candidate. */
export function plan(channels: Channels, request: PlanRequest, roll: () => number): Candidate[] {
  const offering = request.models === null || request.models.has(request.model) ? channels.offering(request.group, request.model) : []
  if (offering.length === 0) throw modelNotFound()
  const candidates = offering.flatMap((channel) => candidatesOf(channel, request))
  if (candidates.length > 0) return order(candidates, roll)
  const able = offering.some((channel) => {
    const model = channel.models.get(request.model)
    return model !== undefined && dialectFor(channel, model, request) !== undefined
  })
  if (!able) throw new GatewayError('unsupported_endpoint', 'No channel of this model can serve this endpoint.')
  throw new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter: 5 })
}
