/**
 * The vault: what must come back unchanged although nobody on the way can read it. State of one vendor's reasoning crosses
 * another dialect in a sealed envelope; what a client drops is remembered by its tool calls; conversations that a client asks
 * to keep are kept. Everything belongs to one tenant (a user's id), is sealed at rest and in clients' hands, and ends by time.
 *
 * Knows no wire field: codecs read and write slots, this room swaps what stands in them. Order on the way in: `carryInRequest`,
 * then `completeRequest`; on the way out: `witness` or `remember` with the state as the upstream gave it, then the carrying out.
 */
import type { ConversationEvent, ConversationRequest, Opaque, Part } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'
import { deleteExpired } from '#store/accounts/reasoning-state'
import { sealWords, withWords } from './compacted.ts'
import { createEnvelopes } from './envelope.ts'
import { createMemory, type MemoryParts } from './remembered-text.ts'
import { createStateOwners, type StateOwners } from './state-owners.ts'
import { changeEvent, changeParts, changeRequest, statesIn, statesOf } from './state-walk.ts'
import { statelessMarker, withoutStatelessMarker, withStatelessMarkers } from './stateless-marker.ts'
import { type Conversations, createConversations } from './stored-conversations.ts'
import { createStreamRecorder, type StreamRecorder } from './stream-recorder.ts'
import { bareCalls, isEmpty, recollections, restored, type ToolCallState } from './tool-call-state.ts'

export interface ReasoningState extends Conversations, StateOwners {
  /** State for a client of the dialect `slot`: state of that dialect is left alone, other state goes in an envelope. */
  seal(tenant: string, slot: Dialect, opaque: Opaque): Opaque
  /** The state in an envelope of this tenant; undefined when it is another's or was changed. What is no envelope is left alone. */
  unseal(tenant: string, opaque: Opaque): Opaque | undefined
  sealParts(tenant: string, slot: Dialect, parts: readonly Part[]): Part[]
  /** The same for a stream; the result is to be shown every event, in order, and answers what to write for each. */
  sealingStream(tenant: string, slot: Dialect): (event: ConversationEvent) => ConversationEvent[]
  /**
   * What is known to be sealed by somebody else (`theirs`, by value) is left alone: another Parley's envelopes look like ours.
   * Throws GatewayError `invalid_value` for a compacted conversation that does not open.
   */
  unsealRequest(tenant: string, request: ConversationRequest, theirs?: ReadonlyMap<string, string>): ConversationRequest
  /** The words that stand for a conversation, for this tenant's own hands; `carryInRequest` makes them words again. */
  sealWords(tenant: string, words: string): string
  /** Every state in a request, in order. */
  statesIn(request: ConversationRequest): Opaque[]
  /** Remembers the state of a whole answer by its tool calls, and whose it is (a channel's id). Ids must be those that the client sees. */
  remember(tenant: string, parts: readonly Part[], maker: string): void
  /** The same for a streamed answer: to be shown every event. It is remembered when its choice finishes. */
  recorder(tenant: string, maker: string): StreamRecorder
  /**
   * Puts back what the client dropped from its own history. Looks nothing up unless a call came without any state; asks the
   * database only when memory does not know the call. Never rejects.
   */
  restoreDropped(tenant: string, request: ConversationRequest): Promise<ConversationRequest>
  /** A job, every second or so: writes what is remembered. */
  flush(): Promise<void>
  /** A job: removes what has expired; resolves to how many rows went. */
  sweep(): Promise<number>
}

/** What is remembered of a call stands apart from what is remembered of states. */
const callName = (id: string) => `call ${id}`

/** Of reasoning in one streamed answer; what is longer is not remembered. */
const mostReasoning = 1024 * 1024

export function createReasoningState(parts: MemoryParts): ReasoningState {
  const { store, sealer, clock } = parts
  const envelopes = createEnvelopes(sealer)
  const { wrap, unwrap } = envelopes
  const memory = createMemory(parts)
  const makers = createStateOwners(memory)
  const remember = (tenant: string, answer: readonly Part[]) => {
    const texts = [...recollections(answer)].map(([id, found]) => [callName(id), isEmpty(found) ? '' : JSON.stringify(found)] as const)
    memory.remember(tenant, new Map(texts))
  }
  const wrapFor = (tenant: string, slot: Dialect) => (opaque: Opaque) => wrap(tenant, slot, opaque)

  return {
    ...createConversations(parts),
    ...makers,
    seal: wrap,
    unseal: unwrap,
    sealParts: (tenant, slot, answer) => changeParts(withStatelessMarkers(slot, answer), wrapFor(tenant, slot)),
    sealingStream(tenant, slot) {
      const mark = statelessMarker(slot)
      return (event) => mark(event).map((one) => changeEvent(one, wrapFor(tenant, slot)))
    },
    unsealRequest(tenant, request, theirs) {
      const open = (opaque: Opaque) => (theirs?.has(opaque.value) ? opaque : unwrap(tenant, opaque))
      return changeRequest(withWords(request, open), (opaque) => withoutStatelessMarker(open(opaque)))
    },
    sealWords: (tenant, words) => sealWords(envelopes, tenant, words),
    statesIn: ({ turns }) => statesIn(turns.flatMap((turn) => turn.parts)),
    remember(tenant, answer, maker) {
      makers.claim(tenant, maker, statesIn(answer))
      remember(tenant, answer)
    },
    recorder(tenant, maker) {
      const watch = createStreamRecorder(mostReasoning, (answer) => remember(tenant, answer))
      return (event) => {
        const states = statesOf(event)
        if (states.length > 0) makers.claim(tenant, maker, states)
        watch(event)
      }
    },
    async restoreDropped(tenant, request) {
      const bare = bareCalls(request.turns)
      if (bare.length === 0) return request
      const known = await memory.recall(tenant, bare.map(callName))
      if (known.size === 0) return request
      const recalled = new Map<string, ToolCallState>()
      for (const id of bare) {
        const text = known.get(callName(id))
        // Written by `remember`, and sealed since.
        if (text !== undefined) recalled.set(id, JSON.parse(text) as ToolCallState)
      }
      return { ...request, turns: restored(request.turns, recalled) }
    },
    flush: () => memory.flush(),
    sweep() {
      memory.sweep()
      return deleteExpired(store, new Date(clock.now()))
    },
  }
}
