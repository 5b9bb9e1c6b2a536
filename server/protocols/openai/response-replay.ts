/** A finished response as the stream that it would have been: for clients that read it again with `stream=true`. */
import { isObject } from '#shared/json'

type Fields = Record<string, unknown>

/**
 * The bytes of every event after `startingAfter`, by sequence numbers from zero. Texts and arguments are one delta each; an item without
 * deltas is sent whole.
 */
export function replayResponse(response: Fields, startingAfter = -1): string {
  const events: Fields[] = []
  const say = (type: string, fields: Fields) => events.push({ type, sequence_number: events.length, ...fields })
  const begun = { ...response, status: 'in_progress', output: [], usage: null, error: null, incomplete_details: null }
  say('response.created', { response: begun })
  say('response.in_progress', { response: begun })
  for (const [index, item] of listOf(response.output).entries()) if (isObject(item)) replayItem(item, index, say)
  const status = ['incomplete', 'failed', 'cancelled'].find((one) => one === response.status) ?? 'completed'
  say(`response.${status}`, { response })
  return events
    .slice(startingAfter + 1)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
}

type Say = (type: string, fields: Fields) => void

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function replayItem(item: Fields, output_index: number, say: Say): void {
  const place = { item_id: item.id, output_index }
  say('response.output_item.added', { output_index, item: opening(item) })
  if (item.type === 'message') {
    for (const [content_index, part] of listOf(item.content).entries())
      if (isObject(part)) replayPart(part, { ...place, content_index }, say)
  }
  if (item.type === 'function_call') {
    say('response.function_call_arguments.delta', { ...place, delta: item.arguments })
    say('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments })
  }
  if (item.type === 'custom_tool_call') {
    say('response.custom_tool_call_input.delta', { ...place, delta: item.input })
    say('response.custom_tool_call_input.done', { ...place, input: item.input })
  }
  if (item.type === 'reasoning') {
    for (const [summary_index, part] of listOf(item.summary).entries()) {
      const text = isObject(part) ? part.text : ''
      say('response.reasoning_summary_part.added', { ...place, summary_index, part: { type: 'summary_text', text: '' } })
      say('response.reasoning_summary_text.delta', { ...place, summary_index, delta: text })
      say('response.reasoning_summary_text.done', { ...place, summary_index, text })
      say('response.reasoning_summary_part.done', { ...place, summary_index, part })
    }
  }
  say('response.output_item.done', { output_index, item })
}

/** The item before any content. */
function opening(item: Fields): Fields {
  const status = item.status === undefined ? {} : { status: 'in_progress' }
  switch (item.type) {
    case 'message':
      return { ...item, ...status, content: [] }
    case 'function_call':
      return { ...item, ...status, arguments: '' }
    case 'custom_tool_call':
      return { ...item, ...status, input: '' }
    case 'reasoning':
      return { ...item, ...status, summary: [] }
    default:
      return { ...item, ...status }
  }
}

function replayPart(part: Fields, place: Fields, say: Say): void {
  if (part.type === 'refusal') {
    say('response.content_part.added', { ...place, part: { ...part, refusal: '' } })
    say('response.refusal.delta', { ...place, delta: part.refusal })
    say('response.refusal.done', { ...place, refusal: part.refusal })
  } else {
    say('response.content_part.added', { ...place, part: { ...part, text: '', annotations: [] } })
    say('response.output_text.delta', { ...place, delta: part.text, logprobs: [] })
    for (const [annotation_index, annotation] of listOf(part.annotations).entries()) {
      say('response.output_text.annotation.added', { ...place, annotation_index, annotation })
    }
    say('response.output_text.done', { ...place, text: part.text, logprobs: [] })
  }
  say('response.content_part.done', { ...place, part })
}
