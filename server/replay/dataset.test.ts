/** What becomes an example of a data set, and what does not. */
import { expect, test } from 'bun:test'
import type { KeptRecord, PartHead } from '#bodies/record'
import type { LeftOutReason } from '#shared/console/body'
import { exampleOf } from './dataset.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
const call = { id: 'k', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
const said = (message: object, finish_reason = 'stop') => {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }]
  return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }
}

const response = {
  ...{ id: 'r', object: 'response', created_at: 1, model: 'm', status: 'completed' },
  output: [
    { type: 'message', id: 'i', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Yes.', annotations: [] }] },
  ],
}

interface Kept {
  address?: string
  question?: object
  answer?: object | string
  asked?: Partial<PartHead>
  answered?: Partial<PartHead>
}

function kept({ address = '/v1/chat/completions', question = {}, answer = said({ content: 'Yes.' }), asked, answered }: Kept): KeptRecord {
  const part = (head: Pick<PartHead, 'border'> & Partial<PartHead>, content: object | string) => {
    const body = new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content))
    return { headers: [], atMs: 0, bytes: body.length, ...head, body }
  }
  return {
    ...{ requestId: 'req_1', at: 0, userId: 'u', keyId: null },
    parts: [
      part({ border: 'client-request', method: 'POST', address, ...asked }, { model: 'm', messages, ...question }),
      part({ border: 'client-answer', status: 200, ...answered }, answer),
    ],
  }
}

const lineOf = (record: KeptRecord, form: 'evals' | 'fine-tuning'): unknown => {
  const example = exampleOf(record, form)
  return 'line' in example ? JSON.parse(example.line) : example
}

test('a conversation is its messages and the answer behind them, in both forms', () => {
  expect(lineOf(kept({}), 'fine-tuning')).toEqual({ messages: [...messages, { role: 'assistant', content: 'Yes.' }] })
  expect(lineOf(kept({}), 'evals')).toEqual({
    item: { request_id: 'req_1', input: messages, ideal: 'Yes.' },
    sample: { model: 'm', output_text: 'Yes.' },
  })
})

test('calls of tools go along, with the tools', () => {
  const record = kept({ question: { tools }, answer: said({ content: null, tool_calls: [call] }, 'tool_calls') })
  const calls = [{ ...call, id: 'call_1' }]
  expect(lineOf(record, 'fine-tuning')).toEqual({ messages: [...messages, { role: 'assistant', tool_calls: calls }], tools })
  expect(lineOf(record, 'evals')).toMatchObject({ item: { tools, ideal: '' }, sample: { output_text: '', output_tools: calls } })
})

test('other dialects and streams are written as chat', () => {
  const stream = [
    {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const record = kept({ address: '/v1/messages', question: { max_tokens: 9, system: 'Be short.', stream: true }, answer: stream.join('') })
  expect(lineOf(record, 'fine-tuning')).toEqual({
    messages: [{ role: 'system', content: 'Be short.' }, ...messages, { role: 'assistant', content: 'Yes.' }],
  })
})

test.each([
  ['not_chat', { address: '/v1/embeddings' }],
  ['not_chat', { address: '/v1/realtime', asked: { method: 'GET' } }],
  ['several_answers', { question: { n: 2 } }],
  ['incomplete', { asked: { leftOut: true } }],
  ['incomplete', { answered: { broken: 'cut' } }],
  ['incomplete', { answer: said({ content: 'Y' }, 'length') }],
  ['incomplete', { answer: said({ content: '' }) }],
  [
    'incomplete',
    { address: '/v1/responses', question: { input: 'Hi', messages: undefined, previous_response_id: 'resp_1' }, answer: response },
  ],
  ['incomplete', { address: '/v1/responses', question: { input: [{ type: 'item_reference', id: 'msg_1' }] }, answer: response }],
  ['refused', { answered: { status: 429 } }],
  ['refused', { answer: said({ content: 'N' }, 'content_filter') }],
  ['refused', { answer: said({ content: null, refusal: 'No.' }) }],
  ['unreadable', { answer: 'no JSON' }],
] as [LeftOutReason, Kept][])('%s: %j is no example', (leftOut, record) => {
  expect(exampleOf(kept(record), 'evals')).toEqual({ leftOut })
})
