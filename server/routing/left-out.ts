/** Why channels are not in a plan, as messages for an administrator. */
import type { Channel, Channels } from './channel.ts'
import type { Health } from './health-contract.ts'
import type { Candidate } from './order.ts'
import { type PlanRequest, serves, spokenTo } from './plan.ts'

/** A channel or key outside the plan, and the reason. */
export interface LeftOut {
  channel: string
  /** The key's name when only this key is left out; null = the whole channel. */
  key: string | null
  reason: string
}

/** Why the whole channel cannot serve the request; undefined = it can. */
function reasonOf(channel: Channel, request: PlanRequest): string | undefined {
  const model = channel.models.get(request.model)
  if (!channel.enabled) return 'The channel is disabled.'
  if (!channel.groups.has(request.group)) return 'The channel is not in this group.'
  if (!model) return 'The channel does not offer this model.'
  if (request.models !== null && !request.models.has(request.model)) return 'The key may not use this model.'
  if (!channel.operations.includes(request.operation)) return 'The channel does not serve this operation.'
  if (!serves(model, request.operation)) return 'The model does not support this operation.'
  if (!spokenTo(channel, model, request)) return 'The request cannot be converted to any dialect of this channel.'
  if (!channel.vendor.keyless && !channel.keys.some((key) => key.enabled)) return 'The channel has no enabled key.'
  return undefined
}

/** Every channel and key that is not in the plan. `candidates`: the plan's candidates, available or not. */
export function leftOut(
  channels: Channels,
  request: PlanRequest,
  candidates: readonly Candidate[],
  health: Pick<Health, 'wait' | 'statedWait'>,
): LeftOut[] {
  const whole = [...channels.all()].flatMap((channel) => {
    const reason = reasonOf(channel, request)
    return reason === undefined ? [] : [{ channel: channel.name, key: null, reason }]
  })
  const resting = candidates.flatMap((candidate) => {
    const wait = health.wait(candidate)
    const stated = health.statedWait(candidate)
    const reason =
      stated > 0
        ? `Its upstream asked to wait another ${Math.ceil(stated / 1000)} s.`
        : `It failed and comes last for another ${Math.ceil(wait / 1000)} s.`
    return wait === 0 ? [] : [{ channel: candidate.channel.name, key: candidate.key?.name ?? null, reason }]
  })
  return [...whole, ...resting]
}
