/**
 * Reasoning state: data that must come back unchanged although clients cannot read it. State of one vendor's reasoning travels through
 * another dialect in a sealed envelope; what a client drops is remembered by its tool calls; conversations that a client asks to
 * store are stored. Everything belongs to one tenant (a user's id), is encrypted at rest and in clients' hands, and expires.
 *
 * Knows no wire fields: codecs read and write slots, this module replaces their values. Order for a request: `unsealRequest`, then
 * `restoreDropped`; for an answer: `recorder` or `remember` with the state as the upstream sent it, then sealing.
 */
import type { StateRef } from '#canonical/codec'
import type { ConversationRequest, Opaque, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Dialect } from '#shared/ids'
import { sumItems } from '#store/accounts/kept-items'
import { deleteExpired, writeRecollections } from '#store/accounts/reasoning-state'
import { sumResponses } from '#store/accounts/stored-responses'
import { inLots } from '#store/engine/batches'
import { nameOfCall } from './call-names.ts'
import { sealWords } from './compacted.ts'
import { createEnvelopes } from './envelope.ts'
import { createItemConversations, type ItemConversationParts, type ItemConversations } from './item-conversations.ts'
import { openedRequest } from './opened-request.ts'
import { createMemory, type MemoryParts, type SealedText } from './remembered-text.ts'
import { createStateOwners, type StateOwners } from './state-owners.ts'
import { changeEvent, changeParts, statesIn, statesOf } from './state-walk.ts'
import { statelessMarker, withStatelessMarkers } from './stateless-marker.ts'
import { type ConversationParts, type Conversations, createConversations } from './stored-conversations.ts'
import { createStoredSums } from './stored-sums.ts'
import { createStreamRecorder, type StreamRecorder } from './stream-recorder.ts'
import { bareCalls, isEmpty, recollections, restored, type ToolCallState } from './tool-call-state.ts'
import { createUpstreamObjects, keepersAmong, type UpstreamObjects } from './upstream-objects.ts'
import { createUpstreamState, type Keeper, stateName, type UpstreamState } from './upstream-state.ts'

/** All operations on reasoning state. */
export interface ReasoningState extends Conversations, StateOwners, UpstreamState {
  /** Conversations that clients create themselves. They count against the same quotas as stored exchanges. */
  readonly conversations: ItemConversations
  /** Objects that users created in the accounts of upstreams; `keepersOf` includes them. */
  readonly objects: UpstreamObjects
  /** Remembers which response each of these items belongs to; resolves when the database has it, and rejects when that fails. */
  noteItems(tenant: string, response: string, items: readonly string[]): Promise<void>
  /** As `created`, for state that is not in a usage row yet; resolves when the database has it, and rejects when that fails. */
  noted(tenant: string, keeper: Keeper, refs: readonly StateRef[]): Promise<void>
  /** Ids of responses by the ids of their items; unknown items are missing. Never rejects. */
  responsesOf(tenant: string, items: readonly string[]): Promise<Map<string, string>>
  /** State for a client of the dialect `slot`: unchanged if it is of that dialect, otherwise in an envelope. */
  seal(tenant: string, slot: Dialect, opaque: Opaque): Opaque
  /** The state in an envelope of this tenant; undefined when it is another's or was modified. Anything else is returned unchanged. */
  unseal(tenant: string, opaque: Opaque): Opaque | undefined
  sealParts(tenant: string, slot: Dialect, parts: readonly Part[]): Part[]
  /** The same for a stream: call the result with every event, in order; it returns the events to write. */
  sealingStream(tenant: string, slot: Dialect): (event: ConversationEvent) => ConversationEvent[]
  /**
   * Replaces envelopes in a request with their state. State known to be another Parley's (`theirs`, by value) stays unchanged, since
   * its envelopes look like ours. Throws GatewayError `invalid_value` for a compacted conversation that does not open.
   */
  unsealRequest(tenant: string, request: ConversationRequest, theirs?: ReadonlyMap<string, string>): ConversationRequest
  /** The sealed summary of a compacted conversation, for this tenant; `unsealRequest` restores it. */
  sealWords(tenant: string, words: string): string
  /** Every state in a request, in order. */
  statesIn(request: ConversationRequest): Opaque[]
  /**
   * Remembers the state of a whole answer by its tool calls, and the channel it belongs to (`maker`, an id). Calls must be as the client
   * sees them. `question` returns the digest of the question (`questionOf` in call-names.ts, of the request as the client sent it); it is
   * only called for an answer with calls, and if it is undefined they are not remembered.
   */
  remember(tenant: string, parts: readonly Part[], maker: string, question: () => string | undefined): void
  /** The same for a streamed answer: call it with every event. State is stored when its choice finishes. */
  recorder(tenant: string, maker: string, question: () => string | undefined): StreamRecorder
  /**
   * Restores state that the client dropped from its history. Does nothing unless a call came without any state; queries the database only
   * when memory does not know the call. State is only restored to the same call after the same conversation. Never rejects.
   */
  restoreDropped(tenant: string, request: ConversationRequest): Promise<ConversationRequest>
  /** The remembered state of calls, by their names (`bareCalls`): for `restored` of `tool-call-state.ts`. Plain data. Never rejects. */
  recalled(tenant: string, names: readonly string[]): Promise<Map<string, ToolCallState>>
  /** Runs about every second: writes new entries. */
  flush(): Promise<void>
  /** Runs on a schedule: deletes expired rows; resolves to their number. */
  sweep(): Promise<number>
}

/** The prefix separates the names of calls from those of states. */
const callName = (name: string) => `call ${name}`
const itemName = (id: string) => `item ${id}`

/** Milliseconds, as for stored conversations. */
const storedFor = 30 * 24 * 3_600_000

/** Maximum characters of reasoning and arguments in one streamed answer; a longer one is not remembered. */
const mostReasoning = 1024 * 1024

/** Reasoning state over the store. */
export function createReasoningState(parts: MemoryParts & ConversationParts & Pick<ItemConversationParts, 'random'>): ReasoningState {
  const { store, sealer, clock, random, log } = parts
  const sums = createStoredSums(async (tenant) => {
    const now = new Date(clock.now())
    const [exchanges, items] = [await sumResponses(store, tenant, now), await sumItems(store, tenant, now)]
    return { count: exchanges.count + items.count, bytes: exchanges.bytes + items.bytes }
  }, clock)
  const envelopes = createEnvelopes(sealer)
  const { wrap, unwrap } = envelopes
  const memory = createMemory(parts)
  const makers = createStateOwners(memory)
  const upstreamState = createUpstreamState(memory)
  const objects = createUpstreamObjects({ store, clock })
  const remember = (tenant: string, answer: readonly Part[], questionOf: () => string | undefined) => {
    const calls = recollections(answer)
    const question = calls.size > 0 ? questionOf() : undefined
    if (question === undefined) return
    // Calls without state are recorded, too, so that the next request need not query the database for them.
    const texts = [...calls].map(
      ([call, found]) => [callName(nameOfCall(call, question)), isEmpty(found) ? '' : JSON.stringify(found)] as const,
    )
    memory.remember(tenant, new Map(texts))
  }
  async function recalled(tenant: string, names: readonly string[]): Promise<Map<string, ToolCallState>> {
    const known = names.length === 0 ? new Map<string, string>() : await memory.recall(tenant, names.map(callName))
    const found = new Map<string, ToolCallState>()
    for (const name of known.size === 0 ? [] : names) {
      const text = known.get(callName(name))
      // Written by `remember` and sealed since then, so it needs no validation.
      if (text !== undefined) found.set(name, JSON.parse(text) as ToolCallState)
    }
    return found
  }
  async function written(tenant: string, notes: readonly SealedText[]): Promise<void> {
    const rows = notes.map(({ expiresAt, ...note }) => ({ ...note, tenant, expiresAt: new Date(expiresAt) }))
    await inLots(rows, (lot) => writeRecollections(store, lot))
  }
  const wrapFor = (tenant: string, slot: Dialect) => (opaque: Opaque) => wrap(tenant, slot, opaque)

  return {
    ...createConversations({ ...parts, sums }),
    conversations: createItemConversations({ store, sealer, clock, random, sums }),
    ...makers,
    ...upstreamState,
    objects,
    async keepersOf(tenant, refs) {
      const keepers = await upstreamState.keepersOf(tenant, refs)
      const unknown = refs.filter((ref) => !keepers.has(stateName(ref)))
      if (unknown.length === 0) return keepers
      try {
        return new Map([...keepers, ...keepersAmong(await objects.among(tenant, unknown), unknown)])
      } catch (thrown) {
        log.warn({ err: thrown }, 'cannot look up the owner of state that a request names; treating it as unknown')
        return keepers
      }
    },
    noteItems: (tenant, response, items) =>
      written(tenant, memory.hand(tenant, new Map(items.map((id) => [itemName(id), response])), storedFor)),
    noted: (tenant, keeper, refs) => written(tenant, upstreamState.created(tenant, keeper, refs)),
    async responsesOf(tenant, items) {
      const known = items.length > 0 ? await memory.recall(tenant, items.map(itemName)) : new Map<string, string>()
      return new Map(
        items
          .flatMap((id) => [[id, known.get(itemName(id))] as const])
          .filter((pair): pair is readonly [string, string] => pair[1] !== undefined),
      )
    },
    seal: wrap,
    unseal: unwrap,
    sealParts: (tenant, slot, answer) => changeParts(withStatelessMarkers(slot, answer), wrapFor(tenant, slot)),
    sealingStream(tenant, slot) {
      const mark = statelessMarker(slot)
      return (event) => mark(event).map((one) => changeEvent(one, wrapFor(tenant, slot)))
    },
    unsealRequest: (tenant, request, theirs) =>
      openedRequest(request, (opaque) => (theirs?.has(opaque.value) ? opaque : unwrap(tenant, opaque))),
    sealWords: (tenant, words) => sealWords(envelopes, tenant, words),
    statesIn: ({ turns }) => statesIn(turns.flatMap((turn) => turn.parts)),
    remember(tenant, answer, maker, question) {
      makers.claim(tenant, maker, statesIn(answer))
      remember(tenant, answer, question)
    },
    recorder(tenant, maker, question) {
      const watch = createStreamRecorder(mostReasoning, (answer) => remember(tenant, answer, question))
      return (event) => {
        const states = statesOf(event)
        if (states.length > 0) makers.claim(tenant, maker, states)
        watch(event)
      }
    },
    recalled,
    async restoreDropped(tenant, request) {
      const bare = bareCalls(request)
      const known = await recalled(tenant, [...bare.values()])
      return known.size === 0 ? request : { ...request, turns: restored(request.turns, bare, known) }
    },
    flush: () => memory.flush(),
    sweep() {
      memory.sweep()
      return deleteExpired(store, new Date(clock.now()))
    },
  }
}
