/** Events as a client of this dialect gets them. */
import { describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'
import { noUsage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { conversation } from '#testing/conversions/conversation'
import { messagesWriter } from './stream-write.ts'

const codecContext = { now: () => 5000, id: (prefix: string) => `${prefix}fresh` }
const start: ConversationEvent = { kind: 'start', id: 'chatcmpl-1', model: 'up', created: 5 }
const open = (at: number, part: PartHead = { kind: 'text' }): ConversationEvent => ({ kind: 'open', choice: 0, at, part })
const delta = (at: number, piece: string | Delta): ConversationEvent => ({
  kind: 'delta',
  choice: 0,
  at,
  delta: typeof piece === 'string' ? { text: piece } : piece,
})
const close = (at: number): ConversationEvent => ({ kind: 'close', choice: 0, at })
const finish: ConversationEvent = { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } }
const end: ConversationEvent = { kind: 'end' }
const call = (callId: string): PartHead => ({ kind: 'call', callId, name: 'look', form: 'json' })

function write(...events: ConversationEvent[]): Record<string, unknown>[] {
  const writer = messagesWriter(conversation({ dialect: 'messages' }), codecContext)
  const bytes = Buffer.concat(events.map((event) => writer.push(event)))
  const splitter = createSseSplitter()
  const frames = [...splitter.push(bytes), ...splitter.end()]
  return frames.map((frame) => {
    const data = JSON.parse(frame.data ?? '')
    expect(frame.event).toBe(data.type)
    expect(frame.unfinished).toBe(false)
    return data
  })
}

/** One line for each event between the first and the last two. */
function blocks(...events: ConversationEvent[]): string[] {
  return write(start, ...events, finish, end)
    .slice(1, -2)
    .map(
      (event) =>
        `${event.index}${event.type === 'content_block_start' ? '+' : event.type === 'content_block_stop' ? '-' : ':'}${said(event)}`,
    )
}
function said({ content_block: block, delta: piece }: Record<string, unknown>): string {
  const { type, ...fields } = (block ?? piece ?? {}) as Record<string, unknown>
  if (block) return String(type)
  return Object.values(fields)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join()
}

test('the frame of a stream: a beginning with usage, an end with more of it', () => {
  const usage = noUsage()
  usage.in.fresh = 30
  usage.in.cacheRead = 60
  usage.in.cacheWrite.other = 10
  usage.out.total = 5
  expect(write(start, open(0), delta(0, 'hi'), close(0), { kind: 'usage', usage }, finish, end)).toEqual([
    {
      type: 'message_start',
      message: {
        id: 'msg_fresh',
        type: 'message',
        role: 'assistant',
        model: 'asked',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'content_block_stop', index: 0 },
    // T37, T38
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 30, cache_creation_input_tokens: 10, cache_read_input_tokens: 60, output_tokens: 5 },
    },
    { type: 'message_stop' },
  ])
})

describe('one block at a time', () => {
  test('T17: pieces of two calls that come mixed leave one after the other', () => {
    const lines = blocks(
      open(0, call('a')),
      open(1, call('b')),
      delta(0, '{"x":'),
      delta(1, '{"y"'),
      delta(0, '1}'),
      delta(1, ':2}'),
      close(1),
      close(0),
    )
    expect(lines).toEqual(['0+tool_use', '0:{"x":', '0:1}', '0-', '1+tool_use', '1:{"y":2}', '1-'])
  })

  test('T18: three calls one after another are three blocks', () => {
    const three = [0, 1, 2].flatMap((at) => [open(at, call(`c${at}`)), delta(at, '{}'), close(at)])
    expect(blocks(...three)).toEqual([0, 1, 2].flatMap((at) => [`${at}+tool_use`, `${at}:{}`, `${at}-`]))
  })

  test('what is not held back leaves in the tick it came', () => {
    const writer = messagesWriter(conversation(), codecContext)
    const lengths = [start, open(0), delta(0, 'a'), delta(0, 'b'), close(0), open(1, call('c')), delta(1, '{}')].map(
      (event) => writer.push(event).length > 0,
    )
    expect(lengths).toEqual([true, false, true, true, true, true, true])
  })

  test('a signature after the text is written only when more follows', () => {
    const thought = [
      open(1, { kind: 'reasoning', form: 'hidden' }),
      { kind: 'delta', choice: 0, at: 1, delta: { opaque: { dialect: 'messages', kind: 'signature', value: 'seal' } } } as const,
      close(1),
    ]
    const words = [open(0), delta(0, 'hi'), close(0)]
    const reported = ['0+text', '0:hi', '0-']
    expect(blocks(...words, ...thought)).toEqual(reported)
    expect(blocks(open(0), delta(0, 'hi'), ...thought, close(0))).toEqual(reported)
    expect(blocks(...words, ...thought, open(2, call('a')), close(2))).toEqual([
      ...reported,
      '1+thinking',
      '1:seal',
      '1-',
      '2+tool_use',
      '2-',
    ])
    expect(blocks(...thought)).toEqual(['0+thinking', '0:seal', '0-'])
  })

  test('T20: text right after a switch is not lost', () => {
    expect(
      blocks(
        open(0, { kind: 'reasoning', form: 'full' }),
        open(1),
        delta(0, 'hm'),
        delta(1, 'first'),
        close(0),
        delta(1, ' second'),
        close(1),
      ),
    ).toEqual([...['0+thinking', '0:hm', '0-', '1+text', '1:first', '1: second', '1-']])
  })

  test('T22, T24: empty parts leave no block and no gap', () => {
    expect(
      blocks(open(0), delta(0, ''), close(0), open(1, { kind: 'reasoning', form: 'summary' }), close(1), open(2), delta(2, 'x'), close(2)),
    ).toEqual([...['0+text', '0:x', '0-']])
  })

  test('T21: a call without arguments', () => {
    expect(blocks(open(0, call('a')), close(0))).toEqual(['0+tool_use', '0-'])
  })

  test('other choices are not written', () => {
    expect(
      blocks(
        { kind: 'open', choice: 1, at: 0, part: { kind: 'text' } },
        { kind: 'delta', choice: 1, at: 0, delta: { text: 'x' } },
        { kind: 'close', choice: 1, at: 0 },
      ),
    ).toEqual([])
  })
})

describe('thoughts', () => {
  const opaque = (kind: 'signature' | 'redacted', value: string, dialect: 'messages' | 'gemini' = 'messages'): Delta => ({
    opaque: { dialect, kind, value },
  })
  const full: PartHead = { kind: 'reasoning', form: 'full' }

  test('T33: one seal, whole and last, also without words', () => {
    expect(blocks(open(0, full), delta(0, 'a'), delta(0, opaque('signature', 'S')), delta(0, 'b'), close(0))).toEqual([
      '0+thinking',
      '0:a',
      '0:b',
      '0:S',
      '0-',
    ])
    expect(blocks(open(0, full), delta(0, opaque('signature', 'S')), close(0))).toEqual(['0+thinking', '0:S', '0-'])
    expect(blocks(open(0, full), delta(0, 'a'), delta(0, opaque('signature', 'S', 'gemini')), close(0))).toEqual([
      '0+thinking',
      '0:a',
      '0-',
    ])
  })

  test('T35: what may not be seen is a block of its own kind', () => {
    expect(
      write(start, open(0, { kind: 'reasoning', form: 'hidden' }), delta(0, opaque('redacted', 'blob')), close(0), finish, end)[1],
    ).toEqual({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'redacted_thinking', data: 'blob' },
    })
  })

  test('segments of a summary are paragraphs', () => {
    const { segment } = { segment: { segment: true as const } }
    expect(blocks(open(0, full), delta(0, segment), delta(0, 'a'), delta(0, segment), delta(0, 'b'), delta(0, segment), close(0))).toEqual([
      '0+thinking',
      '0:a',
      '0:\n\nb',
      '0-',
    ])
  })
})

test('T40: a refusal in words is text, and a reason of its own', () => {
  const events = write(start, open(0, { kind: 'refusal' }), delta(0, 'No.'), close(0), finish, end)
  expect(events[2]).toMatchObject({ delta: { type: 'text_delta', text: 'No.' } })
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'refusal' } })
})

test('citations from the web', () => {
  const citation = { kind: 'web' as const, url: 'https://u.org', title: 'T' }
  expect(write(start, open(0), delta(0, 'x'), delta(0, { citation }), close(0), finish, end)[3]).toMatchObject({
    delta: { type: 'citations_delta', citation: { type: 'web_search_result_location', url: 'https://u.org', title: 'T' } },
  })
})

test('parts of other dialects: words where there are any', () => {
  const native = (summary?: string): PartHead => ({ kind: 'native', dialect: 'responses', raw: {}, ...(summary && { summary }) })
  expect(blocks(open(0, native('Ran code.')), close(0), open(1, native()), close(1))).toEqual(['0+text', '0:Ran code.', '0-'])
  expect(blocks(open(0, { kind: 'media', media: 'audio' }), delta(0, { data: 'AAAA' }), delta(0, 'spoken'), close(0))).toEqual([
    '0+text',
    '0:spoken',
    '0-',
  ])
})

describe('failure', () => {
  const error = new GatewayError('upstream_error', 'Words.')

  test('T06, T09: an error event, and nothing after it', () => {
    const events = write(start, open(0), delta(0, 'x'), { kind: 'error', error }, close(0), finish, end)
    expect(events.at(-1)).toEqual({ type: 'error', error: { type: 'api_error', message: 'Words.', code: 'upstream_error' } })
    expect(events.map(({ type }) => type)).not.toContain('message_stop')
    expect(write({ kind: 'error', error })).toHaveLength(1)
  })

  test('an end without a reason is a failure too', () => {
    expect(write(start, open(0), delta(0, 'x'), close(0), end).at(-1)).toMatchObject({ type: 'error' })
  })
})

test('the vendor’s client puts mixed calls together', async () => {
  const writer = messagesWriter(conversation(), codecContext)
  const events = [
    start,
    open(0, call('a')),
    open(1, call('b')),
    delta(1, '{"y":[2,'),
    delta(0, '{"x":1}'),
    delta(1, '"日"]}'),
    close(0),
    close(1),
  ]
  const done: ConversationEvent = { kind: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: '' } }
  const stream = Buffer.concat([...events, done, end].map((event) => writer.push(event)))
  const headers = { 'content-type': 'text/event-stream' }
  const client = new Anthropic({ apiKey: 'k', maxRetries: 0, fetch: () => Promise.resolve(new Response(stream.toString(), { headers })) })
  const message = await client.messages.stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] }).finalMessage()
  expect(message).toMatchObject({
    stop_reason: 'tool_use',
    content: [
      { type: 'tool_use', id: 'a', input: { x: 1 } },
      { type: 'tool_use', id: 'b', input: { y: [2, '日'] } },
    ],
  })
})
