/**
 * State in an upstream's account that a request names. It goes to the channel and key that made it for this tenant; an id that nobody
 * noted is no id at all, unless the channel says that one tenant alone uses its account, or that everybody may read that bucket. A
 * conversation that Parley itself can continue prefers its keeper and needs none.
 */
import type { StateRef } from '#canonical/codec'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import { type Keeper, stateName } from '#reasoning-state/upstream-state'
import type { Channel } from '#routing/channel'
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

/** The name of a bucket in an address of one. */
const bucketIn = ({ kind, id }: StateRef) => (kind === 'file' ? /^(?:gs|s3):\/\/([^/]*)/i.exec(id)?.[1] : undefined)

/** `options.buckets` names buckets, with or without their scheme, between commas or spaces. */
function mayRead({ options }: Channel, bucket: string): boolean {
  const named = (options.buckets ?? '').split(/[\s,]+/).map((name) => name.replace(/^(?:gs|s3):\/\//i, '').replace(/\/+$/, ''))
  return bucket !== '' && named.includes(bucket)
}

/** Whether this candidate may be asked about `ref`; `keeper`: who made it for this tenant. */
export function mayAsk(candidate: Candidate, ref: StateRef, keeper: Keeper | undefined): boolean {
  const { channel, native } = candidate
  if (ref.aside && !native) return true
  if (keeper) return native && keeps(candidate, keeper)
  const bucket = bucketIn(ref)
  // An address is the same in every dialect, an id is not.
  if (bucket !== undefined) return channel.foreignState === 'allow' || mayRead(channel, bucket)
  return native && channel.foreignState === 'allow'
}

/** `named` needs its keeper, `known` was continued by Parley; `unresolved`: what a caller hears where nobody may be asked. */
export async function keptState(
  reasoningState: ReasoningState,
  tenant: string,
  named: readonly StateRef[],
  known: readonly StateRef[],
  unresolved?: GatewayError,
): Promise<KeptState> {
  const isKnown = ({ kind, id }: StateRef) => known.some((one) => one.kind === kind && one.id === id)
  const needed = named.filter((ref) => !isKnown(ref))
  const keepers = await reasoningState.keepersOf(tenant, [...needed, ...known])
  const conversation = known.filter(({ kind }) => kind === 'response').map((ref) => keepers.get(stateName(ref)))
  const continues = (candidate: Candidate) =>
    candidate.native && conversation.length > 0 && conversation.every((keeper) => keeper !== undefined && keeps(candidate, keeper))

  return {
    among(candidates, asked) {
      const able = candidates.filter((candidate) => needed.every((ref) => mayAsk(candidate, ref, keepers.get(stateName(ref)))))
      const missing = needed.find((ref) => !candidates.some((candidate) => mayAsk(candidate, ref, keepers.get(stateName(ref)))))
      const unkept = missing ?? needed[0]
      if (unkept && asked && candidates.length > 0 && able.length === 0) throw unresolved ?? notThere(unkept)
      return able
    },
    keeperFirst(candidates) {
      if (!candidates.some(continues)) return candidates
      return [...candidates.filter(continues), ...candidates.filter((candidate) => !continues(candidate))]
    },
    continues,
  }
}

/** Those that may be asked about all of `refs`, which this tenant must have made. Rejects with `not_found` when there are none. */
export async function amongKeepers(
  reasoningState: Pick<ReasoningState, 'keepersOf'>,
  tenant: string,
  refs: readonly StateRef[],
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const [first] = refs
  if (!first) return candidates
  const keepers = await reasoningState.keepersOf(tenant, refs)
  const able = candidates.filter((candidate) => refs.every((ref) => mayAsk(candidate, ref, keepers.get(stateName(ref)))))
  if (candidates.length > 0 && able.length === 0) throw notThere(first)
  return able
}

/** For state that this tenant did not create. Who loses a thread says it all again, if it is told so in the vendor's words. */
export const notThere = ({ kind }: StateRef) =>
  new GatewayError('not_found', `There is no ${kind} with this id.`, kind === 'message' ? { publicCode: 'thread_not_found' } : {})
