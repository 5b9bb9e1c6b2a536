/**
 * What is stored of a Responses exchange, and how a later one continues it: the earlier conversation is put in front of the input. Pure, so
 * that large ones can be handled in the worker. Works on the client's own items, so the upstream's dialect does not matter.
 */

import type { ScannedBody } from '#canonical/codec'
import { isKeptConversation } from '#canonical/kept-conversation'
import { joinLosses, type Loss } from '#canonical/loss'
import { conversationWords } from '#protocols/conversations'
import { conversationCodecs } from '#protocols/index'
import type { Found, KeptItems, Recorded, Rewritten, Storing } from '#relay/contract/stored'
import { GatewayError } from '#shared/errors'
import { exact, parseExact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { createSseSplitter } from '#shared/sse'
import { repeatedOf } from './background-response.ts'

const { conversationIn, keptItem } = conversationWords

type Item = Record<string, unknown>

/** The field that names the response to continue. */
export const previousField = 'previous_response_id'

/** For a response that this tenant does not have. */
export const noResponse = (param = previousField) => new GatewayError('not_found', 'There is no response with this id.', { param })

/** What a request says about storing. */
export function storingOf({ background, stream, store, input, ...value }: Record<string, unknown>): Storing {
  const previous = value[previousField]
  const conversation = conversationIn(value.conversation)
  const references = inputItems(input).flatMap((item) =>
    isObject(item) && isReference(item) && typeof item.id === 'string' ? [item.id] : [],
  )
  const isBackground = background === true && stream !== true
  return {
    waits: isBackground && store === false,
    ...(isBackground && store !== false && { background: repeatedOf(value) }),
    keeps: store !== false,
    ...(typeof previous === 'string' && { previous }),
    ...(isKeptConversation(conversation) && { conversation }),
    references,
  }
}

/** Never throws; the body is the one that `storing` was read from. */
export function rewritten({ text, value }: ScannedBody, storing: Storing, found: Found): Rewritten {
  const { waits, background, previous, conversation, references } = storing
  const codec = conversationCodecs.responses
  const isMade = waits || background !== undefined
  const hasOptions = isMade && !isAbsent(value[optionsField])
  const remove = [
    ...(isMade ? ['background'] : []),
    ...(hasOptions ? [optionsField] : []),
    ...(conversation === undefined ? [] : ['conversation']),
  ]
  const told = [...(waits ? [waited] : []), ...(hasOptions ? [windowless(value[optionsField])] : [])]
  const own = remove.length > 0 ? codec.editRequest(text, { remove }) : text
  const inConversation = conversation === undefined ? [] : (found.before ?? [])
  const asked = resolved(inputItems(exact(value.input)), references, [...found.referenced, ...inConversation])
  const question = asked.items
  const whole = { own, content: own, question, losses: told, responses: [] }
  if (previous !== undefined && !found.before) return { ...whole, unresolved: noResponse() }
  if (asked.unresolved) return { ...whole, unresolved: asked.unresolved }
  if (previous === undefined && references.length === 0 && inConversation.every(({ items }) => items.length === 0)) return whole
  const sent = remaining((found.before ?? []).flatMap(({ items }) => items))
  const losses = joinLosses(sent.losses, asked.losses, told)
  const content = codec.editRequest(own, { set: { input: [...sent.items, ...question] } })
  const responses = [...new Set([...(previous === undefined ? [] : [previous]), ...found.referenced.map(({ id }) => id)])]
  return { own, content, question, losses, responses }
}

/** An exchange as it is stored; undefined for an answer without an id, which could not be retrieved. */
export function recorded(question: unknown[], answer: string, stream: boolean, conversation?: string): Recorded | undefined {
  const answered = answerIn(answer, stream)
  if (!answered || typeof answered.id !== 'string') return undefined
  const response = conversation === undefined ? answered : { ...answered, conversation: { id: conversation } }
  const output = Array.isArray(answered.output) ? answered.output : []
  const items = output.flatMap((item) => (isObject(item) && typeof item.id === 'string' ? [item.id] : []))
  const sent = [...question, ...output]
  const added = conversation === undefined ? [] : sent.flatMap((item) => keptItem(item) ?? [])
  return { id: answered.id, items, json: JSON.stringify({ turns: [], items: sent, response }), added }
}

/** The input as a list of items, whatever its form. */
export function inputItems(input: unknown): unknown[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  return Array.isArray(input) ? input : []
}

/**
 * Whether an item of an answer can be sent again: ids belong to the account that created them, and reasoning is useless without its sealed
 * content.
 */
function isResendable(item: unknown): item is Item {
  return isObject(item) && !(item.type === 'reasoning' && typeof item.encrypted_content !== 'string')
}

/** Items whose id is only known to the account that created them, and that are valid without it; all others need theirs. */
const anonymous = new Set<unknown>([
  ...[undefined, 'message', 'reasoning', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
  ...['compaction', 'item_reference'],
])

function portableItem(item: Item): Item {
  if (!anonymous.has(item.type)) return item
  const { id: _, status: __, ...rest } = item
  return rest
}

/** The items that must be sent again: a compaction replaces everything before it, and its trigger is no longer needed. */
function remaining(items: readonly unknown[]): ResendableItems {
  const from = items.findLastIndex((item) => isObject(item) && item.type === 'compaction')
  const left = items.slice(Math.max(from, 0)).filter((item): item is Item => isObject(item) && item.type !== 'compaction_trigger')
  const sent = left.filter(isResendable)
  return { items: sent.map(portableItem), losses: sent.length < left.length ? [unsealed] : [] }
}

/** Earlier items as they can be sent again. */
interface ResendableItems {
  items: Item[]
  losses: Loss[]
}

const unsealed: Loss = {
  field: 'input.reasoning',
  what: 'dropped',
  reason: 'The reasoning of earlier answers was not sent to Parley: only the upstream that stores the response has it.',
  meaning: true,
}

/** As in `readHead` of Responses: a reference may omit its type, and then has nothing but an id. */
const isReference = ({ type, role, id }: Item): boolean =>
  type === 'item_reference' || ((type === undefined || type === null) && role === undefined && typeof id === 'string')

/** A client that polls for progress accepts an answer that is already complete. */
const waited: Loss = {
  field: 'background',
  what: 'adapted',
  reason: 'The answer is already complete: the request waited for it.',
  meaning: false,
}

/** When an answer in the background is to be made: upstreams take it with `background` only, which Parley does itself. */
const optionsField = 'background_options'

const isAbsent = (value: unknown) => value === undefined || value === null

/** A later time has another price. */
const windowless = (options: unknown): Loss => ({
  field: optionsField,
  what: 'dropped',
  reason: 'The answer is made at once, at the usual price.',
  meaning: isObject(options) && !isAbsent(options.completion_window) && options.completion_window !== 'soonest',
})

const noItem = (index: number) => new GatewayError('not_found', 'There is no item with this id.', { param: `input[${index}].id` })

/** Items with their references resolved. */
interface Resolved extends ResendableItems {
  unresolved?: GatewayError
}

/** The input with every reference to a stored item replaced by the item. */
function resolved(items: unknown[], references: readonly string[], referenced: readonly KeptItems[]): Resolved {
  if (references.length === 0) return { items: items as Item[], losses: [] }
  const known = new Map<unknown, Item>()
  for (const exchange of referenced) for (const item of exchange.items) if (isObject(item)) known.set(item.id, item)
  const losses: Loss[] = []
  const missing = items.findIndex((item) => isObject(item) && isReference(item) && !known.has(item.id))
  if (missing >= 0) return { items: items as Item[], losses, unresolved: noItem(missing) }
  const sent = items.flatMap((item): Item[] => {
    if (!isObject(item) || !isReference(item)) return [item as Item]
    const meant = known.get(item.id)
    if (meant && isResendable(meant)) return [portableItem(meant)]
    losses.push(unsealed)
    return []
  })
  return { items: sent, losses }
}

/** The answer in the last frames of a stream, or as a whole body. */
function answerIn(text: string, stream: boolean): Item | undefined {
  if (!stream) return asObject(text)
  const splitter = createSseSplitter()
  // The last one has the answer, and events before it may be as large.
  for (const { data } of [...splitter.push(new TextEncoder().encode(text)), ...splitter.end()].reverse()) {
    const answer = asObject(data ?? '')?.response
    if (isObject(answer)) return answer
  }
  return undefined
}

function asObject(text: string): Item | undefined {
  try {
    const value = parseExact(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
