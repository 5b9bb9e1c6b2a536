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
import { deleteExpired } from '#store/vault'
import { changeEvent, changeParts, changeRequest } from './carry.ts'
import { type Conversations, createConversations } from './conversations.ts'
import { createEnvelopes } from './envelope.ts'
import { createMemory, type MemoryParts } from './memory.ts'
import { bareCalls, recollections, restored } from './recollection.ts'
import { marked, marker, withoutMark } from './unsealed.ts'
import { type Witness, witness } from './witness.ts'

export interface Vault extends Conversations {
  /** State for a client of the dialect `slot`: state of that dialect is left alone, other state goes in an envelope. */
  carryOut(tenant: string, slot: Dialect, opaque: Opaque): Opaque
  /** The state in an envelope of this tenant; undefined when it is another's or was changed. What is no envelope is left alone. */
  carryIn(tenant: string, opaque: Opaque): Opaque | undefined
  carryOutParts(tenant: string, slot: Dialect, parts: readonly Part[]): Part[]
  /** The same for a stream; the result is to be shown every event, in order, and answers what to write for each. */
  carryingOut(tenant: string, slot: Dialect): (event: ConversationEvent) => ConversationEvent[]
  carryInRequest(tenant: string, request: ConversationRequest): ConversationRequest
  /** Remembers the state of a whole answer by its tool calls. Ids must be those that the client sees. */
  remember(tenant: string, parts: readonly Part[]): void
  /** The same for a streamed answer: to be shown every event. It is remembered when its choice finishes. */
  witness(tenant: string): Witness
  /**
   * Puts back what the client dropped from its own history. Looks nothing up unless a call came without any state; asks the
   * database only when memory does not know the call. Never rejects.
   */
  completeRequest(tenant: string, request: ConversationRequest): Promise<ConversationRequest>
  /** A job, every second or so: writes what is remembered. */
  flush(): Promise<void>
  /** A job: removes what has expired; resolves to how many rows went. */
  sweep(): Promise<number>
}

/** Of reasoning in one streamed answer; what is longer is not remembered. */
const mostReasoning = 1024 * 1024

export function createVault(parts: MemoryParts): Vault {
  const { store, sealer, clock } = parts
  const { wrap, unwrap } = createEnvelopes(sealer)
  const memory = createMemory(parts)
  const remember = (tenant: string, answer: readonly Part[]) => memory.remember(tenant, recollections(answer))
  const wrapFor = (tenant: string, slot: Dialect) => (opaque: Opaque) => wrap(tenant, slot, opaque)

  return {
    ...createConversations(parts),
    carryOut: wrap,
    carryIn: unwrap,
    carryOutParts: (tenant, slot, answer) => changeParts(marked(slot, answer), wrapFor(tenant, slot)),
    carryingOut(tenant, slot) {
      const mark = marker(slot)
      return (event) => mark(event).map((one) => changeEvent(one, wrapFor(tenant, slot)))
    },
    carryInRequest: (tenant, request) => changeRequest(request, (opaque) => withoutMark(unwrap(tenant, opaque))),
    remember,
    witness: (tenant) => witness(mostReasoning, (answer) => remember(tenant, answer)),
    async completeRequest(tenant, request) {
      const bare = bareCalls(request.turns)
      if (bare.length === 0) return request
      const recalled = await memory.recall(tenant, bare)
      return recalled.size === 0 ? request : { ...request, turns: restored(request.turns, recalled) }
    },
    flush: () => memory.flush(),
    sweep() {
      memory.sweep()
      return deleteExpired(store, new Date(clock.now()))
    },
  }
}
