/**
 * Conversations that Parley keeps for clients of Responses, so that a stateless upstream continues them and a change of
 * channel does not break them: what came before is put in front of the input, what was answered is kept for the next time.
 * Works on the client's own items, so it does not matter which dialect the upstream speaks.
 */

import { joinLosses, type Loss } from '#canonical/loss'
import { conversationCodecs, replayResponse } from '#protocols/index'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Ask, Body } from '#relay/contract/ask'
import type { LargeBody } from '#relay/contract/large-body'
import type { Relay } from '#relay/contract/relay'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { createSseSplitter } from '#shared/sse'
import { scanOf } from './reading.ts'

export type { StoredResponse } from '#reasoning-state/stored-conversations'

/** Kept responses by tenant and id. */
export type ResponseStore = Pick<ReasoningState, 'find' | 'forget' | 'deleted'>

type Item = Record<string, unknown>

const previousField = 'previous_response_id'

export const noResponse = (param = previousField) => new GatewayError('not_found', 'There is no response with this id.', { param })

/** A question as items, whatever form it was asked in. */
function inputItems(input: unknown): unknown[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  return Array.isArray(input) ? input : []
}

/** Items of an answer as they may be said again: ids belong to the account that made them, and reasoning is worth nothing unsealed. */
function sayable(item: unknown): item is Item {
  return isObject(item) && !(item.type === 'reasoning' && typeof item.encrypted_content !== 'string')
}

/** Items whose id only their own account knows, and that are understood without it; all others must have theirs. */
const anonymous = new Set<unknown>([
  ...[undefined, 'message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
  ...['compaction', 'item_reference'],
])

function portableItem(item: Item): Item {
  if (!anonymous.has(item.type)) return item
  const { id: _, status: __, ...rest } = item
  return rest
}

/** What is still to be said again: a compaction stands for everything before it, and its trigger did its work. */
function remaining(items: readonly unknown[]): Said {
  const from = items.findLastIndex((item) => isObject(item) && item.type === 'compaction')
  const left = items.slice(Math.max(from, 0)).filter((item): item is Item => isObject(item) && item.type !== 'compaction_trigger')
  const said = left.filter(sayable)
  return { items: said.map(portableItem), losses: said.length < left.length ? [unsealed] : [] }
}

/** Items of earlier answers as they can be said again. */
interface Said {
  items: Item[]
  losses: Loss[]
}

const unsealed: Loss = {
  field: 'input.reasoning',
  what: 'dropped',
  reason: 'The reasoning of earlier answers was not given to Parley: only the upstream that keeps the response has it.',
  meaning: true,
}

/** As `readHead` of Responses sees it: a reference may leave out its type, and then has nothing but an id. */
const isReference = ({ type, role, id }: Item): boolean =>
  type === 'item_reference' || ((type === undefined || type === null) && role === undefined && typeof id === 'string')

/** A complete answer is one that a client which asks for its progress is content with. */
const waited: Loss = {
  field: 'background',
  what: 'adapted',
  reason: 'The answer was waited for: it is complete at once.',
  meaning: false,
}

const noItem = (index: number) => new GatewayError('not_found', 'There is no item with this id.', { param: `input[${index}].id` })

/** The answer in the last frames of a stream, or as a whole body. */
function answerIn(text: string, stream: boolean): Item | undefined {
  if (!stream) return asObject(text)
  const splitter = createSseSplitter()
  for (const { data } of [...splitter.push(new TextEncoder().encode(text)), ...splitter.end()]) {
    const answer = asObject(data ?? '')?.response
    if (isObject(answer)) return answer
  }
  return undefined
}

function asObject(text: string): Item | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A question with the conversation before it in its place. */
interface Continued {
  body: Body
  /** The items of the question itself, references resolved. */
  question: unknown[]
  previous: string | undefined
  /** The exchange is stored. */
  keeps: boolean
}

/**
 * Rejects with GatewayError for a body that did not arrive, and `quota_exceeded` where the answer is to be stored (`stores`) and there is
 * no room. What is not stored here may be known to the upstream of a channel that one tenant alone uses.
 */
async function continuedFrom(
  reasoningState: ReasoningState,
  tenant: string,
  read: () => Promise<Body>,
  stores: boolean,
): Promise<Continued> {
  const sent = await read()
  if (sent.large && standsAlone(sent.large)) return { body: sent, question: [], previous: undefined, keeps: false }
  const body = sent.large ? await here(sent, sent.large) : sent
  const scanned = scanOf(body, conversationCodecs.responses)
  const { text, value } = scanned
  const waits = value.background === true && value.stream !== true
  const own = waits ? conversationCodecs.responses.editRequest(text, { remove: ['background'] }) : text
  const asked = await resolved(reasoningState, tenant, inputItems(value.input))
  const keeps = stores && value.store !== false
  if (keeps) await reasoningState.demandRoom(tenant)
  const previous = typeof value[previousField] === 'string' ? value[previousField] : undefined
  const question = asked.items
  if (previous === undefined && asked.responses.size === 0 && !asked.unresolved) {
    return {
      body: waits ? { ...body, content: own, continued: { content: own, losses: [waited] } } : { ...body, scanned },
      question,
      previous,
      keeps,
    }
  }
  const before = previous === undefined ? undefined : await reasoningState.load(tenant, previous)
  const unresolved = previous !== undefined && !before ? noResponse() : asked.unresolved
  if (unresolved) return { body: { ...body, content: own, unresolved }, question, previous, keeps }
  const said = before ? remaining(before.items) : { items: [], losses: [] }
  const losses = joinLosses(said.losses, asked.losses, waits ? [waited] : [])
  const content = conversationCodecs.responses.editRequest(own, { set: { input: [...said.items, ...question] } })
  const known = [...new Set([...(previous === undefined ? [] : [previous]), ...asked.responses])].map((id) => ({
    kind: 'response' as const,
    id,
  }))
  const continued = { content: own, losses, ...(previous !== undefined && { previous }) }
  return { body: { ...body, content, known, continued }, question, previous, keeps }
}

/** Nothing came before it that Parley keeps, and nothing is to be kept of it: it never needs to be read on this thread. */
const standsAlone = ({ keepsNothing, head }: LargeBody): boolean =>
  keepsNothing && !head.stateRefs?.some(({ kind }) => kind === 'response' || kind === 'item')

/** A large body that is continued or kept, as text. */
async function here({ large: _, ...body }: Body, large: LargeBody): Promise<Body> {
  try {
    return { ...body, content: await large.text() }
  } finally {
    large.release()
  }
}

/** Items with their references resolved. */
interface Resolved extends Said {
  responses: Set<string>
  /** The first reference to an item that is not stored; then the items are as they came. */
  unresolved?: GatewayError
}

/** The question with every reference to an item of a stored response replaced by it. */
async function resolved(reasoningState: ReasoningState, tenant: string, items: unknown[]): Promise<Resolved> {
  const ids = items.flatMap((item) => (isObject(item) && isReference(item) && typeof item.id === 'string' ? [item.id] : []))
  if (ids.length === 0) return { items: items as Item[], losses: [], responses: new Set() }
  const responses = await reasoningState.responsesOf(tenant, ids)
  const stored = await Promise.all([...new Set(responses.values())].map((id) => reasoningState.find(tenant, id)))
  const known = new Map<unknown, Item>()
  for (const exchange of stored) for (const item of exchange?.items ?? []) if (isObject(item)) known.set(item.id, item)
  const losses: Loss[] = []
  const missing = items.findIndex((item) => isObject(item) && isReference(item) && !known.has(item.id))
  if (missing >= 0) return { items: items as Item[], losses, responses: new Set(), unresolved: noItem(missing) }
  const said = items.flatMap((item): Item[] => {
    if (!isObject(item) || !isReference(item)) return [item as Item]
    const meant = known.get(item.id)
    if (meant && sayable(meant)) return [portableItem(meant)]
    losses.push(unsealed)
    return []
  })
  return { items: said, losses, responses: new Set(responses.values()) }
}

/** The relay for Responses: the same eight steps, with the conversation before and after them. */
export function storingRelay(relay: Relay, reasoningState: ReasoningState): (ask: Ask) => ReturnType<Relay> {
  return (ask) => {
    const tenant = ask.caller.user.id
    // What a compaction answers is input for its caller, not an exchange that goes on.
    const stores = ask.operation !== 'compact'
    let continued: Promise<Continued> | undefined

    async function body(): Promise<Body> {
      continued = continuedFrom(reasoningState, tenant, ask.body, stores)
      return (await continued).body
    }

    async function answered(text: string, stream: boolean): Promise<void> {
      if (!continued) throw new Error('an answer to a request that was not read')
      const { question, previous, keeps } = await continued
      const answer = keeps ? answerIn(text, stream) : undefined
      if (!answer || typeof answer.id !== 'string') return
      const output = Array.isArray(answer.output) ? answer.output : []
      const ids = output.flatMap((item) => (isObject(item) && typeof item.id === 'string' ? [item.id] : []))
      await Promise.all([
        reasoningState.keep(tenant, answer.id, previous, { turns: [], items: [...question, ...output], response: answer }),
        reasoningState.noteItems(tenant, answer.id, ids),
      ])
    }

    return relay({ ...ask, body, ...(stores && { answered }), ownFields: [previousField] })
  }
}

/** The items of the question of a kept exchange. */
export function questionOf({ items, response }: { items: unknown[]; response: unknown }): unknown[] {
  const output = isObject(response) && Array.isArray(response.output) ? response.output.length : 0
  return items.slice(0, items.length - output)
}

/** A kept response as a stream, from the event after `startingAfter` on. */
export const replayed = (response: unknown, startingAfter?: number): string =>
  replayResponse(isObject(response) ? response : {}, startingAfter)
