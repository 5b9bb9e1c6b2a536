/**
 * A scripted vendor of the Messages API that behaves like the real one: it checks key, version, fields, turns and signatures, refuses in
 * the vendor's envelope, and streams events in the vendor's order. Written from the public API reference, not from Parley's codecs. Its
 * answers are defined in `scenarios.ts`.
 */

import { respondJson } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'
import { type Fields, isEmpty, isObject, mediaOf, objects, textOf } from './body-checks.ts'
import { type MessagesFault, thinks } from './messages-fault.ts'
import { lostThread, messagesFault } from './messages-rules.ts'
import { mergedTurns, type Turn } from './messages-turns.ts'
import { messageEvents, messagesErrorEvent, wholeMessage } from './messages-writer.ts'
import { type Asked, answerTo, type Media, type ToolResult } from './scenarios.ts'
import { play, tell } from './vendor-play.ts'

/** How the vendor differs from its defaults. */
export interface MessagesVendorOptions {
  /** Accepted keys; default `sk-vendor`. */
  keys?: string[]
  /** Known models; default `claude-test`. */
  models?: string[]
}

const headers = { 'request-id': 'req_vendor', 'anthropic-organization-id': 'org-secret' }
const overloaded: MessagesFault = { status: 529, type: 'overloaded_error', message: 'Overloaded' }

/** A refusal in the vendor's envelope. */
export const messagesError = ({ status, type, message }: MessagesFault, details?: object): Script =>
  respondJson(status, { type: 'error', error: { type, message, ...(details && { details }) }, request_id: 'req_vendor' }, headers)

/** Creates the vendor. */
export function messagesVendor(options: MessagesVendorOptions = {}): Script {
  const known = { keys: options.keys ?? ['sk-vendor'], models: options.models ?? ['claude-test'] }
  let answers = 0
  let calls = 0
  /** What the next request of a thread continues, by the id of the answer. */
  const threads = new Map<string, Fields>()
  return async (exchange) => {
    const { request } = exchange
    if (request.method !== 'POST' || !/^\/v1\/messages(\?beta=true)?$/.test(request.target)) {
      return messagesError({ status: 404, type: 'not_found_error', message: 'Not found' })(exchange)
    }
    const fault = messagesFault(request, known, (sent) => threaded(sent, threads))
    if (fault !== undefined) return messagesError(fault, fault === lostThread ? { error_code: 'thread_not_found' } : undefined)(exchange)
    const body = threaded(request.json() as Fields, threads) ?? {}
    const reply = answerTo(askedOf(body))
    if (!thinks(body)) reply.thought = []
    const callIds = reply.calls.map(() => `toolu_${++calls}`)
    const written = { id: `msg_${++answers}`, model: textOf(body.model), callIds }
    if (isObject(body.thread)) {
      const said = { role: 'assistant', content: wholeMessage(reply, written).content }
      threads.set(written.id, { ...body, messages: [...objects(body.messages), said] })
    }
    const { trouble, everyMs } = reply
    if (body.stream === true) {
      const error = messagesErrorEvent(overloaded.type, overloaded.message)
      // The real one answers 200 and then reports that it is overloaded.
      const frames = trouble === 'error-first' ? [{ text: error }] : messageEvents(reply, written)
      return play(exchange, { headers, frames, error, trouble, everyMs })
    }
    if (trouble === 'error-first' || trouble === 'error-late') return messagesError(overloaded)(exchange)
    await tell(exchange, wholeMessage(reply, written), headers, { trouble, everyMs })
  }
}

/** The whole conversation of a request: one that continues a thread sends only what is new. Undefined for an unknown thread. */
function threaded(body: Fields, threads: ReadonlyMap<string, Fields>): Fields | undefined {
  if (!isObject(body.thread) || body.thread.type !== 'continue') return body
  const before = threads.get(textOf(body.thread.previous_message_id))
  return before && { ...before, ...body, messages: [...objects(before.messages), ...objects(body.messages)] }
}

function askedOf(body: Fields): Asked {
  const turns = mergedTurns(body.messages)
  const spoken = turns.findLastIndex(({ role, blocks }) => role === 'user' && !blocks.some(({ type }) => type === 'tool_result'))
  const since = turns.slice(spoken + 1).filter((turn) => turn.role === 'user')
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  const tools = choice.type === 'none' ? [] : objects(body.tools).filter((tool) => choice.type !== 'tool' || tool.name === choice.name)
  return {
    system: typeof body.system === 'string' ? body.system : textIn(objects(body.system)),
    turns: turns.filter(({ blocks }) => textIn(blocks) !== '').map(({ role, blocks }) => `${role}: ${textIn(blocks)}`),
    said: textIn(turns[spoken]?.blocks ?? []),
    media: mediaIn(turns[spoken]?.blocks ?? []),
    results: since.flatMap(resultsOf),
    rounds: since.length,
    tools: tools.map((tool) => ({ name: textOf(tool.name), empty: isEmpty(tool.input_schema) })),
    forced: choice.type === 'any' || choice.type === 'tool',
    parallel: choice.disable_parallel_tool_use !== true,
    shaped: isObject(body.output_config) && isObject(body.output_config.format),
    stops: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(textOf) : [],
    limit: Number(body.max_tokens),
  }
}

const textIn = (blocks: Fields[]) =>
  blocks
    .filter(({ type }) => type === 'text')
    .map(({ text }) => textOf(text))
    .join('')

const mediaIn = (blocks: Fields[]): Media[] =>
  blocks.flatMap(({ source }) => (isObject(source) ? (mediaOf(textOf(source.media_type), source.data) ?? []) : []))

const resultsOf = (turn: Turn): ToolResult[] =>
  turn.blocks
    .filter(({ type }) => type === 'tool_result')
    .map(({ content, is_error }) => ({
      text: typeof content === 'string' ? content : textIn(objects(content)),
      failed: is_error === true,
      media: mediaIn(objects(content)),
    }))
