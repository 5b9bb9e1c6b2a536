/** Losses of streamed answers in each dialect: known as soon as they happen, and reported once. */
import { expect, test } from 'bun:test'
import type { Citation, ConversationRequest, Finish, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { joinLosses } from '#canonical/loss'
import type { Dialect } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { asEvents } from '#testing/conversions/answer-events'
import { answerWith, askedBy } from '#testing/conversions/answer-features'
import { noMemo, testPen } from '#testing/conversions/codec-runs'
import { call, named, text } from '#testing/conversions/conversation'
import { conversationCodecs } from './index.ts'

const page: Citation = { kind: 'document', title: 'A', citedText: 'It', raw: { type: 'page' } }
const web: Citation = { kind: 'web', url: 'https://example.com/', title: 'A', start: 0, end: 2 }
const cited = (words: string, ...citations: Citation[]): Part => ({ ...text(words), citations })
const sound: Part = { kind: 'media', media: 'audio', source: { data: 'UklGRg==' }, transcript: 'Words.' }
const picture: Part = { kind: 'media', media: 'image', source: { data: 'iVBORw==' }, mimeType: 'image/png' }
const refusal: Part = { kind: 'refusal', text: 'No.' }
const thought: Part = { kind: 'reasoning', text: ['Hm.'], form: 'full', opaque: [] }
const step = (summary?: string): Part => ({
  kind: 'native',
  dialect: 'gemini',
  raw: { executableCode: {} },
  ...(summary !== undefined && { summary }),
})

const streamed = (dialect: Dialect, parts: Part[], asked: ConversationRequest = askedBy(dialect)) => {
  const writer = conversationCodecs[dialect].writer(asked, testPen())
  const events = asEvents(answerWith({ row: '', name: '', parts: () => parts, of: () => undefined }, dialect))
  const said = Buffer.concat(events.map((event) => writer.push(event))).toString()
  return { losses: named(writer.losses()), said }
}

const everything = [
  thought,
  cited('It is so.', page, page),
  call('call_1', '["no object"]'),
  text('After.'),
  step(),
  step('Ran code.'),
  picture,
  sound,
  refusal,
]

test.each([
  ['chat', ['response.citations:dropped', 'response.order:adapted', 'response.native:dropped!', 'response.native:adapted']],
  [
    'completions',
    [
      'response.reasoning:dropped',
      'response.citations:dropped',
      'response.call:dropped!',
      'response.native:dropped!',
      'response.native:adapted',
      'response.media:dropped!',
      'response.refusal:adapted',
    ],
  ],
  ['responses', ['response.citations:dropped', 'response.native:dropped!', 'response.media:adapted']],
  [
    'messages',
    [
      'response.citations:dropped',
      'response.native:dropped!',
      'response.native:adapted',
      'response.media:dropped!',
      'response.refusal:adapted',
    ],
  ],
  [
    'gemini',
    ['response.citations:dropped', 'response.call.arguments:adapted', 'response.media.transcript:dropped', 'response.refusal:adapted'],
  ],
] as const)('%s tells what it cannot stream, each loss once', (dialect, losses) => {
  expect(streamed(dialect, everything).losses).toEqual([...losses])
})

test('what a dialect can express is not a loss', () => {
  for (const dialect of ['chat', 'responses', 'messages', 'gemini'] as const)
    expect([dialect, streamed(dialect, [thought, cited('It is so.', web), call('call_1')]).losses]).toEqual([dialect, []])
})

test('losses are known as they happen, and stay when the stream breaks', () => {
  const finish: Finish = { reason: 'stop', raw: '' }
  for (const dialect of ['responses', 'messages'] as const) {
    const writer = conversationCodecs[dialect].writer(askedBy(dialect), testPen())
    const push = (...events: ConversationEvent[]) => {
      for (const event of events) writer.push(event)
      return named(writer.losses())
    }
    expect(push({ kind: 'start', id: 'a', model: 'm', created: 1 }, { kind: 'open', choice: 0, at: 0, part: { kind: 'text' } })).toEqual([])
    expect(push({ kind: 'open', choice: 1, at: 0, part: { kind: 'text' } })).toEqual(['response.choices:dropped!'])
    expect(push({ kind: 'finish', choice: 0, finish }, { kind: 'end' })).toEqual(['response.choices:dropped!'])
  }
})

test('a Chat client that knows only functions gets one call, and one sound', () => {
  const asked = { ...askedBy('chat'), extensions: { chat: { functions: [] } } }
  const answer = [call('call_1', '{"n":1}'), call('call_2', '{"n":2}'), sound, sound]
  const { losses, said } = streamed('chat', answer, asked)
  expect(losses).toEqual(['response.call:dropped!', 'response.media:dropped!'])
  expect([said.match(/"name":/g)?.length, said.includes('\\"n\\":2'), said.match(/UklGRg/g)?.length]).toEqual([1, false, 1])
  const whole = answerWith({ row: '', name: '', parts: () => answer, of: () => undefined }, 'chat')
  expect(named(conversationCodecs.chat.writeResponse(whole, asked, testPen()).losses).sort()).toEqual([...losses].sort())
})

test('a Gemini stream reports sources that lose their position in non-ASCII text, and transcripts without audio', () => {
  const { losses, said } = streamed('gemini', [cited('日本', web)])
  expect(losses).toEqual(['response.citations.range:dropped'])
  expect(said).toContain('https://example.com/')
  const spoken = streamed('gemini', [{ kind: 'media', media: 'audio', source: { text: 'Words.' }, transcript: 'Words.' }])
  expect([spoken.losses, spoken.said.includes('"text":"Words."')]).toEqual([[], true])
})

test('a Gemini source that arrives after its text has ended is reported as lost, unless it is known', () => {
  const source = (uri: string) => ({ groundingMetadata: { groundingChunks: [{ web: { uri } }] } })
  const parts = [{ text: 'It is so.' }, { functionCall: { id: 'call_1', name: 'look', args: {} } }]
  const frames = (candidate: object) =>
    createSseSplitter().push(Buffer.from(`data: ${JSON.stringify({ candidates: [{ index: 0, ...candidate }] })}\n\n`))
  const read = (...candidates: object[]) => {
    const reader = conversationCodecs.gemini.reader(noMemo, testPen())
    const events = [...candidates.flatMap(frames).flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
    return { end: events.at(-1)?.kind, losses: named(reader.losses?.() ?? []) }
  }
  const first = { content: { parts } }
  expect(read(first, { finishReason: 'STOP', ...source('https://late.example/') })).toEqual({
    end: 'end',
    losses: ['response.citations:dropped'],
  })
  const known = source('https://example.com/')
  expect(read({ ...first, ...known }, { finishReason: 'STOP', ...known })).toEqual({ end: 'end', losses: [] })
  const segment = { segment: { startIndex: 90, endIndex: 99 }, groundingChunkIndices: [0] }
  const lost = { groundingMetadata: { ...known.groundingMetadata, groundingSupports: [segment] } }
  const body = JSON.stringify({ candidates: [{ ...first, finishReason: 'STOP', ...lost }] })
  expect(named(conversationCodecs.gemini.readResponse(body, noMemo, testPen()).losses ?? [])).toEqual(['response.citations:dropped'])
})

test('joined losses are reported once, in their order', () => {
  const loss = (field: string, what: 'adapted' | 'dropped') => ({ field, what, reason: 'r', meaning: false })
  const joined = joinLosses([loss('a', 'dropped'), loss('b', 'adapted')], undefined, [loss('a', 'dropped'), loss('a', 'adapted')])
  expect(named(joined)).toEqual(['a:dropped', 'b:adapted', 'a:adapted'])
})

test('in a Messages stream, early content of its first event and compaction usage are reported', () => {
  const usage = { input_tokens: 10, output_tokens: 1, iterations: [{ type: 'message', input_tokens: 10, output_tokens: 1 }] }
  const begun = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null }
  const frames = (message: object) => [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]
  const heard = (message: object) => {
    const reader = conversationCodecs.messages.reader(noMemo, testPen())
    const bytes = frames(message).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    const splitter = createSseSplitter()
    for (const frame of splitter.push(Buffer.from(bytes.join('')))) reader.push(frame)
    return named(reader.losses?.() ?? [])
  }
  expect(heard({ ...begun, usage: { input_tokens: 10, output_tokens: 1 } })).toEqual([])
  expect(heard({ ...begun, content: [{ type: 'text', text: 'Hello' }], stop_reason: 'end_turn', usage })).toEqual([
    'content:dropped!',
    'stop_reason:dropped',
    'usage.iterations:dropped',
  ])
})
