/**
 * State in an upstream's account that a request refers to. The request goes to the channel and key that created it for this tenant; an id
 * that was never recorded is treated as unknown, unless the channel's options say that one tenant alone uses the account, or that everybody
 * may read that bucket. A conversation that Parley itself can continue prefers the account that has it, but does not need it.
 */
import type { StateRef } from '#canonical/codec'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import { type Keeper, stateName } from '#reasoning-state/upstream-state'
import type { Channel } from '#routing/channel'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'

/** The state that a request names, and the accounts that have it. */
export interface KeptState {
  /** The candidates that have what the request names. Throws `not_found` if there is none and this is the requested model (`asked`). */
  among(candidates: readonly Candidate[], asked: boolean): readonly Candidate[]
  /** The same candidates, those first that have the conversation that Parley continued. */
  keeperFirst(candidates: readonly Candidate[]): readonly Candidate[]
  /** Whether this candidate has all of the conversation that Parley continued. */
  continues(candidate: Candidate): boolean
}

const keeps = ({ channel, key }: Candidate, keeper: Keeper): boolean => channel.id === keeper.channel && (key?.id ?? null) === keeper.key

/** The bucket name in a bucket URL. */
const bucketIn = ({ kind, id }: StateRef) => (kind === 'file' ? /^(?:gs|s3):\/\/([^/]*)/i.exec(id)?.[1] : undefined)

/** `options.buckets` lists buckets, with or without scheme, separated by commas or spaces. */
function mayRead({ options }: Channel, bucket: string): boolean {
  const named = (options.buckets ?? '').split(/[\s,]+/).map((name) => name.replace(/^(?:gs|s3):\/\//i, '').replace(/\/+$/, ''))
  return bucket !== '' && named.includes(bucket)
}

/** The name of a channel's host, as in a reference. */
const hostOf = ({ baseUrl }: Channel): string | undefined => URL.parse(baseUrl)?.hostname.replace(/\.+$/, '')

/** Whether this candidate may use `ref`; `keeper`: the account that created it for this tenant. */
export function mayAsk(candidate: Candidate, ref: StateRef, keeper: Keeper | undefined): boolean {
  const { channel, native } = candidate
  if (ref.aside && !native) return true
  if (ref.host !== undefined && ref.host !== hostOf(channel)) return true
  if (keeper) return native && keeps(candidate, keeper)
  const bucket = bucketIn(ref)
  // A URL means the same in every dialect, an id does not.
  if (bucket !== undefined) return channel.foreignState === 'allow' || mayRead(channel, bucket)
  if (ref.host !== undefined) return channel.foreignState === 'allow'
  return native && channel.foreignState === 'allow'
}

/** `named` needs the account that has it, `known` was continued by Parley; `unresolved`: the error when no candidate may be used. */
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

/** The candidates that may use all of `refs`, which this tenant must have created. Rejects with `not_found` if there are none. */
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

/** For state that this tenant did not create. Clients resend a lost conversation in full if they get the vendor's own wording. */
export const notThere = ({ kind }: StateRef) =>
  new GatewayError('not_found', `There is no ${kind} with this id.`, kind === 'message' ? { publicCode: 'thread_not_found' } : {})
