/**
 * Conversations that Parley keeps for clients of Responses, so that a stateless upstream continues them and a change of
 * channel does not break them: what came before is put in front of the input, what was answered is kept for the next time.
 * What is little work is done here; anything else by the worker for large bodies.
 */

import { conversationCodecs } from '#protocols/index'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import { readStored, type StoredText } from '#reasoning-state/stored-conversations'
import type { Ask, Body } from '#relay/contract/ask'
import { type LargeBodies, type LargeBody, light, type StoredBytes } from '#relay/contract/large-body'
import type { Relay } from '#relay/contract/relay'
import type { Rewritten, StoredView, Storing } from '#relay/contract/stored'
import { jsonPayload } from '#relay/exchange/json-payload'
import { nextTurn } from '#runtime/turns'
import { createJsonScale } from '#wire/json-weight'
import { scanOf } from './reading.ts'
import { previousField, recorded, rewritten, storingOf } from './stored-exchange.ts'
import { shown } from './stored-view.ts'

/** Kept responses by tenant and id. */
export type ResponseStore = Pick<ReasoningState, 'findText' | 'forget' | 'deleted'>

/** A question with the conversation before it in its place. */
interface Continued {
  body: Body
  previous: string | undefined
  /** The exchange with this answer; absent: it is not kept. */
  record?(answer: string, stream: boolean): Promise<Kept | undefined> | Kept | undefined
}

/** An exchange as it is to be stored. */
interface Kept {
  id: string
  /** Ids of the items of the answer. */
  items: readonly string[]
  /** As JSON. */
  bytes: Uint8Array
}

const codec = conversationCodecs.responses
const encoder = new TextEncoder()
/** Characters that are not weighed: they are little work whatever they are. */
const weightless = 64 * 1024

/** What was stored of that which a question names. */
interface FoundTexts {
  before?: StoredText[]
  referenced: StoredText[]
}

async function foundFor(reasoningState: ReasoningState, tenant: string, { previous, references }: Storing): Promise<FoundTexts> {
  const responses = references.length === 0 ? undefined : await reasoningState.responsesOf(tenant, references)
  const ids = [...new Set(responses?.values())]
  const referenced = await Promise.all(ids.map((id) => reasoningState.findText(tenant, id)))
  const before = previous === undefined ? undefined : await reasoningState.loadTexts(tenant, previous)
  return { referenced: referenced.filter((text) => text !== undefined), ...(before && { before }) }
}

/** Whether these exchanges can be read here together. */
function isLight(texts: readonly StoredText[]): boolean {
  const characters = texts.reduce((sum, text) => sum + text.characters, 0)
  if (characters <= weightless) return true
  if (characters > light.bytes) return false
  const scale = createJsonScale({ depth: Number.POSITIVE_INFINITY, weight: Number.POSITIVE_INFINITY })
  for (const { pieces } of texts) for (const piece of pieces) scale.push(encoder.encode(piece))
  return scale.weight() <= light.weight
}

/** The exchanges as bytes that can be handed over, others having their turn in between. */
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

/** A stored exchange as its client sees it: text, or bytes in pieces. `caller`: whose turn it is. Rejects with GatewayError. */
export async function storedAs(bodies: Pick<LargeBodies, 'shown'>, stored: StoredText, view: StoredView, caller: string) {
  if (isLight([stored])) return shown(readStored(stored), view)
  const [bytes = { id: stored.id, pieces: [] }] = await inBytes([stored])
  return jsonPayload(await bodies.shown(bytes, view, caller)).open()
}

/** What its place in the conversation changes about a body. */
function continuedBody(
  sent: Body,
  { previous, waits }: Storing,
  { own, losses, responses, unresolved }: Pick<Rewritten, 'own' | 'losses' | 'responses' | 'unresolved'>,
): Body {
  if (unresolved) return { ...sent, unresolved }
  if (responses.length === 0) return waits ? { ...sent, continued: { content: own, losses } } : sent
  const known = responses.map((id) => ({ kind: 'response' as const, id }))
  return { ...sent, known, continued: { content: own, losses, ...(previous !== undefined && { previous }) } }
}

/** The relay for Responses: the same eight steps, with the conversation before and after them. */
export function storingRelay(
  relay: Relay,
  reasoningState: ReasoningState,
  bodies: Pick<LargeBodies, 'open'>,
): (ask: Ask) => ReturnType<Relay> {
  /**
   * Rejects with GatewayError for a body that did not arrive, and `quota_exceeded` where the answer is to be stored and there is no
   * room. What is not stored here may be known to the upstream of a channel that one tenant alone uses.
   */
  async function continuedFrom(ask: Ask, stores: boolean): Promise<Continued> {
    const sent = await ask.body()
    try {
      return sent.large ? await fromLarge(ask, sent, sent.large, stores) : await fromText(ask, sent, stores)
    } catch (thrown) {
      sent.large?.release()
      throw thrown
    }
  }

  async function lookedUp(ask: Ask, storing: Storing, keeps: boolean): Promise<FoundTexts> {
    const tenant = ask.caller.user.id
    if (keeps) await reasoningState.demandRoom(tenant)
    return foundFor(reasoningState, tenant, storing)
  }

  async function fromText(ask: Ask, sent: Body, stores: boolean): Promise<Continued> {
    const scanned = scanOf(sent, codec)
    const storing = storingOf(scanned.value)
    const keeps = stores && storing.keeps
    const found = await lookedUp(ask, storing, keeps)
    const { previous } = storing
    if (!isLight([...(found.before ?? []), ...found.referenced])) {
      const bytes = encoder.encode(scanned.text)
      const asked = { operation: ask.operation, dialect: ask.dialect }
      const weighed = { pieces: [bytes], bytes: bytes.length, weight: light.weight }
      const large = await bodies.open(weighed, asked, ask.caller.key?.id ?? ask.caller.user.id)
      return inWorker(sent, large, found, keeps)
    }
    const said = { ...(found.before && { before: found.before.map(readStored) }), referenced: found.referenced.map(readStored) }
    const asked = rewritten(scanned, storing, said)
    const body = continuedBody(asked.content === scanned.text ? { ...sent, scanned } : { ...sent, content: asked.content }, storing, asked)
    const record = (answer: string, stream: boolean) => {
      const kept = recorded(asked.question, answer, stream)
      return kept && { ...kept, bytes: encoder.encode(kept.json) }
    }
    return { body, previous, ...(keeps && { record }) }
  }

  async function fromLarge(ask: Ask, sent: Body, large: LargeBody, stores: boolean): Promise<Continued> {
    const { storing } = large
    const keeps = stores && storing.keeps
    const isAlone = !storing.waits && storing.previous === undefined && storing.references.length === 0
    if (isAlone && !keeps) return { body: sent, previous: undefined }
    return inWorker(sent, large, await lookedUp(ask, storing, keeps), keeps)
  }

  async function inWorker(sent: Body, large: LargeBody, { before, referenced }: FoundTexts, keeps: boolean): Promise<Continued> {
    const found = { ...(before && { before: await inBytes(before) }), referenced: await inBytes(referenced) }
    const { body, ...asked } = await large.continued(found)
    const continued = continuedBody({ ...sent, content: '', large: body }, large.storing, { ...asked, own: '' })
    const record = (answer: string, stream: boolean) => body.recorded(answer, stream)
    return { body: continued, previous: large.storing.previous, ...(keeps && { record }) }
  }

  return (ask) => {
    const tenant = ask.caller.user.id
    // What a compaction answers is input for its caller, not an exchange that goes on.
    const stores = ask.operation !== 'compact'
    let continued: Promise<Continued> | undefined

    async function body(): Promise<Body> {
      continued = continuedFrom(ask, stores)
      return (await continued).body
    }

    async function answered(text: string, stream: boolean): Promise<void> {
      if (!continued) throw new Error('an answer to a request that was not read')
      const { record, previous } = await continued
      const kept = await record?.(text, stream)
      if (!kept) return
      await Promise.all([
        reasoningState.keepText(tenant, kept.id, previous, kept.bytes),
        reasoningState.noteItems(tenant, kept.id, kept.items),
      ])
    }

    return relay({ ...ask, body, ...(stores && { answered }), ownFields: [previousField] })
  }
}
