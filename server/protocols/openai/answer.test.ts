/** Fields of the family's answers without a canonical equivalent. */
import { expect, test } from 'bun:test'
import type { ReadResponse } from '#canonical/codec'
import { chatCodec } from './chat/codec.ts'
import { completionsCodec } from './completions/codec.ts'
import { responsesCodec } from './responses/codec.ts'

const codecContext = { now: () => 5_000, id: (prefix: string) => `${prefix}made` }
const memo = { toolNames: {}, wrappedTools: [] }
const lost = ({ losses = [] }: ReadResponse) => losses.map(({ field, what, meaning }) => `${field} ${what}${meaning ? '!' : ''}`)

test('Chat: vendors’ additions are reported by path, bookkeeping is not', () => {
  const message = {
    role: 'assistant',
    content: [
      { type: 'mood', mood: [] },
      { type: 'text', text: 'a' },
    ],
    refusal: null,
    annotations: [],
  }
  const answer = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    system_fingerprint: 'fp',
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop', content_filter_results: {} }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
    prompt_filter_results: [{}],
  }
  const read = chatCodec.readResponse(JSON.stringify(answer), memo, codecContext)
  expect(read.choices[0]?.parts).toEqual([{ kind: 'text', text: 'a' }])
  expect(lost(read)).toEqual([
    'prompt_filter_results dropped!',
    'choices[0].content_filter_results dropped!',
    'choices[0].message.content[0].mood dropped!',
  ])
})

test('Completions and Responses: the same', () => {
  const text = { object: 'text_completion', choices: [{ index: 0, text: 'a', finish_reason: 'stop', prompt_logprobs: [1] }] }
  expect(lost(completionsCodec.readResponse(JSON.stringify(text), memo, codecContext))).toEqual(['choices[0].prompt_logprobs dropped!'])
  const content = [{ type: 'output_text', text: 'a', annotations: [], logprobs: [], mood: 'kind' }]
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
    ],
    parallel_tool_calls: true,
    moderation: { flagged: true },
  }
  expect(lost(responsesCodec.readResponse(JSON.stringify(response), memo, codecContext))).toEqual([
    'moderation dropped!',
    'output[0].content[0].mood dropped!',
  ])
})
