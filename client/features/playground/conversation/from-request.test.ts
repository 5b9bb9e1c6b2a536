import { expect, test } from 'bun:test'
import { fromRequest } from './from-request.ts'

test('messages and parameters are there, and the last question waits as the draft', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'find_order', arguments: '{"number":4471}' } }
  const { conversation, messages, leftOut } = fromRequest(
    {
      ...{ model: 'gpt-one', group: 'default', stream: true, stream_options: { include_usage: true } },
      messages: [
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: 'Where is 4471?' },
        { role: 'user', content: [{ type: 'text', text: 'Hurry.' }] },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'on its way' },
        { role: 'assistant', content: 'It is on its way.' },
        { role: 'user', content: 'And 4472?' },
      ],
      ...{ temperature: 0.25, max_completion_tokens: 300, stop: 'END', seed: 0, n: 1, reasoning_effort: 'low' },
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
      tools: [{ type: 'function', function: { name: 'find_order' } }],
    },
    1000,
  )
  expect(leftOut).toEqual([])
  expect(conversation).toMatchObject({ model: 'gpt-one', group: 'default', draft: 'And 4472?', title: 'Where is 4471?' })
  expect(conversation.settings).toMatchObject({
    ...{ system: 'Be short.', stream: true, stop: ['END'], seed: 0, effort: 'low', output: 'schema' },
    ...{ temperature: { on: true, value: 0.25 }, maxTokens: { on: true, value: 300 }, topP: { on: false } },
  })
  expect(JSON.parse(conversation.settings.tools)).toEqual([{ type: 'function', function: { name: 'find_order' } }])
  expect(messages.map(({ role, text }) => [role, text])).toEqual([
    ['user', 'Where is 4471?\n\nHurry.'],
    ['assistant', ''],
    ['tool', 'on its way'],
    ['assistant', 'It is on its way.'],
  ])
  expect(messages[1]).toMatchObject({ state: 'complete', calls: [{ id: 'call_1', name: 'find_order', arguments: '{"number":4471}' }] })
  expect(messages.map(({ parent }) => parent)).toEqual([null, ...messages.slice(0, -1).map(({ id }) => id)])
})

test('unsupported fields are listed', () => {
  const { messages, leftOut, conversation } = fromRequest(
    {
      model: 'gpt-one',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: {} },
            { type: 'text', text: 'What is this?' },
          ],
          name: 'ann',
        },
        { role: 'assistant', content: 'A cat.', tool_calls: [{ id: 'c', type: 'custom', custom: {} }] },
        { role: 'system', content: 'Now be long.' },
      ],
      ...{ temperature: 3, top_k: 4, stop: ['a', 'b', 'c', 'd', 'e'], n: 2, reasoning_effort: 'xhigh', seed: null, metadata: {} },
    },
    0,
  )
  expect(leftOut.sort()).toEqual([
    ...['messages[0].content[0]', 'messages[0].name', 'messages[1].tool_calls[0]', 'messages[2]'],
    ...['metadata', 'n', 'reasoning_effort', 'stop', 'temperature', 'top_k'],
  ])
  expect(messages.map(({ text }) => text)).toEqual(['What is this?', 'A cat.'])
  expect(conversation.settings).toMatchObject({ stream: false, stop: [], effort: null, temperature: { on: false } })
})
