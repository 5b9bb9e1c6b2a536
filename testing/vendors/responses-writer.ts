/** Writes the answers of the scripted Responses vendor: the whole object with everything it echoes, and the event stream. */
import { type Fields, isObject, objects, textOf } from './body-checks.ts'
import type { Reply, Tokens } from './scenarios.ts'
import type { Frame } from './vendor-play.ts'

/** What an answer needs besides the reply. */
export interface ResponsesWritten {
  /** A number that is part of all ids of this answer. */
  number: number
  body: Fields
  callIds: string[]
  /** The encrypted state, if requested. */
  encrypted: string | undefined
}

const usageOf = ({ fresh, cacheRead, cacheWrite, out, reasoning }: Tokens) => ({
  input_tokens: fresh + cacheRead + cacheWrite,
  input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  output_tokens: out,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: fresh + cacheRead + cacheWrite + out,
})

const unfinished: Partial<Record<Reply['ending'], string>> = { length: 'max_output_tokens', filter: 'content_filter' }

/** The object around the output, with the settings of the request as the vendor interprets them. */
function around({ number, body }: ResponsesWritten, status: string): Fields {
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1_700_000_000,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    model: `${body.model}-2026-01-01`,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...(isObject(body.reasoning) ? body.reasoning : {}) },
    safety_identifier: null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...(isObject(body.text) ? body.text : {}) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: body.metadata ?? {},
  }
}

function finished(reply: Reply, written: ResponsesWritten, output: object[]): Fields {
  const reason = unfinished[reply.ending]
  return {
    ...around(written, reason === undefined ? 'completed' : 'incomplete'),
    ...(reason === undefined ? { completed_at: 1_700_000_001 } : { incomplete_details: { reason } }),
    output,
    usage: usageOf(reply.usage),
  }
}

/** One output item: as it opens, as it is done, and the events between. */
interface Item {
  opened: Fields
  done: Fields
  between: { type: string; fields: Fields; content?: boolean }[]
}

function* itemsOf(reply: Reply, { number, callIds, encrypted, body }: ResponsesWritten): Generator<Item> {
  if (reply.thought.length > 0)
    yield thoughtItem(reply.thought, `rs_${number}`, encrypted, isObject(body.reasoning) && body.reasoning.summary != null)
  if (reply.text.length > 0) yield messageItem(reply, `msg_${number}`)
  const freeText = objects(body.tools).filter(({ type }) => type === 'custom')
  for (const [index, { name, args }] of reply.calls.entries()) {
    const call = { call_id: callIds[index], name }
    if (freeText.some((tool) => tool.name === name)) yield customItem({ id: `ctc_${number}_${index}`, ...call }, textOf(args.input))
    else yield callItem({ id: `fc_${number}_${index}`, ...call }, JSON.stringify(args))
  }
}

function thoughtItem(thought: string[], id: string, encrypted: string | undefined, visible: boolean): Item {
  const text = thought.join('')
  const summary = { type: 'summary_text', text }
  const at = { item_id: id, summary_index: 0 }
  // The state in the opening item is not the final one.
  const state = (complete: boolean) => (encrypted === undefined ? {} : { encrypted_content: complete ? encrypted : 'unfinished' })
  return {
    opened: { type: 'reasoning', id, summary: [], ...state(false) },
    done: { type: 'reasoning', id, summary: visible ? [summary] : [], ...state(true) },
    between: visible
      ? [
          { type: 'response.reasoning_summary_part.added', fields: { ...at, part: { type: 'summary_text', text: '' } } },
          ...thought.map((delta) => ({ type: 'response.reasoning_summary_text.delta', fields: { ...at, delta }, content: true })),
          { type: 'response.reasoning_summary_text.done', fields: { ...at, text } },
          { type: 'response.reasoning_summary_part.done', fields: { ...at, part: summary } },
        ]
      : [],
  }
}

function messageItem({ text: pieces, ending }: Reply, id: string): Item {
  const text = pieces.join('')
  const refused = ending === 'refusal'
  const part = (said: string) =>
    refused ? { type: 'refusal', refusal: said } : { type: 'output_text', annotations: [], logprobs: [], text: said }
  const at = { item_id: id, content_index: 0 }
  const kind = refused ? 'response.refusal' : 'response.output_text'
  const item = { type: 'message', id, role: 'assistant' }
  return {
    opened: { ...item, status: 'in_progress', content: [] },
    done: { ...item, status: unfinished[ending] === undefined ? 'completed' : 'incomplete', content: [part(text)] },
    between: [
      { type: 'response.content_part.added', fields: { ...at, part: part('') } },
      ...pieces.map((delta) => ({
        type: `${kind}.delta`,
        fields: { ...at, delta, ...(refused ? {} : { logprobs: [], obfuscation: 'x7Qp' }) },
        content: true,
      })),
      { type: `${kind}.done`, fields: { ...at, ...(refused ? { refusal: text } : { text, logprobs: [] }) } },
      { type: 'response.content_part.done', fields: { ...at, part: part(text) } },
    ],
  }
}

function callItem(own: { id: string; call_id: string | undefined; name: string }, json: string): Item {
  const item = { type: 'function_call', ...own }
  const middle = Math.ceil(json.length / 2)
  const kind = 'response.function_call_arguments'
  return {
    opened: { ...item, status: 'in_progress', arguments: '' },
    done: { ...item, status: 'completed', arguments: json },
    between: [
      ...[json.slice(0, middle), json.slice(middle)].map((delta) => ({
        type: `${kind}.delta`,
        fields: { item_id: own.id, delta, obfuscation: 'k2' },
        content: true,
      })),
      { type: `${kind}.done`, fields: { item_id: own.id, name: own.name, arguments: json } },
    ],
  }
}

/** A call of a free-text tool; a model expresses it as the only argument of a function. */
function customItem(own: { id: string; call_id: string | undefined; name: string }, text: string): Item {
  const item = { type: 'custom_tool_call', ...own }
  const kind = 'response.custom_tool_call_input'
  const at = { item_id: own.id }
  return {
    opened: { ...item, input: '' },
    done: { ...item, input: text },
    between: [
      { type: `${kind}.delta`, fields: { ...at, delta: text }, content: true },
      { type: `${kind}.done`, fields: { ...at, input: text } },
    ],
  }
}

/** An answer that is not streamed. */
export const wholeResponse = (reply: Reply, written: ResponsesWritten): Fields =>
  finished(
    reply,
    written,
    [...itemsOf(reply, written)].map(({ done }) => done),
  )

const frame = (sequence_number: number, type: string, fields: object, content = false): Frame => ({
  text: `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`,
  content,
})

/** The flat error event; its number is higher than that of any event here. */
export const responsesErrorEvent = (code: string, message: string, at = 10_000): string =>
  frame(at, 'error', { code, message, param: null }).text

/** Every event in the vendor's order, numbered from 0. */
export function* responseEvents(reply: Reply, written: ResponsesWritten): Generator<Frame> {
  let number = 0
  const next = (type: string, fields: object, content = false) => frame(number++, type, fields, content)
  const output: Fields[] = []
  yield next('response.created', { response: around(written, 'in_progress') })
  yield next('response.in_progress', { response: around(written, 'in_progress') })
  for (const [output_index, { opened, done, between }] of [...itemsOf(reply, written)].entries()) {
    yield next('response.output_item.added', { output_index, item: opened })
    for (const { type, fields, content } of between) yield next(type, { output_index, ...fields }, content)
    yield next('response.output_item.done', { output_index, item: done })
    output.push(done)
  }
  const response = finished(reply, written, output)
  yield next(`response.${response.status}`, { response })
}
