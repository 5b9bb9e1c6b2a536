/** An unknown field in an upstream's stream is reported by its path, once, in any object of any event. */
import { expect, test } from 'bun:test'
import type { Dialect } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { noMemo, testPen } from '#testing/conversions/codec-runs'
import { conversationCodecs } from './index.ts'

const place = { output_index: 0, content_index: 0 }
const item = { type: 'message', id: 'i', content: [{ type: 'output_text', text: 'a', later: 1 }], later: 1 }

const streams: Record<Dialect, { events: object[]; losses: string[] }> = {
  chat: {
    events: [
      { id: 'a', later: 1, choices: [{ index: 0, later: 1, delta: { content: 'a', later: 1 } }] },
      { id: 'a', choices: [{ index: 0, delta: { content: 'b', later: 1, audio: { id: 'x', later: 1 } } }] },
      { id: 'a', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', later: 1 } }] } }] },
      { id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: { any: 1 } },
    ],
    losses: [
      ...['later', 'choices[0].later', 'choices[0].delta.later', 'choices[0].delta.audio.later'],
      'choices[0].delta.tool_calls[0].function.later',
    ],
  },
  completions: {
    events: [{ id: 'a', later: 1, choices: [{ index: 0, text: 'a', later: 1, finish_reason: 'stop' }] }],
    losses: ['later', 'choices[0].later'],
  },
  responses: {
    events: [
      { type: 'response.created', response: { id: 'a' }, later: 1 },
      { type: 'response.output_item.added', ...place, item: { type: 'message', id: 'i' } },
      { type: 'response.output_text.delta', ...place, delta: 'a', obfuscation: 'x', mood: 1 },
      { type: 'response.output_text.delta', ...place, delta: 'a', mood: 1 },
      { type: 'response.output_text.done', ...place, text: 'aa' },
      { type: 'response.output_item.done', ...place, item },
      { type: 'response.completed', response: { id: 'a', status: 'completed', output: [item], after: 1 } },
    ],
    losses: ['later', 'mood', 'output[0].content[0].later', 'output[0].later', 'after'],
  },
  messages: {
    events: [
      { type: 'message_start', message: { id: 'a', usage: { any: 1 }, later: 1 } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', mood: 1 } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a', tone: 1 } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a', tone: 1 } },
      { type: 'content_block_start', index: 1, content_block: { type: 'server_tool_use', any: 1 } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', after: 1 } },
      { type: 'message_stop' },
    ],
    losses: ['later', 'content[0].mood', 'content[0].tone', 'after'],
  },
  gemini: {
    events: [
      { later: 1, candidates: [{ index: 0, later: 1, content: { parts: [{ text: 'a', later: 1 }] } }] },
      { candidates: [{ index: 0, later: 1, finishReason: 'STOP' }] },
    ],
    losses: ['later', 'candidates[0].later', 'candidates[0].content.parts[0].later'],
  },
}

test.each(Object.keys(streams) as Dialect[])('%s', (dialect) => {
  const { events, losses } = streams[dialect]
  const reader = conversationCodecs[dialect].reader(noMemo, testPen())
  const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  const read = [
    ...createSseSplitter()
      .push(bytes)
      .flatMap((frame) => reader.push(frame)),
    ...reader.end(undefined),
  ]
  expect(read.at(-1)?.kind).toBe('end')
  expect((reader.losses?.() ?? []).map(({ field }) => field)).toEqual(losses)
})

const lossesOf = (dialect: Dialect, events: object[]) => {
  const reader = conversationCodecs[dialect].reader(noMemo, testPen())
  const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
  for (const frame of createSseSplitter().push(bytes)) reader.push(frame)
  return (reader.losses?.() ?? []).map(({ field }) => field)
}

test('an unknown kind of event is reported once; progress and repetitions are not', () => {
  const reported = ['response.mood.delta', 'response.mood.delta', 'response.audio.delta', 'response.web_search_call.searching']
  const known = ['response.output_text.done', 'response.mcp_call_arguments.delta', 'response.mcp_list_tools.completed', 'keepalive']
  expect(
    lossesOf(
      'responses',
      [...reported, ...known, 'evil\nname'].map((type) => ({ type, output_index: 0 })),
    ),
  ).toEqual(['events.response.mood.delta', 'events.response.audio.delta', 'events.*'])
  const block = { type: 'content_block_delta', index: 0, delta: { type: 'mood_delta', mood: 1 } }
  expect(lossesOf('messages', [{ type: 'ping' }, { type: 'message_mood' }, block, block])).toEqual([
    'events.message_mood',
    'events.mood_delta',
  ])
})
