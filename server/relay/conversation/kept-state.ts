/**
 * State in an upstream's account that a request names. It goes to the channel and key that made it for this tenant; an id that nobody
 * noted is no id at all. A conversation that Parley itself can continue prefers its keeper and needs none.
 */
import type { StateRef } from '#canonical/codec'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import { type Keeper, stateName } from '#reasoning-state/upstream-state'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'

/** What a request names, and who keeps it. */
export interface KeptState {
  /** Those that keep what the request names. Throws `not_found` when there is none, for the model that was `asked` for. */
  among(candidates: readonly Candidate[], asked: boolean): readonly Candidate[]
  /** The same candidates, those first that keep the conversation which Parley continued. */
  keeperFirst(candidates: readonly Candidate[]): readonly Candidate[]
  /** True when this candidate keeps all of the conversation that Parley continued. */
  continues(candidate: Candidate): boolean
}

const keeps = ({ channel, key }: Candidate, keeper: Keeper): boolean => channel.id === keeper.channel && (key?.id ?? null) === keeper.key

/**
 * `named` needs its keeper, `known` was continued by Parley. Rejects with GatewayError `not_found` for state that this tenant did not
 * create.
 */
export async function keptState(
  reasoningState: ReasoningState,
  tenant: string,
  named: readonly StateRef[],
  known: readonly StateRef[],
): Promise<KeptState> {
  const isKnown = ({ kind, id }: StateRef) => known.some((one) => one.kind === kind && one.id === id)
  const needed = named.filter((ref) => !isKnown(ref))
  const keepers = await reasoningState.keepersOf(tenant, [...needed, ...known])
  const required = needed.map((ref) => {
    const keeper = keepers.get(stateName(ref))
    if (!keeper) throw notThere(ref)
    return keeper
  })
  const conversation = known.filter(({ kind }) => kind === 'response').map((ref) => keepers.get(stateName(ref)))
  const continues = (candidate: Candidate) =>
    candidate.native && conversation.length > 0 && conversation.every((keeper) => keeper !== undefined && keeps(candidate, keeper))

  return {
    among(candidates, asked) {
      const [first] = needed
      if (!first) return candidates
      const able = candidates.filter((candidate) => candidate.native && required.every((keeper) => keeps(candidate, keeper)))
      if (asked && candidates.length > 0 && able.length === 0) throw notThere(first)
      return able
    },
    keeperFirst(candidates) {
      if (!candidates.some(continues)) return candidates
      return [...candidates.filter(continues), ...candidates.filter((candidate) => !continues(candidate))]
    },
    continues,
  }
}

const notThere = ({ kind }: StateRef) => new GatewayError('not_found', `There is no ${kind} with this id.`)
