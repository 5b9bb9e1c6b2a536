/**
 * Conversations that Parley keeps for clients of Responses, so that a stateless upstream continues them and a change of
 * channel does not break them: what came before is put in front of the input, what was answered is kept for the next time.
 * Works on the client's own items, so it does not matter which dialect the upstream speaks.
 */

import { conversationCodecs } from '#protocols/index'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Ask, Body } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { createSseSplitter } from '#shared/sse'
import { scanOf } from './reading.ts'

export type { StoredResponse } from '#reasoning-state/stored-conversations'

/** Kept responses by tenant and id. */
export type ResponseStore = Pick<ReasoningState, 'find' | 'forget'>

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
function withoutId({ id: _, status: __, ...rest }: Item): Item {
  return rest
}

/** What is still to be said again: a compaction stands for everything before it, and the wish for one was granted. */
function remaining(items: readonly unknown[]): Item[] {
  const from = items.findLastIndex((item) => isObject(item) && item.type === 'compaction')
  return items.slice(Math.max(from, 0)).filter((item) => sayable(item) && item.type !== 'compaction_trigger') as Item[]
}

/** What is kept is what was answered at once: an answer that comes later would never be seen, nor counted. */
function refuseBackground({ background, stream }: Item): void {
  if (background !== true || stream === true) return
  throw new GatewayError('unsupported_value', 'No answer is made in the background: wait for it, or send stream: true.', {
    param: 'background',
  })
}

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
  /** The items of the question itself. */
  question: unknown[]
  previous: string | undefined
  /** The exchange is stored. */
  keeps: boolean
}

/**
 * Rejects with GatewayError for a body that did not arrive, `not_found` for a response that is not stored, and `quota_exceeded` where
 * the answer is to be stored (`stores`) and there is no room.
 */
async function continuedFrom(reasoningState: ReasoningState, tenant: string, arriving: Promise<Body>, stores: boolean): Promise<Continued> {
  const body = await arriving
  const scanned = scanOf(body, conversationCodecs.responses)
  const { text, value } = scanned
  refuseBackground(value)
  const question = inputItems(value.input)
  const keeps = stores && value.store !== false
  const previous = value[previousField]
  if (keeps) await reasoningState.demandRoom(tenant)
  if (typeof previous !== 'string') return { body: { ...body, scanned }, question, previous: undefined, keeps }
  const before = await reasoningState.load(tenant, previous)
  if (!before) throw noResponse()
  const input = [...remaining(before.items).map(withoutId), ...question]
  const content = conversationCodecs.responses.editRequest(text, { set: { input } })
  return { body: { ...body, content, known: [{ kind: 'response', id: previous }] }, question, previous, keeps }
}

/** The relay for Responses: the same eight steps, with the conversation before and after them. */
export function storingRelay(relay: Relay, reasoningState: ReasoningState): (ask: Ask) => ReturnType<Relay> {
  return (ask) => {
    const tenant = ask.caller.user.id
    // What a compaction answers is input for its caller, not an exchange that goes on.
    const stores = ask.operation !== 'compact'
    const continued = continuedFrom(reasoningState, tenant, ask.body, stores)

    async function answered(text: string, stream: boolean): Promise<void> {
      const { question, previous, keeps } = await continued
      const answer = keeps ? answerIn(text, stream) : undefined
      if (!answer || typeof answer.id !== 'string') return
      const output = Array.isArray(answer.output) ? answer.output : []
      await reasoningState.keep(tenant, answer.id, previous, { turns: [], items: [...question, ...output], response: answer })
    }

    return relay({ ...ask, body: continued.then(({ body }) => body), ...(stores && { answered }), ownFields: [previousField] })
  }
}

/** The items of the question of a kept exchange. */
export function questionOf({ items, response }: { items: unknown[]; response: unknown }): unknown[] {
  const output = isObject(response) && Array.isArray(response.output) ? response.output.length : 0
  return items.slice(0, items.length - output)
}
