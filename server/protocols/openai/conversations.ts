/** Conversations that clients of Responses create themselves: their requests and answers, and the stored form of their items. */
import type { NewItem } from '#canonical/kept-conversation'
import { bodyNames } from '#protocols/codec/body-names'
import { GatewayError } from '#shared/errors'
import { exact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { ResponsesItem } from '#shared/protocols/openai/responses'
import type { Frame } from '#shared/sse'
import { scanObject } from '#wire/json-scan'
import { editEvent } from '#wire/sse-edit'
import { type Body, isAbsent, missing, wrong } from './fields.ts'

const names = bodyNames('openai', [ResponsesItem], 'items')

/** Most items in one call; the vendor's limit. */
const mostAdded = 20
const mostPairs = 16

/** The fields of a call about a conversation. Absent fields are absent. */
export interface ConversationFields {
  metadata?: Record<string, string>
  items?: NewItem[]
}

/** The body of a call, which may be empty. Throws GatewayError 400. */
export function readConversation(text: string): ConversationFields {
  if (text.trim() === '') return {}
  const { metadata, items } = scanObject(text, names).value
  return {
    ...(!isAbsent(metadata) && { metadata: readMetadata(metadata) }),
    ...(!isAbsent(items) && { items: readItems(items) }),
  }
}

/** Up to 16 pairs of texts. Throws GatewayError 400. */
export function readMetadata(metadata: unknown): Record<string, string> {
  const pairs = isObject(metadata) ? Object.entries(metadata) : []
  const isText = ([name, value]: [string, unknown]) => name.length <= 64 && typeof value === 'string' && value.length <= 512
  if (!isObject(metadata) || pairs.length > mostPairs || !pairs.every(isText)) {
    throw wrong('metadata', 'at most 16 texts of 512 characters, with names of 64')
  }
  return metadata as Record<string, string>
}

/** The items of a call that does nothing but add some. Throws GatewayError 400. */
export function demandItems({ items }: ConversationFields): NewItem[] {
  if (!items) throw missing('items')
  return items
}

function readItems(items: unknown): NewItem[] {
  if (!Array.isArray(items) || items.length > mostAdded) throw wrong('items', `a list of at most ${mostAdded} items`)
  return items.map((item, index) => {
    const read = keptItem(exact(item))
    if (!read || (isObject(item) && item.type === 'item_reference')) throw wrong(`items[${index}]`, 'an item of a conversation')
    return read
  })
}

/** How ids of items of a type begin. */
const prefixes: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fco_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctco_',
}

/** Items that have a status in lists, and may have one in a request. */
const stated = new Set(['message', 'function_call', 'function_call_output'])
/** Further ones that have a status in lists. */
const statedInLists = new Set([
  ...['custom_tool_call', 'custom_tool_call_output', 'computer_call_output', 'shell_call', 'shell_call_output'],
  ...['local_shell_call_output', 'tool_search_call', 'tool_search_output', 'program_output'],
])

/** The long form of an item without its id; undefined unless it is an item. */
function longForm(item: Body): (Body & { type: string }) | undefined {
  const type = item.type ?? (item.role === undefined ? undefined : 'message')
  if (typeof type !== 'string') return undefined
  const { id: _, type: __, status, ...rest } = item
  const said = status ?? (stated.has(type) ? 'completed' : undefined)
  return { type, ...(said !== undefined && { status: said }), ...rest, ...(type === 'message' && contentOf(item)) }
}

/** The stored form of an item of a request or an answer; undefined unless it is an item. */
export function keptItem(item: unknown): NewItem | undefined {
  const whole = isObject(item) ? longForm(item) : undefined
  if (!isObject(item) || !whole) return undefined
  const { id } = item
  return { ...(typeof id === 'string' && { id }), prefix: prefixes[whole.type] ?? 'item_', json: JSON.stringify(whole) }
}

/** An item of a request as lists show it, by its own id or else by this one. */
export function shownItem(item: unknown, id: string): Body & { id: unknown } {
  const said = isObject(item) ? item : {}
  const whole = longForm(said)
  if (!whole) return { ...said, id: said.id ?? id }
  return { id: said.id ?? id, ...whole, ...(statedInLists.has(whole.type) && { status: whole.status ?? 'completed' }) }
}

/** Lists have the long form, whatever a message was sent in. */
function contentOf({ role, content }: Body): Body {
  if (typeof content !== 'string') return {}
  const part = role === 'assistant' ? { type: 'output_text', text: content, annotations: [] } : { type: 'input_text', text: content }
  return { content: [part] }
}

/** A conversation in the vendor's format. `createdAt`: seconds since the epoch. */
export const writeConversation = ({ id, createdAt, metadata }: { id: string; createdAt: number; metadata: unknown }) => ({
  ...{ id, object: 'conversation', created_at: createdAt },
  metadata,
})

/** The id in a `conversation` field; undefined if it has none. */
export function conversationIn(field: unknown): string | undefined {
  const id = isObject(field) ? field.id : field
  return typeof id === 'string' ? id : undefined
}

const withResponse = /^response\.(created|queued|in_progress|completed|incomplete|failed|cancelled)$/

/** The bytes of an event with the conversation of its response added; unchanged if it has no response. */
export const inConversation = ({ event, raw }: Frame, id: string): Uint8Array =>
  event !== undefined && withResponse.test(event)
    ? editEvent(raw, new Map([['conversation', () => JSON.stringify({ id })]]), 'response')
    : raw

/** The error for a request that names both a previous response and a conversation. */
export const twoPasts = () =>
  new GatewayError('invalid_value', 'Send previous_response_id or conversation, not both.', { param: 'conversation' })
