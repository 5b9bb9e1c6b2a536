import { expect, test } from 'bun:test'
import { createSseSplitter } from '#shared/sse'
import { noMemo, testPen } from '#testing/conversions/codec-runs'
import { messagesCodec } from './codec.ts'

const answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hi', later: 1 }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}
const beyond = { container: { id: 'c' }, stop_details: null, context_management: { applied_edits: [] } }

test('fields of a whole answer without a place are reported by path', () => {
  const losses = (body: object) => messagesCodec.readResponse(JSON.stringify(body), noMemo, testPen()).losses?.map(({ field }) => field)
  expect(losses({ ...answer, content: [{ type: 'text', text: 'Hi', citations: null }] })).toBeUndefined()
  expect(losses({ ...answer, ...beyond })).toEqual(['container', 'context_management', 'content[0].later'])
})

test('of a stream, what its message and its end say', () => {
  const reader = messagesCodec.reader(noMemo, testPen())
  const { content: _, stop_reason: reason, ...message } = answer
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'message_delta', delta: { stop_reason: reason, container: beyond.container }, usage: answer.usage, context_management: {} },
    { type: 'message_stop' },
  ]
  const bytes = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
  for (const frame of createSseSplitter().push(Buffer.from(bytes))) reader.push(frame)
  expect(reader.losses?.().map(({ field }) => field)).toEqual(['context_management', 'container'])
})
