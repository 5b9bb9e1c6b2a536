import { expect, test } from 'bun:test'
import { keptItem, readConversation, shownItem } from './conversations.ts'

const shown: [string, object, object][] = [
  [
    'a message without a type, of text',
    { role: 'user', content: 'plain' },
    { id: 'i0', type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'plain' }] },
  ],
  [
    'what a model said before',
    { role: 'assistant', content: 'said' },
    {
      ...{ id: 'i0', type: 'message', status: 'completed', role: 'assistant' },
      content: [{ type: 'output_text', text: 'said', annotations: [] }],
    },
  ],
  [
    'a message with parts, an id and a status',
    { id: 'msg_1', type: 'message', role: 'user', status: 'incomplete', content: [{ type: 'input_text', text: 'x' }] },
    { id: 'msg_1', type: 'message', role: 'user', status: 'incomplete', content: [{ type: 'input_text', text: 'x' }] },
  ],
  ...['function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output', 'computer_call_output'].map(
    (type): [string, object, object] => [
      `a ${type}, whose status is null or absent`,
      { type, call_id: 'c', id: null, status: null },
      { id: 'i0', type, call_id: 'c', status: 'completed' },
    ],
  ),
  ['what has no status', { type: 'reasoning', id: 'rs_1', summary: [] }, { id: 'rs_1', type: 'reasoning', summary: [] }],
  ['what nobody knows', { mood: 'kind' }, { id: 'i0', mood: 'kind' }],
]

test.each(shown)('lists of what was asked show %s as the vendor does', (_, item, expected) => {
  expect(shownItem(item, 'i0')).toEqual(expected as ReturnType<typeof shownItem>)
})

test('calls in a conversation have a status, and none that requests must not say', () => {
  const kept = (item: object) => JSON.parse(keptItem(item)?.json ?? '') as unknown
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  expect(kept(call)).toEqual({ ...call, status: 'completed' })
  expect(kept({ ...call, status: 'in_progress' })).toEqual({ ...call, status: 'in_progress' })
  const custom = { type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' }
  expect(kept(custom)).toEqual(custom)
})

test('items of a call keep the digits of their numbers', () => {
  const item = '{"type":"mcp_call","id":"m1","odd":{"id":12345678901234567890}}'
  expect(readConversation(`{"items":[${item}]}`).items?.[0]?.json).toContain('12345678901234567890')
})
