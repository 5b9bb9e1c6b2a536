/**
 * Conversations that Parley stores for clients of Responses, so that a stateless upstream can continue them and a change of channel does
 * not break them: the earlier conversation is put in front of the input, and the answer is stored for the next request. Small ones are
 * handled here, others by the worker for large bodies.
 */

import type { NewItem } from '#canonical/kept-conversation'
import { conversationWords } from '#protocols/conversations'
import { conversationCodecs } from '#protocols/index'
import { noConversation } from '#reasoning-state/item-conversations'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import { readStored, type StoredText } from '#reasoning-state/stored-conversations'
import type { Ask, Body, Reply, RestorePictures } from '#relay/contract/ask'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { type LargeBodies, type LargeBody, light, type StoredBytes } from '#relay/contract/large-body'
import type { Relay } from '#relay/contract/relay'
import type { Rewritten, StoredView, Storing } from '#relay/contract/stored'
import { jsonPayload } from '#relay/exchange/json-payload'
import { editedEvents } from '#relay/exchange/splitters'
import { nextTurn } from '#runtime/turns'
import { createJsonScale } from '#wire/json-weight'
import type { AskedInBackground, Background, Making } from './background.ts'
import { answerAs } from './background-response.ts'
import { scanOf } from './reading.ts'
import { previousField, recorded, rewritten, storingOf } from './stored-exchange.ts'
import { shown } from './stored-view.ts'

/** Stored responses by tenant and id. */
export type ResponseStore = Pick<ReasoningState, 'findText' | 'forget' | 'deleted'>

/** A request with the earlier conversation inserted. */
interface Continued {
  body: Body
  previous: string | undefined
  /** The conversation that the answer is added to. */
  conversation?: string
  /** Whether the exchange is stored under the id of its answer. */
  keeps: boolean
  /** Set when it is to be answered in the background. */
  background?: AskedInBackground
  /** The exchange with this answer; absent: nothing is stored. */
  record?(answer: string, stream: boolean): Promise<Kept | undefined> | Kept | undefined
}

/** An exchange as it is to be stored. */
interface Kept {
  id: string
  /** Ids of the items of the answer. */
  items: readonly string[]
  /** As JSON. */
  bytes: Uint8Array
  /** Items to add to the conversation. */
  added: readonly NewItem[]
}

const codec = conversationCodecs.responses
const encoder = new TextEncoder()
/** Texts up to this many characters are not weighed: they are little work in any case. */
const weightless = 64 * 1024

/** The stored texts that a request refers to. */
interface FoundTexts {
  before?: StoredText[]
  referenced: StoredText[]
}

/** Rejects with GatewayError for a conversation that does not exist, and when the request would continue two. */
async function foundFor(reasoningState: ReasoningState, tenant: string, storing: Storing): Promise<FoundTexts> {
  const { previous, conversation, references } = storing
  if (previous !== undefined && conversation !== undefined) throw conversationWords.twoPasts()
  const responses = references.length === 0 ? undefined : await reasoningState.responsesOf(tenant, references)
  const ids = [...new Set(responses?.values())]
  const referenced = await Promise.all(ids.map((id) => reasoningState.findText(tenant, id)))
  const kept = conversation === undefined ? undefined : await reasoningState.conversations.load(tenant, conversation)
  if (conversation !== undefined && !kept) throw noConversation()
  const before = previous === undefined ? kept && [kept] : await reasoningState.loadTexts(tenant, previous)
  return { referenced: referenced.filter((text) => text !== undefined), ...(before && { before }) }
}

/** Whether these exchanges together are small enough to be read on this thread. */
function isLight(texts: readonly StoredText[]): boolean {
  const characters = texts.reduce((sum, text) => sum + text.characters, 0)
  if (characters <= weightless) return true
  if (characters > light.bytes) return false
  const scale = createJsonScale({ depth: Number.POSITIVE_INFINITY, weight: Number.POSITIVE_INFINITY })
  for (const { pieces } of texts) for (const piece of pieces) scale.push(encoder.encode(piece))
  return scale.weight() <= light.weight
}

/** The exchanges as transferable bytes, with a turn of the event loop in between. */
async function inBytes(texts: readonly StoredText[]): Promise<StoredBytes[]> {
  const crossed: StoredBytes[] = []
  for (const { id, pieces } of texts) {
    const bytes: StoredBytes['pieces'] = []
    for (const piece of pieces) {
      if (bytes.length > 0) await nextTurn()
      bytes.push(encoder.encode(piece))
    }
    crossed.push({ id, pieces: bytes })
  }
  return crossed
}

/** A stored exchange as its client sees it: text, or bytes in pieces. `caller`: for taking turns. Rejects with GatewayError. */
export async function storedAs(bodies: Pick<LargeBodies, 'shown'>, stored: StoredText, view: StoredView, caller: string) {
  if (isLight([stored])) return shown(readStored(stored), view)
  const [bytes = { id: stored.id, pieces: [] }] = await inBytes([stored])
  return jsonPayload({ bytes: await bodies.shown(bytes, view, caller) }).open()
}

/** Items with placeholders replaced by their pictures. */
async function wholeItems(items: readonly NewItem[], restored: RestorePictures | undefined): Promise<NewItem[]> {
  const whole: NewItem[] = []
  for (const item of items) {
    whole.push(restored ? { ...item, json: new TextDecoder().decode(await restored(encoder.encode(item.json))) } : item)
  }
  return whole
}

const isUnbound = ({ previous, conversation, references }: Storing) =>
  previous === undefined && conversation === undefined && references.length === 0

/** The body for the relay once the earlier conversation is inserted. */
function continuedBody(
  sent: Body,
  { previous, conversation, waits, background }: Storing,
  { own, losses, responses, unresolved }: Pick<Rewritten, 'own' | 'losses' | 'responses' | 'unresolved'>,
): Body {
  if (unresolved) return { ...sent, unresolved }
  if (responses.length === 0) return waits || background || conversation ? { ...sent, continued: { content: own, losses } } : sent
  const known = responses.map((id) => ({ kind: 'response' as const, id }))
  return { ...sent, known, continued: { content: own, losses, ...(previous !== undefined && { previous }) } }
}

/** The relay for Responses. */
export interface StoringRelay {
  (ask: Ask): ReturnType<Relay>
  /** The body of a request with the earlier conversation inserted; nothing is stored. Rejects with GatewayError. */
  continued(ask: Ask, room?: Pick<BodyRoom, 'grow'>): Promise<Body>
}

/** The relay for Responses: the same eight steps, with the conversation before and after them. */
export function storingRelay(
  relay: Relay,
  reasoningState: ReasoningState,
  bodies: Pick<LargeBodies, 'open'>,
  background: Pick<Background, 'serve' | 'keep'>,
): StoringRelay {
  /**
   * Rejects with GatewayError for a body that did not arrive, and with `quota_exceeded` when the answer is to be stored and the quota is
   * used up. State that is not stored here may be known to the upstream of a channel that one tenant alone uses.
   */
  async function continuedFrom(ask: Ask, stores: boolean, room?: Pick<BodyRoom, 'grow'>): Promise<Continued> {
    const sent = await ask.body(room)
    if (sent.native) return { body: sent, previous: undefined, keeps: false }
    try {
      return sent.large ? await fromLarge(ask, sent, sent.large, stores) : await fromText(ask, sent, stores)
    } catch (thrown) {
      sent.large?.release()
      throw thrown
    }
  }

  async function lookedUp(ask: Ask, storing: Storing, keeps: boolean): Promise<FoundTexts> {
    const tenant = ask.caller.user.id
    if (keeps || storing.conversation !== undefined) await reasoningState.demandRoom(tenant)
    return foundFor(reasoningState, tenant, storing)
  }

  async function fromText(ask: Ask, sent: Body, stores: boolean): Promise<Continued> {
    const scanned = scanOf(sent, codec)
    const storing = storingOf(scanned.value)
    const keeps = stores && storing.keeps
    const found = await lookedUp(ask, storing, keeps)
    const { previous, conversation, background } = storing
    if (!isLight([...(found.before ?? []), ...found.referenced])) {
      return inWorker(sent, await opened(ask, scanned.text), found, { stores, keeps })
    }
    const recalled = { ...(found.before && { before: found.before.map(readStored) }), referenced: found.referenced.map(readStored) }
    const asked = rewritten(scanned, storing, recalled)
    const body = continuedBody(asked.content === scanned.text ? { ...sent, scanned } : { ...sent, content: asked.content }, storing, asked)
    const record = (answer: string, stream: boolean) => {
      if (answer.length > light.bytes) return recordedApart(ask, asked.question, answer, stream, conversation)
      const kept = recorded(asked.question, answer, stream, conversation)
      return kept && { ...kept, bytes: encoder.encode(kept.json) }
    }
    return {
      ...{ body, previous, keeps },
      ...(conversation !== undefined && { conversation }),
      ...((keeps || (stores && conversation !== undefined)) && { record }),
      ...(keeps && background && { background: { echo: background, question: asked.question } }),
    }
  }

  function opened({ operation, dialect, caller }: Ask, text: string): Promise<LargeBody> {
    const bytes = encoder.encode(text)
    const weighed = { pieces: [bytes], bytes: bytes.length, weight: light.weight }
    return bodies.open(weighed, { operation, dialect }, caller.key?.id ?? caller.user.id)
  }

  /** The exchange with a long answer: the worker reads it, with the question as the input of a request. */
  async function recordedApart(ask: Ask, question: unknown[], ...answered: Parameters<LargeBody['recorded']>) {
    const large = await opened(ask, JSON.stringify({ model: 'any', input: question }))
    try {
      return await large.recorded(...answered)
    } finally {
      large.release()
    }
  }

  async function fromLarge(ask: Ask, sent: Body, large: LargeBody, stores: boolean): Promise<Continued> {
    const { storing } = large
    const keeps = stores && storing.keeps
    const isAlone = !storing.waits && !storing.background && isUnbound(storing)
    if (isAlone && !keeps) return { body: sent, previous: undefined, keeps }
    return inWorker(sent, large, await lookedUp(ask, storing, keeps), { stores, keeps })
  }

  async function inWorker(
    sent: Body,
    large: LargeBody,
    { before, referenced }: FoundTexts,
    { stores, keeps }: { stores: boolean; keeps: boolean },
  ): Promise<Continued> {
    const found = { ...(before && { before: await inBytes(before) }), referenced: await inBytes(referenced) }
    const { body, ...asked } = await large.continued(found)
    const continued = continuedBody({ ...sent, content: '', large: body }, large.storing, { ...asked, own: '' })
    const { previous, conversation, background } = large.storing
    const record = (answer: string, stream: boolean) => body.recorded(answer, stream, conversation)
    return {
      ...{ body: continued, previous, keeps },
      ...(conversation !== undefined && { conversation }),
      ...((keeps || (stores && conversation !== undefined)) && { record }),
      ...(keeps && background && { background: { echo: background, question: [] } }),
    }
  }

  const relayed = (ask: Ask): ReturnType<Relay> => {
    const tenant = ask.caller.user.id
    // The result of a compaction is input for its caller, not an exchange that is continued.
    const stores = ask.operation !== 'compact'
    let continued: Continued | undefined
    let making: Making | undefined

    async function body(room?: Pick<BodyRoom, 'grow'>): Promise<Body> {
      continued = await continuedFrom(ask, stores, room)
      return continued.body
    }

    async function keep(answer: string, stream: boolean, restored?: RestorePictures): Promise<void> {
      const kept = await continued?.record?.(answer, stream)
      if (!kept || !continued) return
      const { conversation, previous, keeps } = continued
      const bytes = restored ? await restored(kept.bytes) : kept.bytes
      await Promise.all([
        keeps && reasoningState.keepText(tenant, kept.id, previous, bytes),
        keeps && reasoningState.noteItems(tenant, kept.id, kept.items),
        conversation !== undefined && reasoningState.conversations.append(tenant, conversation, await wholeItems(kept.added, restored)),
      ])
    }

    async function answered(text: string, stream: boolean, restored?: RestorePictures): Promise<void> {
      if (!continued) throw new Error('an answer to a request that was not read')
      if (!making) return keep(text, stream, restored)
      const { id } = making
      await background.keep(making, () => keep(answerAs(id, text), stream, restored))
    }

    /** An answer names the conversation that it belongs to. */
    function placed(reply: Reply): Reply {
      const id = continued?.conversation
      if (id === undefined || making) return reply
      if (typeof reply.body !== 'string') {
        return 'next' in reply.body
          ? { ...reply, body: editedEvents(reply.body, (frame) => conversationWords.inConversation(frame, id)) }
          : reply
      }
      return { ...reply, body: codec.editRequest(reply.body, { set: { conversation: { id } } }) }
    }

    const asked = { ...ask, body, ...(stores && { answered }), ownFields: [previousField] }
    if (!stores) return relay(asked)
    const reply = background.serve(
      asked,
      () => continued?.background,
      (begun) => {
        making = begun
      },
    )
    return reply.then(placed)
  }

  return Object.assign(relayed, {
    continued: async (ask: Ask, room?: Pick<BodyRoom, 'grow'>) => (await continuedFrom(ask, false, room)).body,
  })
}
