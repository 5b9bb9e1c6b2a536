/** Whole streams around one event: what must come before it and after it. */
import type { Dialect } from '#shared/ids'
import { message, response } from './answers.ts'

type Event = Record<string, unknown>

/** The stream as text, with the event or without it. */
export function streamAround(dialect: Dialect, event: Event | undefined, isThere: boolean): string {
  const frames = (events: readonly (Event | undefined)[]) =>
    events.flatMap((one) => (one === undefined ? [] : [frame(dialect, one)])).join('')
  const own = isThere ? event : undefined
  switch (dialect) {
    case 'chat':
    case 'completions':
      return `${frames(chunks(dialect, event, own))}data: [DONE]\n\n`
    case 'responses':
      return frames(numbered(responseEvents(event, own)))
    case 'messages':
      return frames(messageEvents(event, own))
    case 'gemini':
      return frames(candidateChunks(own))
  }
}

/** Whether the event itself has this somewhere: then the stream around it does not add it. */
const says = (event: Event | undefined, field: string): boolean => JSON.stringify(event ?? {}).includes(`"${field}":`)

function candidateChunks(own: Event | undefined): (Event | undefined)[] {
  // A blocked prompt has no candidates.
  if (says(own, 'blockReason')) return [own]
  const text = { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Bye' }] } }] }
  const first = says(own, 'candidates') ? [text, own] : [own, text]
  const last = { candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }] }
  return [...first, says(own, 'finishReason') ? undefined : last]
}

const frame = (dialect: Dialect, event: Event) =>
  `${dialect === 'responses' || dialect === 'messages' ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`

function chunks(dialect: 'chat' | 'completions', event: Event | undefined, own: Event | undefined): (Event | undefined)[] {
  const head = { id: 'c1', object: 'chat.completion.chunk', created: 1_764_000_000, model: 'asked' }
  const chunk = (content: object, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, ...content, finish_reason: finish }],
  })
  const ends = JSON.stringify(event ?? {}).includes('"finish_reason":"')
  const counts = own !== undefined && says(own, 'prompt_tokens')
  const text = dialect === 'chat' ? { delta: { role: 'assistant', content: 'Hello' } } : { text: 'Hello' }
  const last = dialect === 'chat' ? { delta: {} } : { text: '' }
  const usage = { ...head, choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }
  return [chunk(text), own, ends && own ? undefined : chunk(last, 'stop'), counts ? undefined : usage]
}

const block = (type: string): Event =>
  ({
    text: { type: 'text', text: '' },
    tool_use: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    thinking: { type: 'thinking', thinking: '', signature: '' },
    compaction: { type: 'compaction', content: null },
  })[type] ?? { type: 'text', text: '' }

const blockOf: Readonly<Record<string, string>> = {
  input_json_delta: 'tool_use',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  compaction_delta: 'compaction',
}

function messageEvents(event: Event | undefined, own: Event | undefined): (Event | undefined)[] {
  const started = {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'asked',
      content: [],
      usage: { input_tokens: 10, output_tokens: 1 },
    },
  }
  const text = [
    { type: 'content_block_start', index: 0, content_block: block('text') },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
  ]
  const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } }
  const stop = { type: 'message_stop' }
  const closed = { type: 'content_block_stop', index: 1 }
  switch (event?.type) {
    case 'message_start':
      return [own ?? started, ...text, ended, stop]
    case 'message_delta':
      return [started, ...text, own ?? ended, stop]
    case 'content_block_start':
      return own ? [started, ...text, own, closed, ended, stop] : [started, ...text, ended, stop]
    case 'content_block_stop': {
      const piece = { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Bye' } }
      return [started, ...text, { type: 'content_block_start', index: 1, content_block: block('text') }, piece, own, ended, stop]
    }
    case 'content_block_delta': {
      const type = blockOf[String((event.delta as Event | undefined)?.type)] ?? 'text'
      return [started, ...text, { type: 'content_block_start', index: 1, content_block: block(type) }, own, closed, ended, stop]
    }
    default:
      return [started, ...text, ended, event?.type === 'message_stop' ? stop : own, event?.type === 'message_stop' ? undefined : stop]
  }
}

/** The kinds of items that events other than those of a message belong to, by the prefix of the event's name. */
const itemOf: Readonly<Record<string, Event>> = {
  reasoning: { type: 'reasoning', summary: [] },
  function_call_arguments: { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '' },
  custom_tool_call_input: { type: 'custom_tool_call', call_id: 'call_1', name: 'look', input: '' },
  mcp_call: { type: 'mcp_call', name: 'look', server_label: 'here', arguments: '' },
  mcp_list_tools: { type: 'mcp_list_tools', server_label: 'here', tools: [] },
  web_search_call: { type: 'web_search_call', action: { type: 'search', query: 'x' } },
  file_search_call: { type: 'file_search_call', queries: [] },
  code_interpreter_call: { type: 'code_interpreter_call', code: '', container_id: 'c1', outputs: [] },
  image_generation_call: { type: 'image_generation_call', result: null },
  shell_call: { type: 'shell_call', call_id: 'call_1', action: { commands: [] } },
  apply_patch_call: { type: 'apply_patch_call', call_id: 'call_1', operation: { type: 'delete_file', path: 'a' } },
}

function responseEvents(event: Event | undefined, own: Event | undefined): (Event | undefined)[] {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const part = message.content[0]
  const created = { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } }
  const opened = [
    { type: 'response.output_item.added', output_index: 0, item: { ...message, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: 'Hello', logprobs: [] },
  ]
  const closed = [
    { type: 'response.output_text.done', ...place, text: 'Hello', logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item: message },
  ]
  const completed = { type: 'response.completed', response }
  const type = String(event?.type ?? '').replace(/^response\./, '')
  const text = [...opened, ...closed]
  if (type === nothing) return [created, { type: 'response.completed', response: { ...response, output: [] } }]
  if (['created', 'queued', 'in_progress'].includes(type))
    return [type === 'created' ? (own ?? created) : created, type === 'created' ? undefined : own, ...text, completed]
  if (['completed', 'incomplete', 'failed'].includes(type)) return [created, ...text, own ?? completed]
  if (/^(output_text|content_part|refusal)/.test(type)) return [created, ...opened, own, ...closed, completed]
  if (type === 'output_item.added' || type === 'output_item.done') {
    if (!own) return [created, ...text, completed]
    const { item } = own
    const pair = ['added', 'done'].map((when) => ({ type: `response.output_item.${when}`, output_index: 1, item }))
    return [created, ...text, ...pair, completed]
  }
  const item = itemFor(type)
  if (item === undefined) return [created, ...text, own, completed]
  const last = { ...item, ...(progress.test(type) && wholeThoughts[type.split(/[_.]/)[1] ?? '']), status: 'completed' }
  return [
    created,
    ...text,
    { type: 'response.output_item.added', output_index: 1, item },
    own,
    { type: 'response.output_item.done', output_index: 1, item: last },
    completed,
  ]
}

/** The final content of a reasoning item, by the second word of the events that repeat it. */
const wholeThoughts: Readonly<Record<string, Event>> = {
  summary: { summary: [{ type: 'summary_text', text: 'Hello' }] },
  text: { content: [{ type: 'reasoning_text', text: 'Hello' }] },
}

/** Stands for an answer without any item. */
const nothing = 'nothing'

function itemFor(type: string): Event | undefined {
  const kind = Object.keys(itemOf).find((name) => type.startsWith(name))
  return kind === undefined ? undefined : { id: 'item_1', status: 'in_progress', ...itemOf[kind] }
}

/** Events that report the progress of a piece, or repeat its content: they share its outcome. */
const progress = /\.(added|done|in_progress|completed|searching|interpreting|generating|failed)$|^content_block_stop$/

/**
 * The stream without the whole item or block that the event belongs to, and whether the event only reports its progress. Undefined for an
 * event that belongs to none.
 */
export function withoutItem(dialect: Dialect, event: Event | undefined): { stream: string; isProgress: boolean } | undefined {
  const type = String(event?.type ?? '')
  const isProgress = progress.test(type)
  if (type === 'content_block_stop') return { stream: streamAround(dialect, undefined, false), isProgress }
  if (dialect !== 'responses' || !type.startsWith('response.') || type.startsWith('response.output_item.')) return undefined
  const name = type.slice('response.'.length)
  const isOfText = /^(output_text|content_part|refusal)/.test(name)
  if (!itemFor(name) && !isOfText) return undefined
  return { stream: streamAround(dialect, { type: isOfText ? nothing : 'output_item.added' }, false), isProgress }
}

const numbered = (events: readonly (Event | undefined)[]) =>
  events.map((event, at) => (event === undefined ? undefined : { ...event, sequence_number: at }))
