/** Why each channel that is not in a plan was left out of it, in words for an administrator. */
import type { Channel, Channels } from './channel.ts'
import type { Health } from './health.ts'
import type { Candidate } from './order.ts'
import { type PlanRequest, serves, spokenTo } from './plan.ts'

export interface LeftOut {
  channel: string
  /** Where one key of the channel is left out and others are not. */
  key: string | null
  reason: string
}

/** Undefined: the channel as a whole can serve it. */
function reasonOf(channel: Channel, request: PlanRequest): string | undefined {
  const model = channel.models.get(request.model)
  if (!channel.enabled) return 'The channel is disabled.'
  if (!channel.groups.has(request.group)) return 'The channel is not in this group.'
  if (!model) return 'The channel does not offer this model.'
  if (request.models !== null && !request.models.has(request.model)) return 'The key may not use this model.'
  if (!channel.operations.includes(request.operation)) return 'The channel does not serve this operation.'
  if (!serves(model, request.operation)) return 'The model is of another kind.'
  if (!spokenTo(channel, model, request)) return 'The channel speaks no dialect that this one converts to.'
  if (!channel.vendor.keyless && !channel.keys.some((key) => key.enabled)) return 'The channel has no enabled key.'
  return undefined
}

/** Every channel and key outside the plan. `candidates` are those of the plan, whether well or not. */
export function leftOut(
  channels: Channels,
  request: PlanRequest,
  candidates: readonly Candidate[],
  health: Pick<Health, 'wait'>,
): LeftOut[] {
  const whole = [...channels.all()].flatMap((channel) => {
    const reason = reasonOf(channel, request)
    return reason === undefined ? [] : [{ channel: channel.name, key: null, reason }]
  })
  const resting = candidates.flatMap((candidate) => {
    const wait = health.wait(candidate)
    const reason = `It failed and rests for another ${Math.ceil(wait / 1000)} s.`
    return wait === 0 ? [] : [{ channel: candidate.channel.name, key: candidate.key?.name ?? null, reason }]
  })
  return [...whole, ...resting]
}
