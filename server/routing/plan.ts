/**
 * The plan of a request: every candidate that may serve it, best first. Reads channels from memory only; a model that the group or
 * the key may not use is reported as unknown.
 */
import { GatewayError } from '#shared/errors'
import { type Dialect, isSideOperation, type Operation, type Style, servedBy, stylesOf, type Wire } from '#shared/ids'
import type { Channel, ChannelModel, Channels } from './channel.ts'
import { type Candidate, order, type Rank } from './order.ts'

/** What the plan depends on. */
export interface PlanRequest {
  group: string
  model: string
  /** The models the key may use; null = every model of the group. */
  models: ReadonlySet<string> | null
  operation: Operation
  dialect: Wire
  /** The operation that the model must support, if it differs. */
  use?: Operation
}

/** A model that does not exist or that the caller may not use. */
export const modelNotFound = () =>
  new GatewayError('model_not_found', 'The model does not exist or this key may not use it.', { param: 'model' })

const switchedOff = () => new GatewayError('no_channel_available', 'Every channel of this model is switched off.', { retryAfter: 5 })

type Spoken = Pick<Candidate, 'dialect' | 'style' | 'native'>

/** Operations about a conversation: generation models serve them. A search names the model that uses the results. */
const ofGeneration = new Set<Operation>(['count-tokens', 'compact', 'search', 'interact'])

const usualSessions: readonly Dialect[] = ['chat']

/** True when the model supports the operation: its fact `serves` lists operations; no fact = yes. */
export function serves({ capabilities }: Pick<ChannelModel, 'capabilities'>, operation: Operation): boolean {
  const { serves: known } = capabilities
  const asked = ofGeneration.has(operation) ? 'generate' : operation
  return typeof known !== 'string' || known.split(' ').includes(asked)
}

/**
 * The dialect and style to use with this channel for this model, the client's own if possible; undefined when it cannot serve the
 * request.
 */
export function spokenTo(channel: Channel, model: ChannelModel, request: PlanRequest): Spoken | undefined {
  const { operation, use = operation } = request
  if (!channel.operations.includes(operation) || !serves(model, use)) return undefined
  if (operation === 'realtime' && !(channel.vendor.sessions ?? usualSessions).includes(request.dialect as Dialect)) return undefined
  if (!isSideOperation(operation)) return spokenDialect(channel, model, request.dialect as Dialect)
  const style: Style = channel.vendor.styles?.[operation] ?? stylesOf[operation][0]
  return { dialect: style === 'gemini' ? 'gemini' : 'chat', style, native: style === request.dialect }
}

function spokenDialect(channel: Channel, model: ChannelModel, asked: Dialect): Spoken | undefined {
  const ofModel = channel.vendor.speaksFor?.(model.upstream)
  const dialect = servedBy[asked].find((spoken) => channel.speaks.includes(spoken) && (ofModel?.includes(spoken) ?? true))
  return dialect && { dialect, native: dialect === asked && channel.vendor.converses?.(model.upstream) !== true }
}

/**
 * Cached candidates by operation, dialect and model, for each list of channels that offer one; when a channel changes, there is a new list.
 * They are always copied: health identifies the attempts of a request by its candidate objects.
 */
const prepared = new WeakMap<readonly Channel[], Map<string, readonly Candidate[]>>()

function candidatesAmong(offering: readonly Channel[], request: PlanRequest): readonly Candidate[] {
  const known = prepared.get(offering) ?? new Map<string, readonly Candidate[]>()
  const id = `${request.use ?? request.operation} ${request.operation} ${request.dialect} ${request.model}`
  const ready = known.get(id)
  if (ready) return ready
  const candidates = offering.flatMap((channel) => candidatesOf(channel, request))
  prepared.set(offering, known.set(id, candidates))
  return candidates
}

function candidatesOf(channel: Channel, request: PlanRequest): Candidate[] {
  const model = channel.models.get(request.model)
  const spoken = model && spokenTo(channel, model, request)
  if (!model || !spoken) return []
  if (channel.vendor.keyless && channel.keys.length === 0) return [{ channel, key: null, model, ...spoken }]
  return channel.keys.filter((key) => key.enabled).map((key) => ({ channel, key, model, ...spoken }))
}

/** All candidates, best first, at least one, as new objects. Throws `model_not_found`, `unsupported_endpoint` or `no_channel_available`. */
export function plan(channels: Channels, request: PlanRequest, fraction: () => number, rank?: Rank): readonly Candidate[] {
  const mayUse = request.models === null || request.models.has(request.model)
  const offering = mayUse ? channels.offering(request.group, request.model) : []
  if (offering.length === 0) throw mayUse && channels.isSwitchedOff(request.group, request.model) ? switchedOff() : modelNotFound()
  const candidates = candidatesAmong(offering, request).map((candidate) => ({ ...candidate }))
  if (candidates.length === 1) return candidates
  if (candidates.length > 0) return order(candidates, fraction, rank)
  const able = offering.some((channel) => {
    const model = channel.models.get(request.model)
    return model !== undefined && spokenTo(channel, model, request) !== undefined
  })
  if (!able) throw new GatewayError('unsupported_endpoint', 'No channel of this model can serve this endpoint.', { param: 'model' })
  throw switchedOff()
}
