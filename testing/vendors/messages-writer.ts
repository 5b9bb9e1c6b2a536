/** Writes the answers of the scripted Messages vendor: whole, and as its stream of named events. */
import { signatureOf } from './messages-turns.ts'
import type { Reply, Tokens } from './scenarios.ts'
import type { Frame } from './vendor-play.ts'

/** What an answer needs besides the reply. */
export interface Written {
  id: string
  model: string
  /** One id per call of the reply. */
  callIds: string[]
}

const reasons = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal', filter: 'refusal' }

const reasonOf = (reply: Reply) => (reply.stopped !== undefined && reply.ending === 'stop' ? 'stop_sequence' : reasons[reply.ending])
const details = ({ ending }: Reply) =>
  ending === 'refusal' || ending === 'filter' ? { type: 'refusal', category: 'cyber', explanation: 'This looked like a break-in.' } : null

/** Input tokens exclude those read from and written to the cache. */
const usageOf = ({ fresh, cacheRead, cacheWrite, out, reasoning }: Tokens) => ({
  input_tokens: fresh,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
  output_tokens: out,
  output_tokens_details: { thinking_tokens: reasoning },
  service_tier: 'standard',
})

/** An answer that is not streamed. */
export function wholeMessage(reply: Reply, { id, model, callIds }: Written) {
  const thought = reply.thought.join('')
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought, signature: signatureOf(thought) }]),
      ...(reply.text.length === 0 ? [] : [{ type: 'text', text: reply.text.join(''), citations: null }]),
      ...reply.calls.map(({ name, args }, index) => ({ type: 'tool_use', id: callIds[index], name, input: args })),
    ],
    stop_reason: reasonOf(reply),
    stop_sequence: reply.stopped ?? null,
    stop_details: details(reply),
    container: null,
    usage: usageOf(reply.usage),
  }
}

const event = (type: string, fields: object, content = false): Frame => ({
  text: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
  content,
})

/** An error event of a stream. */
export const messagesErrorEvent = (type: string, message: string): string => event('error', { error: { type, message } }).text

/** Every event in the vendor's order, with a ping after the start of the first block. */
export function* messageEvents(reply: Reply, written: Written): Generator<Frame> {
  const usage = usageOf(reply.usage)
  const empty = { ...wholeMessage(reply, written), content: [], stop_reason: null, stop_sequence: null, stop_details: null }
  yield event('message_start', { message: { ...empty, usage: { ...usage, output_tokens: 1 } } })
  for (const [index, { start, deltas }] of [...blocks(reply, written)].entries()) {
    yield event('content_block_start', { index, content_block: start })
    if (index === 0) yield event('ping', {})
    for (const delta of deltas) yield event('content_block_delta', { index, delta }, true)
    yield event('content_block_stop', { index })
  }
  const delta = { stop_reason: reasonOf(reply), stop_sequence: reply.stopped ?? null, stop_details: details(reply), container: null }
  yield event('message_delta', { delta, usage })
  yield event('message_stop', {})
}

function* blocks(reply: Reply, { callIds }: Written): Generator<{ start: object; deltas: object[] }> {
  if (reply.thought.length > 0) {
    const signature = signatureOf(reply.thought.join(''))
    yield {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...reply.thought.map((thinking) => ({ type: 'thinking_delta', thinking })), { type: 'signature_delta', signature }],
    }
  }
  if (reply.text.length > 0) {
    yield { start: { type: 'text', text: '' }, deltas: reply.text.map((text) => ({ type: 'text_delta', text })) }
  }
  for (const [number, { name, args }] of reply.calls.entries()) {
    const json = Object.keys(args).length === 0 ? '' : JSON.stringify(args)
    const middle = Math.ceil(json.length / 2)
    // The vendor starts every input with an empty piece; an empty input has no other.
    const pieces = ['', json.slice(0, middle), json.slice(middle)].filter((piece, index) => index === 0 || piece !== '')
    yield {
      start: { type: 'tool_use', id: callIds[number], name, input: {} },
      deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    }
  }
}
