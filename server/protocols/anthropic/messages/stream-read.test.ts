/** An upstream's streams, good and bad, as events. */
import { describe, expect, test } from 'bun:test'
import type { Memo } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { messagesReader } from './stream-read.ts'

const codecContext = { now: () => 5000, id: (prefix: string) => `${prefix}fresh` }
const noMemo: Memo = { toolNames: {}, wrappedTools: [] }

function read(stream: string | Uint8Array[], memo = noMemo, broke?: GatewayError): ConversationEvent[] {
  const splitter = createSseSplitter()
  const reader = messagesReader(memo, codecContext)
  const pieces = typeof stream === 'string' ? [Buffer.from(stream)] : stream
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(broke), ...reader.end(undefined)]
}

const event = (type: string, fields: Record<string, unknown> = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const begin = event('message_start', { message: { id: 'msg_1', model: 'up', usage: { input_tokens: 10, output_tokens: 1 } } })
const start = (index: number, content_block: unknown) => event('content_block_start', { index, content_block })
const delta = (index: number, fields: unknown) => event('content_block_delta', { index, delta: fields })
const text = (index: number, words: string) => delta(index, { type: 'text_delta', text: words })
const json = (index: number, words: string) => delta(index, { type: 'input_json_delta', partial_json: words })
const close = (index: number) => event('content_block_stop', { index })
const finish = (reason: string) =>
  event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } })
const stop = event('message_stop')
const tool = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'look', input })
const plain = { type: 'text', text: '' }

/** One line for each event that carries content. */
function reported(events: ConversationEvent[]): string[] {
  return events.flatMap((one) => {
    switch (one.kind) {
      case 'open':
        return [`${one.at}+${one.part.kind}`]
      case 'close':
        return [`${one.at}-`]
      case 'delta':
        return [
          `${one.at}:${'text' in one.delta ? one.delta.text : 'opaque' in one.delta ? `<${one.delta.opaque.kind} ${one.delta.opaque.value}>` : '?'}`,
        ]
      case 'finish':
        return [`finish ${one.finish.reason}`]
      case 'error':
        return [`error ${one.error.code}`]
      case 'end':
        return ['end']
      default:
        return []
    }
  })
}
const answer = (content: string, reason = 'end_turn') => reported(read(begin + content + finish(reason) + stop))

describe('tool calls', () => {
  test('T16: calls after thoughts and text have places of their own', () => {
    const content =
      start(0, { type: 'thinking' }) +
      delta(0, { type: 'thinking_delta', thinking: 'hm' }) +
      close(0) +
      start(1, plain) +
      text(1, 'a') +
      close(1)
    const calls = start(2, tool('x')) + json(2, '{"a":') + json(2, '1}') + close(2) + start(3, tool('y')) + json(3, '{}') + close(3)
    expect(answer(content + calls, 'tool_use')).toEqual([
      ...['0+reasoning', '0:hm', '0-', '1+text', '1:a', '1-', '2+call', '2:{"a":', '2:1}', '2-', '3+call', '3:{}', '3-'],
      ...['finish tool-calls', 'end'],
    ])
  })

  test('T19: an input that comes with the opening is neither lost nor sent twice', () => {
    expect(answer(start(0, tool('x', { a: 1 })) + close(0))).toEqual(['0+call', '0:{"a":1}', '0-', 'finish tool-calls', 'end'])
    expect(answer(start(0, tool('x', { a: 1 })) + json(0, '{"a":2}') + close(0))).toEqual([
      '0+call',
      '0:{"a":2}',
      '0-',
      'finish tool-calls',
      'end',
    ])
  })

  test('T21: a tool without arguments has an empty object', () => {
    expect(answer(start(0, tool('x')) + json(0, '') + close(0))).toEqual(['0+call', '0:{}', '0-', 'finish tool-calls', 'end'])
  })

  test('T27: arguments that were cut by the limit stay cut', () => {
    expect(answer(start(0, tool('x')) + json(0, '{"a":"b') + close(0), 'max_tokens')).toEqual([
      '0+call',
      '0:{"a":"b',
      '0-',
      'finish length',
      'end',
    ])
  })

  test('names go back to the client’s, and wrapped text is unwrapped', () => {
    const memo = { toolNames: { look: 'my.look' }, toolSpaces: { look: 'eyes' }, wrappedTools: [] }
    expect(read(begin + start(0, tool('x')), memo)).toContainEqual({
      kind: 'open',
      choice: 0,
      at: 0,
      part: { kind: 'call', callId: 'x', name: 'my.look', namespace: 'eyes', form: 'json' },
    })
    const wrapped = { toolNames: {}, wrappedTools: ['look'] }
    const stream = (input: string) =>
      reported(read(begin + start(0, tool('x')) + json(0, input.slice(0, 5)) + json(0, input.slice(5)) + close(0) + stop, wrapped))
    expect(stream('{"input":"a \\"b\\"\\n"}')).toContain('0:a "b"\n')
    expect(stream('{"input":"a')).toContain('0:{"input":"a')
  })
})

describe('thoughts', () => {
  const thought = { type: 'thinking', thinking: '', signature: '' }
  const sign = (signature: string) => delta(0, { type: 'signature_delta', signature })

  test('T33: a seal in pieces leaves as one, with or without words', () => {
    expect(answer(start(0, thought) + sign('ab') + sign('cd') + close(0))).toEqual([
      '0+reasoning',
      '0:<signature abcd>',
      '0-',
      'finish stop',
      'end',
    ])
    expect(answer(start(0, { ...thought, signature: 'whole' }) + close(0))).toContain('0:<signature whole>')
  })

  test('T34: thoughts, a call, thoughts, text, each in its own part', () => {
    const think = (index: number) => start(index, thought) + delta(index, { type: 'thinking_delta', thinking: `t${index}` }) + close(index)
    const content = think(0) + start(1, tool('x')) + json(1, '{}') + close(1) + think(2) + start(3, plain) + text(3, 'done') + close(3)
    expect(answer(content)).toEqual([
      ...[
        '0+reasoning',
        '0:t0',
        '0-',
        '1+call',
        '1:{}',
        '1-',
        '2+reasoning',
        '2:t2',
        '2-',
        '3+text',
        '3:done',
        '3-',
        'finish tool-calls',
        'end',
      ],
    ])
  })

  test('a thought in a block of text opens a part of its own', () => {
    expect(answer(start(0, plain) + text(0, 'a') + delta(0, { type: 'thinking_delta', thinking: 'hm' }) + text(0, 'b') + close(0))).toEqual(
      [...['0+text', '0:a', '0-', '1+reasoning', '1:hm', '1-', '2+text', '2:b', '2-', 'finish stop', 'end']],
    )
  })

  test('T35: what may not be seen is carried', () => {
    expect(answer(start(0, { type: 'redacted_thinking', data: 'blob' }) + close(0))).toEqual([
      '0+reasoning',
      '0:<redacted blob>',
      '0-',
      'finish stop',
      'end',
    ])
  })
})

test('tools of the vendor come whole, when they are whole', () => {
  const use =
    start(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }) + json(0, '{"query":') + json(0, '"q"}') + close(0)
  const found = start(1, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }) + close(1)
  const summary = start(2, { type: 'compaction', content: null }) + delta(2, { type: 'compaction_delta', content: 'So far.' }) + close(2)
  const natives = read(begin + use + found + summary + finish('end_turn') + stop).filter(({ kind }) => kind === 'open')
  expect(natives.map((one) => (one.kind === 'open' && one.part.kind === 'native' ? one.part.raw : undefined))).toEqual([
    { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
    { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    { type: 'compaction', content: 'So far.' },
  ])
})

describe('how it ends', () => {
  const content = start(0, plain) + text(0, 'hi')

  test('T05, T06, T07: without a reason to end, or broken, it is an error', () => {
    expect(reported(read(begin + content))).toEqual(['0+text', '0:hi', 'error upstream_error'])
    expect(reported(read(begin + content, noMemo, new GatewayError('upstream_timeout', 'x')))).toEqual([
      '0+text',
      '0:hi',
      'error upstream_timeout',
    ])
    expect(reported(read(''))).toEqual(['error upstream_error'])
    expect(reported(read(begin + content + finish('end_turn')))).toEqual(['0+text', '0:hi', '0-', 'finish stop', 'end'])
    expect(reported(read(begin + content + stop))).toEqual(['0+text', '0:hi', '0-', 'finish stop', 'end'])
    expect(reported(read(`${begin + content + finish('end_turn')}data: {"typ`))).toEqual(['0+text', '0:hi', '0-', 'finish stop', 'end'])
    expect(reported(read(stop))).toEqual(['error upstream_error'])
  })

  test('T07: usage of what was delivered before the break is reported', () => {
    const usage = read(begin + content + text(0, '12345678')).findLast((one) => one.kind === 'usage')
    expect(usage).toMatchObject({ usage: { in: { fresh: 10 }, out: { total: 4 }, provenance: 'partial' } })
  })

  test('T08, T09: errors, first and late', () => {
    const error = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })
    expect(read(error)).toMatchObject([{ kind: 'error', error: { status: 503 } }])
    expect(reported(read(begin + content + error + stop))).toEqual(['0+text', '0:hi', 'error upstream_error'])
  })

  test('T40: reasons that are refusals', () => {
    expect(answer('', 'refusal')).toEqual(['finish content-filter', 'end'])
    const reasons = { pause_turn: 'paused', model_context_window_exceeded: 'context-full', later_reason: 'stop', constructor: 'stop' }
    for (const [raw, reason] of Object.entries(reasons)) expect(answer('', raw)).toEqual([`finish ${reason}`, 'end'])
  })

  test('unfinished business', () => {
    for (const odd of ['data: {"a"\n\n', 'data: []\n\n', 'data: hello\n\n'])
      expect(reported(read(begin + odd))).toEqual(['error upstream_error'])
    for (const quiet of ['data: [DONE]\n\n', 'data: {"type":"later"}\n\n', ': hi\n\n', 'data: {}\n\n', event('ping')])
      expect(reported(read(begin + quiet + finish('end_turn') + stop))).toEqual(['finish stop', 'end'])
  })
})

test('T38, 4.0: usage missing, null or late', () => {
  const bare = event('message_start', { message: { id: 'm' } })
  const late = event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { input_tokens: 7, output_tokens: 2 } })
  expect(read(bare + late + stop).filter(({ kind }) => kind === 'usage')).toMatchObject([
    { usage: { in: { fresh: 7 }, out: { total: 2 } } },
  ])
  const never = event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: null })
  expect(read(bare + never + stop).map(({ kind }) => kind)).toEqual(['start', 'finish', 'end'])
})

test('an upstream that begins twice, or not at all', () => {
  expect(read(begin + begin + finish('end_turn') + stop).filter(({ kind }) => kind === 'start')).toHaveLength(1)
  expect(read(start(0, plain) + text(0, 'x') + finish('end_turn') + stop)[0]).toEqual({
    kind: 'start',
    id: 'msg_fresh',
    model: '',
    created: 5,
  })
})

test('T01, T02, T03: framing of any kind', () => {
  const crlf = (begin + start(0, plain) + text(0, '日本🎉') + finish('end_turn') + stop).replaceAll('\n', '\r\n')
  expect(reported(read([...Buffer.from(crlf)].map((byte) => Uint8Array.of(byte))))).toContain('0:日本🎉')
  const folded = 'event: content_block_delta\ndata: {"index":0,\ndata:"delta":{"type":"text_delta","text":"x"}}\n\n'
  expect(reported(read(`\ufeff${begin}: comment\nretry: 5\n\ndata:\n\n${folded}${stop}`))).toContain('0:x')
})

test('T04: one event of three megabytes, in linear time', () => {
  const big = Buffer.from(begin + text(0, 'x'.repeat(3_000_000)) + finish('end_turn') + stop)
  const pieces = Array.from({ length: Math.ceil(big.length / 65536) }, (_, index) => big.subarray(index * 65536, (index + 1) * 65536))
  const before = threadNow()
  expect(reported(read(pieces)).some((line) => line.length > 3_000_000)).toBe(true)
  expect(threadNow() - before).toBeLessThan(2000)
})

describe('whatever comes, the order holds', () => {
  const blocks = [plain, { type: 'thinking' }, tool('x'), { type: 'redacted_thinking', data: 'd' }, { type: 'later', a: 1 }, null, 5, {}]
  const pieces = [
    { type: 'text_delta', text: 'a' },
    { type: 'thinking_delta', thinking: 'b' },
    { type: 'input_json_delta', partial_json: '{' },
    { type: 'signature_delta', signature: 's' },
    { type: 'citations_delta', citation: { type: 'char_location' } },
    { type: 'later_delta', x: 1 },
    { type: 'text_delta', text: 5 },
    null,
  ]

  function noise(seed: number): string {
    const random = seeded(seed)
    const index = () => random.pick([0, 0, 1, 2, -1, 1e9, 0.5])
    const one = () => {
      switch (random.below(12)) {
        case 0:
          return begin
        case 1:
        case 2:
        case 3:
          return start(index(), blocks[random.below(blocks.length)])
        case 4:
        case 5:
        case 6:
          return delta(index(), pieces[random.below(pieces.length)])
        case 7:
          return close(index())
        case 8:
          return random.pick([
            finish('end_turn'),
            finish('tool_use'),
            event('message_delta'),
            event('message_delta', { usage: { output_tokens: -5 } }),
          ])
        case 9:
          return random.pick([stop, event('ping'), ': x\n\n', event('content_block_start'), event('message_start', { message: 5 })])
        default:
          return random.pick([
            'data: {"index":"x","type":"content_block_delta","delta":{"type":"text_delta","text":"q"}}\n\n',
            event('later'),
          ])
      }
    }
    return Array.from({ length: random.below(40) }, one).join('')
  }

  test('starts once and first, opens and closes once, ends once and last', () => {
    for (let seed = 1; seed <= 2000; seed++) {
      const events = read(noise(seed))
      const kinds = events.map(({ kind }) => kind)
      const last = kinds.at(-1)
      expect({ seed, last, ends: kinds.filter((kind) => kind === 'end' || kind === 'error').length }).toEqual({
        seed,
        last: last === 'end' ? 'end' : 'error',
        ends: 1,
      })
      if (kinds.length > 1)
        expect({ seed, first: kinds[0], starts: kinds.filter((kind) => kind === 'start').length }).toEqual({
          seed,
          first: 'start',
          starts: 1,
        })
      const open = new Set<number>()
      const used = new Set<number>()
      let isFinished = false
      for (const one of events) {
        if (one.kind === 'open') {
          expect({ seed, reused: used.has(one.at), late: isFinished }).toEqual({ seed, reused: false, late: false })
          open.add(one.at)
          used.add(one.at)
        }
        if (one.kind === 'delta') expect({ seed, isOpen: open.has(one.at) }).toEqual({ seed, isOpen: true })
        if (one.kind === 'close') expect({ seed, wasOpen: open.delete(one.at) }).toEqual({ seed, wasOpen: true })
        if (one.kind === 'finish') {
          expect({ seed, open: open.size, again: isFinished }).toEqual({ seed, open: 0, again: false })
          isFinished = true
        }
        if (one.kind === 'end') expect({ seed, isFinished }).toEqual({ seed, isFinished: true })
      }
    }
  })

  test('an upstream that opens blocks without end fills no memory', () => {
    const endless = begin + Array.from({ length: 1000 }, (_, index) => start(index, plain)).join('')
    expect(reported(read(endless)).at(-1)).toBe('error upstream_error')
  })
})
