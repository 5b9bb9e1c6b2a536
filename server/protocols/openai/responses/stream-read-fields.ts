/** The fields of a stream's events that are read, or that only their upstream can make use of. */
import { type KnownFields, knownFields } from '#protocols/codec/known-fields'
import { placed, placedInContent, placedInItem } from './response-read.ts'

/** Fields of the final response. Its items were told by events of their own. */
export const responseFields = knownFields(placed.join(' '))

const content = knownFields(placedInContent.join(' '))

const items = new Map(
  Object.entries(placedInItem).map(([type, names]) => [type, knownFields(names.join(' '), type === 'message' ? { content } : {})]),
)

/** Undefined for an item of another type, which rides along as it is. */
export const itemFields = ({ type }: Record<string, unknown>): KnownFields | undefined => items.get(String(type))

const places = 'type sequence_number output_index item_id content_index'
/** `obfuscation` hides how long a delta is. */
const delta = knownFields(`${places} delta obfuscation`)
const withResponse = knownFields('type sequence_number response')
const withItem = knownFields(`${places} item`)

/** By the type of an event. All others repeat what came in pieces, or tell how far an item is that comes whole. */
const events = new Map<string, KnownFields>([
  ['response.created', withResponse],
  ['response.queued', withResponse],
  ['response.in_progress', withResponse],
  ['response.completed', withResponse],
  ['response.incomplete', withResponse],
  ['response.output_item.added', withItem],
  ['response.output_item.done', withItem],
  ['response.output_text.delta', knownFields(`${places} delta obfuscation logprobs`)],
  ['response.output_text.annotation.added', knownFields(`${places} annotation annotation_index`)],
  ['response.content_part.done', knownFields(places, { part: content })],
  ['response.refusal.delta', delta],
  ['response.reasoning_summary_text.delta', knownFields(`${places} delta obfuscation summary_index`)],
  ['response.reasoning_text.delta', delta],
  ['response.function_call_arguments.delta', delta],
  ['response.custom_tool_call_input.delta', delta],
])

/** The known fields of an event; undefined for types that are not read. */
export const knownIn = (type: string): KnownFields | undefined => events.get(type)
