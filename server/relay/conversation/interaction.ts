/**
 * Gemini interactions that the upstream itself answers and stores: the client's own bytes with spliced edits, and the answer metered as it
 * passes. What is created in the upstream's account is recorded with its owner, and later requests about it go only to that account. This
 * is for channels with `interact` among their `operations`; on others an interaction is a stored response in Gemini's format.
 */

import type { StateRef } from '#canonical/codec'
import type { InteractionHead } from '#canonical/operation/interaction'
import { nativeInteractions } from '#protocols/wordings'
import { type Keeper, stateName } from '#reasoning-state/upstream-state'
import type { Ask, Body, RelayParts } from '#relay/contract/ask'
import type { LargeBody } from '#relay/contract/large-body'
import type { ReadRequest } from '#relay/contract/steps'
import { jsonPayload } from '#relay/exchange/json-payload'
import { finishOf } from '#relay/exchange/outgoing'
import { estimatorOf } from '#relay/exchange/token-estimator'
import type { Channel } from '#routing/channel'
import type { Candidate } from '#routing/order'
import { spokenTo } from '#routing/plan'
import { GatewayError } from '#shared/errors'
import { keptState } from './kept-state.ts'
import { clientHeaders, editedExchange, nativeExchange, requestEdits } from './native.ts'
import { affinityScope, sessionNames } from './session-affinity.ts'

type Caller = Ask['caller']

const interacts = { operation: 'interact', dialect: 'gemini' } as const

/** A request that is forwarded. Throws GatewayError when a part that Parley reads is invalid. */
export function openInteraction(parts: RelayParts, given: Ask, body: Body): ReadRequest {
  const codec = nativeInteractions
  const { large } = body
  const head: InteractionHead = large ? large.head : codec.readHead(String(body.content))
  const { answered: _, begun: __, ownFields: ___, ...others } = given
  const ask: Ask = {
    ...{ ...others, ...interacts },
    // A background interaction is requested without a stream, and polled afterwards.
    ...(head.background && { ...body.native, ownFields: ['stream'] }),
  }
  const asked = { ask, head }
  const names = sessionNames(ask, head)
  const scopeFor = (candidate: Candidate | undefined) => affinityScope(ask, candidate?.model.name ?? head.model)
  return {
    ...asked,
    async inOrder(offered) {
      const native = offered.filter((candidate) => candidate.native)
      if (native.length === 0 && offered.length > 0) throw noneNative()
      const refs = head.stateRefs ?? []
      const state = refs.length > 0 ? await keptState(parts.reasoningState, ask.caller.user.id, refs, [], missing(refs)) : undefined
      const able = state ? state.among(native, native[0]?.model.name === head.model) : native
      return able.length > 1 && names.length > 0 ? parts.affinity.prefer(scopeFor(able[0]), names, able) : able
    },
    served: (candidate) => parts.affinity.served(scopeFor(candidate), names, candidate),
    exchange: async (candidate) => {
      if (!large) return nativeExchange(parts, asked, codec, { raw: String(body.content) }, candidate)
      const finish = finishOf(ask.operation, candidate, clientHeaders(asked, candidate))
      const sent = await large.edited(requestEdits(asked, candidate, ask.ownFields ?? []), [], finish)
      const estimator = () => estimatorOf(parts.log, asked, large.sample, candidate)
      return editedExchange(parts, asked, codec, { body: jsonPayload(sent), losses: [], estimator }, candidate)
    },
    keepalive: codec.keepalive,
    writeStreamError: (error) => codec.writeStreamError(error),
    ...((large ?? body).release && { release: (large ?? body).release }),
  }
}

const noneNative = () => new GatewayError('unsupported_endpoint', 'No channel of this model serves interactions.', { param: 'model' })

const elsewhere = () =>
  new GatewayError(
    'unsupported_here',
    'The interaction to continue is stored by an upstream. Name a model of its channel: no channel of this model serves interactions.',
    { param: 'model' },
  )

/** The error for an unknown interaction; undefined if something else may be missing. */
const missing = (refs: readonly StateRef[]) =>
  refs.every(({ kind }) => kind === 'interaction')
    ? new GatewayError('not_found', 'There is no interaction with this id.', { param: 'previous_interaction_id' })
    : undefined

/** Decides which interactions are forwarded, and knows which account stores them. */
export interface Interactions {
  /** Whether this one is forwarded; otherwise Parley stores it. `isKept`: whether Parley stores the interaction that it continues. */
  passes(caller: Caller, head: InteractionHead, isKept: (id: string) => Promise<boolean>): Promise<boolean>
  /** The account that stores this caller's interaction; undefined: none does. Never rejects. */
  keeperOf(caller: Caller, id: string): Promise<Keeper | undefined>
  /** Forgets one that was deleted. */
  deleted(caller: Caller, id: string): void
  /** Records which account stores it; resolves when it is in the database. */
  noted(tenant: string, keeper: Keeper, id: string): Promise<void>
  /** The public name of the model that an upstream calls by this name. */
  nameOf(keeper: Keeper, upstream: string): string
}

type Parts = Pick<RelayParts, 'channels' | 'reasoningState'>

export function createInteractions({ channels, reasoningState }: Parts): Interactions {
  const refOf = (id: string): StateRef => ({ kind: 'interaction', id })

  function nativeFor({ group, models }: Caller, model: string): Channel[] {
    if (models !== null && !models.has(model)) return []
    return channels.offering(group.name, model).filter((channel) => {
      const known = channel.models.get(model)
      return known && spokenTo(channel, known, { ...interacts, group: group.name, model, models })?.native === true
    })
  }

  async function keeperOf({ user }: Caller, id: string): Promise<Keeper | undefined> {
    const ref = refOf(id)
    return (await reasoningState.keepersOf(user.id, [ref])).get(stateName(ref))
  }

  return {
    keeperOf,
    async passes(caller, head, isKept) {
      const previous = head.stateRefs?.find(({ kind }) => kind === 'interaction')?.id
      const native = nativeFor(caller, head.model)
      const keeper = previous === undefined ? undefined : await keeperOf(caller, previous)
      if (keeper && native.length === 0) throw elsewhere()
      if (keeper) return true
      if (native.length === 0 || previous === undefined) return native.length > 0
      return native.some(({ foreignState }) => foreignState === 'allow') && !(await isKept(previous))
    },
    deleted: ({ user }, id) => reasoningState.deleted(user.id, [refOf(id)]),
    noted: (tenant, keeper, id) => reasoningState.noted(tenant, keeper, [refOf(id)]),
    nameOf({ channel }, upstream) {
      const models = channels.get(channel)?.models.values() ?? []
      return [...models].find((model) => model.upstream === upstream)?.name ?? upstream
    },
  }
}

/** Reads what decides whether a body is forwarded. */
export const headOfInteraction = (text: string): InteractionHead => nativeInteractions.readHead(text)

/** The same for a body in the worker. */
export const headOfLarge = ({ head }: LargeBody): InteractionHead => head
