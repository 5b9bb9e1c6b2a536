/** Streams read and written: the cases of the protocol reference that concern Chat, by name, and garbage. */
import { describe, expect, test } from 'bun:test'
import type { CodecContext, Memo } from '#canonical/codec'
import type { ConversationRequest, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { noUsage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { chatCodec as chat } from './codec.ts'

const noMemo: Memo = { toolNames: {}, wrappedTools: [] }
function codecContext(): CodecContext {
  let made = 0
  return { now: () => 1_763_600_000_000, id: (prefix) => `${prefix}${++made}` }
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (delta: unknown, finish: string | null = null, index = 0) =>
  event({ id: 'chatcmpl-1', created: 5, model: 'up', choices: [{ index, delta, finish_reason: finish }] })
const calls = (...tool_calls: unknown[]) => chunk({ tool_calls })
const stop = chunk({}, 'stop')
const done = 'data: [DONE]\n\n'

function read(stream: string | Uint8Array, { broke, memo = noMemo, mean = 0 }: { broke?: GatewayError; memo?: Memo; mean?: number } = {}) {
  const splitter = createSseSplitter()
  const reader = chat.reader(memo, codecContext())
  const bytes = typeof stream === 'string' ? new TextEncoder().encode(stream) : stream
  const pieces = mean > 0 ? seeded(1).cut(bytes, mean) : [bytes]
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(broke)]
}

/** The parts that events amount to, by choice, and how they ended. */
function amount(events: ConversationEvent[], choice = 0) {
  const parts = new Map<number, { part: Extract<ConversationEvent, { kind: 'open' }>['part']; text: string }>()
  for (const each of events) {
    if (each.kind === 'open' && each.choice === choice) parts.set(each.at, { part: each.part, text: '' })
    const slot = each.kind === 'delta' && each.choice === choice ? parts.get(each.at) : undefined
    if (slot && each.kind === 'delta' && 'text' in each.delta) slot.text += each.delta.text
  }
  const said = [...parts.values()].map(({ part, text }) => (part.kind === 'call' ? [part.kind, part.name, text] : [part.kind, text]))
  const finish = events.find((each) => each.kind === 'finish' && each.choice === choice)
  return { said, finish: finish?.kind === 'finish' ? finish.finish.reason : undefined, last: events.at(-1)?.kind }
}

const asked = (more: Record<string, unknown> = {}): ConversationRequest =>
  chat.readRequest(JSON.stringify({ model: 'asked', messages: [{ role: 'user', content: 'x' }], stream: true, ...more }))

function write(events: ConversationEvent[], request = asked()) {
  const writer = chat.writer(request, codecContext())
  const text = Buffer.concat(events.map((each) => writer.push(each))).toString()
  const data = text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)))
  return { text, data, deltas: data.flatMap((each) => each.choices ?? []).map((each) => each.delta) }
}

const start: ConversationEvent = { kind: 'start', id: 'msg_1', model: 'up', created: 5 }
const open = (at: number, part: Extract<ConversationEvent, { kind: 'open' }>['part']): ConversationEvent => ({
  kind: 'open',
  choice: 0,
  at,
  part,
})
const text = (at: number, words: string): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta: { text: words } })
const close = (at: number): ConversationEvent => ({ kind: 'close', choice: 0, at })
const finish = (reason: 'stop' | 'refusal' | 'tool-calls' | 'paused'): ConversationEvent => ({
  kind: 'finish',
  choice: 0,
  finish: { reason, raw: 'x' },
})
const call = (name: string, form: 'json' | 'text' = 'json') => ({ kind: 'call', callId: `id_${name}`, name, form }) as const

describe('how a stream is framed and ends', () => {
  test('T01: CRLF, one byte at a time', () => {
    const stream = (chunk({ content: '日本🎉' }) + stop + done).replaceAll('\n', '\r\n')
    expect(amount(read(stream, { mean: 1 }))).toEqual({ said: [['text', '日本🎉']], finish: 'stop', last: 'end' })
  })

  test('T02: two data lines are one event', () => {
    expect(amount(read(`data: {"choices":[\ndata: {"delta":{"content":"a"}}]}\n\n${stop}${done}`)).said).toEqual([['text', 'a']])
  })

  test('T04: three megabytes in one event, and a hundred thousand small ones, in linear time', () => {
    const began = threadNow()
    const large = chunk({ content: 'x'.repeat(3_000_000) })
    expect(amount(read(large + stop + done, { mean: 64_000 })).last).toBe('end')
    const many =
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }) +
      calls({ index: 0, function: { arguments: 'x' } }).repeat(50_000)
    expect(amount(read(many + chunk({ content: 'y' }).repeat(50_000) + stop + done)).said[0]?.[2]).toHaveLength(50_000)
    expect(threadNow() - began).toBeLessThan(20_000)
  })

  test('T05: a finish and no terminator is a normal end', () => {
    expect(amount(read(chunk({ content: 'a' }) + stop))).toMatchObject({ finish: 'stop', last: 'end' })
    expect(amount(read(`${chunk({ content: 'a' }) + stop}data: [DO`)).last).toBe('end')
    expect(amount(read(chunk({ content: 'a' }) + stop, { broke: new GatewayError('upstream_timeout', 'x') })).last).toBe('end')
  })

  test('T06, T07: cut or broken before a finish is an error, never a stop', () => {
    for (const stream of [
      '',
      ': hi\n\n',
      chunk({ content: 'a' }),
      `${chunk({ content: 'a' })}data: {"cho`,
      chunk({ content: 'a' }) + stop + chunk({ content: 'b' }, null, 1),
    ]) {
      const events = read(stream)
      expect(amount(events)).toMatchObject({ finish: undefined, last: 'error' })
      expect(events.filter((each) => each.kind === 'error' || each.kind === 'end')).toHaveLength(1)
    }
    const broke = new GatewayError('upstream_timeout', 'x')
    expect(read(chunk({ content: 'a' }), { broke }).at(-1)).toEqual({ kind: 'error', error: broke })
    const { text: written } = write([start, open(0, { kind: 'text' }), text(0, 'a'), { kind: 'error', error: broke }])
    expect(written).toEndWith(
      'data: {"error":{"message":"x","type":"server_error","code":"upstream_timeout","param":null}}\n\ndata: [DONE]\n\n',
    )
    expect(written).not.toContain('"stop"')
  })

  test('T08, T09: an error object at any time ends it', () => {
    for (const before of ['', chunk({ content: 'a' })]) {
      const events = read(`${before}${event({ error: { message: 'x', code: 429 } })}${stop}${done}`)
      expect(events.at(-1)).toMatchObject({ kind: 'error', error: { code: 'upstream_rate_limited' } })
    }
    expect(read(`event: error\n${event({ message: 'x', type: 'server_error' })}`).at(-1)?.kind).toBe('error')
    expect(read(event({ choices: [{ index: 0, delta: {}, error: { code: 502 }, finish_reason: 'error' }] })).at(-1)?.kind).toBe('error')
    for (const finish_reason of ['abort', 'network_error'])
      expect(read(event({ choices: [{ index: 0, delta: {}, finish_reason }] })).at(-1)?.kind).toBe('error')
    expect(read(chunk({ content: 'a' }) + chunk({}, 'error') + done).at(-1)?.kind).toBe('error')
  })

  test('words after the finish, and a choice that never says its end before the terminator', () => {
    expect(amount(read(chunk({ content: 'a' }, 'stop') + chunk({ content: 'b' }) + done))).toMatchObject({
      said: [['text', 'ab']],
      finish: 'stop',
    })
    expect(amount(read(chunk({ content: 'a' }) + done))).toMatchObject({ finish: 'stop', last: 'end' })
    expect(read(done).at(-1)?.kind).toBe('error')
  })

  test('n=2: choices side by side', () => {
    const events = read(
      chunk({ content: 'a' }) + chunk({ content: 'b' }, null, 1) + chunk({ content: 'c' }) + chunk({}, 'length', 1) + stop + done,
    )
    expect(amount(events).said).toEqual([['text', 'ac']])
    expect(amount(events, 1)).toMatchObject({ said: [['text', 'b']], finish: 'length' })
    const { data } = write(events)
    expect(data.map((each) => each.choices[0].index)).toEqual([0, 0, 1, 1, 0, 0, 1])
    expect(data.filter((each) => each.choices[0].delta.role)).toHaveLength(2)
  })
})

describe('tool calls', () => {
  test('T16: calls are numbered among themselves', () => {
    const { deltas } = write([
      start,
      open(0, { kind: 'text' }),
      text(0, 'a'),
      close(0),
      open(1, call('f')),
      text(1, '{}'),
      close(1),
      open(3, call('g')),
      close(3),
    ])
    const written = deltas.flatMap((delta) => delta.tool_calls ?? [])
    expect(written.map((each) => [each.index, each.id, each.function.arguments])).toEqual([
      [0, 'id_f', ''],
      [0, undefined, '{}'],
      [1, 'id_g', ''],
      [1, undefined, '{}'],
    ])
  })

  test('T17: deltas of two calls, interleaved', () => {
    const stream =
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }) +
      calls({ index: 1, id: 'b', function: { name: 'g', arguments: '{' } }) +
      calls({ index: 0, function: { arguments: ':1}' } }, { index: 1, function: { arguments: '}' } })
    expect(amount(read(stream + stop + done))).toEqual({
      said: [
        ['call', 'f', '{"x":1}'],
        ['call', 'g', '{}'],
      ],
      finish: 'tool-calls',
      last: 'end',
    })
  })

  test('T18: three complete calls one after another, however they are distinguished', () => {
    const three = (of: (at: number) => Record<string, unknown>) =>
      [0, 1, 2].map((at) => calls({ ...of(at), type: 'function', function: { name: 'f', arguments: `{"at":${at}}` } })).join('')
    const shapes = [
      (at: number) => ({ index: 0, id: `c${at}` }),
      (at: number) => ({ index: at, id: `c${at}` }),
      () => ({ index: 0 }),
      () => ({}),
      (at: number) => ({ id: `c${at}` }),
      () => ({ id: '' }),
    ]
    for (const shape of shapes) {
      expect(amount(read(three(shape) + stop + done)).said).toEqual([0, 1, 2].map((at) => ['call', 'f', `{"at":${at}}`]))
    }
  })

  test('T19: id, name and arguments together, repeated every time, or without an index', () => {
    const whole = [['call', 'f', '{"a":1}']]
    const pieces = ['{"a"', ':1', '}']
    const shapes = [{ index: 0, id: 'a' }, { id: 'a' }, { index: 0 }, {}]
    for (const shape of shapes) {
      const stream = pieces.map((piece) => calls({ ...shape, function: { name: 'f', arguments: piece } })).join('')
      expect(amount(read(stream + stop + done)).said).toEqual(whole)
    }
    const late =
      calls({ index: 0, id: 'a', function: { arguments: '{"a"' } }) + calls({ index: 0, function: { name: 'f', arguments: ':1}' } })
    expect(amount(read(late + stop + done)).said).toEqual(whole)
    expect(amount(read(calls({ index: 0, id: 'a', function: { name: 'f', arguments: { a: 1 } } }) + stop + done)).said).toEqual(whole)
  })

  test('T20, T34: every switch opens a part of its own, and nothing is lost', () => {
    const stream =
      chunk({ reasoning_content: 'r' }) +
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }) +
      chunk({ reasoning: 's' }) +
      chunk({ content: 't' })
    expect(amount(read(stream + stop + done)).said).toEqual([
      ['reasoning', 'r'],
      ['call', 'f', '{}'],
      ['reasoning', 's'],
      ['text', 't'],
    ])
    const opens = read(stream + stop + done).flatMap((each) =>
      each.kind === 'open' ? [`+${each.at}`] : each.kind === 'close' ? [`-${each.at}`] : [],
    )
    expect(opens).toEqual(['+0', '-0', '+1', '-1', '+2', '-2', '+3', '-3'])
  })

  test('T21: no arguments', () => {
    expect(amount(read(calls({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }) + stop + done)).said).toEqual([
      ['call', 'f', ''],
    ])
    expect(JSON.stringify(write([start, open(0, call('f')), close(0)]).deltas.at(-1))).toBe(
      '{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}',
    )
    expect(write([start, open(0, call('f', 'text')), close(0)]).deltas).toHaveLength(2)
  })

  test('T22: empty pieces open nothing', () => {
    const empty = [
      { content: '' },
      { reasoning_content: '' },
      { refusal: '' },
      { tool_calls: [] },
      { tool_calls: [{}] },
      { role: 'assistant' },
      { annotations: [] },
      { images: [] },
      { audio: {} },
    ]
    const events = read(empty.map((delta) => chunk(delta)).join('') + stop + done)
    expect(events.map((each) => each.kind)).toEqual(['start', 'finish', 'end'])
    expect(write([start, open(0, { kind: 'text' }), text(0, ''), close(0)]).deltas).toHaveLength(1)
  })

  test('T27: the limit inside arguments', () => {
    expect(
      amount(read(calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{"a": tr' } }) + chunk({}, 'length') + done)),
    ).toMatchObject({
      said: [['call', 'f', '{"a": tr']],
      finish: 'length',
    })
  })

  test('renamed, in a namespace, wrapped', () => {
    const memo: Memo = { toolNames: { ns__f: 'f', up_g: 'g' }, toolSpaces: { ns__f: 'ns' }, wrappedTools: ['g'] }
    const stream =
      calls({ index: 0, id: 'a', function: { name: 'ns__f', arguments: '{}' } }) +
      calls({ index: 1, id: 'b', function: { name: 'up_g', arguments: '{"inp' } }) +
      calls({ index: 1, function: { arguments: 'ut":"a b"}' } })
    const events = read(stream + stop + done, { memo })
    expect(amount(events).said).toEqual([
      ['call', 'f', '{}'],
      ['call', 'g', 'a b'],
    ])
    expect(events.flatMap((each) => (each.kind === 'open' ? [each.part] : []))).toMatchObject([
      { namespace: 'ns', form: 'json' },
      { form: 'text' },
    ])
  })

  test('a caller of the oldest API gets what it knows', () => {
    const old = asked({ functions: [{ name: 'f' }] })
    const { data } = write([start, open(0, call('f')), text(0, '{"a":1}'), close(0), finish('tool-calls'), { kind: 'end' }], old)
    expect(data.map((each) => [each.choices[0].delta.function_call, each.choices[0].finish_reason])).toEqual([
      [undefined, null],
      [{ name: 'f', arguments: '' }, null],
      [{ arguments: '{"a":1}' }, null],
      [undefined, 'function_call'],
    ])
  })
})

describe('usage and finish', () => {
  const used = {
    ...noUsage(),
    in: { ...noUsage().in, fresh: 30, cacheRead: 60, cacheWrite: { '5m': 3, '1h': 3, other: 4 } },
    out: { ...noUsage().out, total: 5 },
  }
  const events: ConversationEvent[] = [
    start,
    open(0, { kind: 'text' }),
    text(0, 'a'),
    close(0),
    { kind: 'usage', usage: used },
    finish('stop'),
    { kind: 'end', tier: 'flex' },
  ]

  test('T38: usage comes before the finish, whichever the upstream sent first', () => {
    const stream = chunk({ content: 'a' }) + stop + event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }) + done
    expect(read(stream).map((each) => each.kind)).toEqual(['start', 'open', 'delta', 'usage', 'close', 'finish', 'end'])
  })

  test('T39: a usage chunk only for clients that requested it, and then exactly one', () => {
    expect(write(events).text).not.toContain('usage')
    const { data } = write(events, asked({ stream_options: { include_usage: true } }))
    expect(data.slice(0, -1).every((each) => each.usage === null)).toBe(true)
    expect(data.at(-1)).toMatchObject({
      choices: [],
      service_tier: 'flex',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 105,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      },
    })
  })

  test('id, time and model are the same in every chunk, and the client’s own', () => {
    const { data } = write(events)
    expect(new Set(data.map((each) => [each.id, each.created, each.model, each.object].join()))).toEqual(
      new Set(['chatcmpl-1,5,asked,chat.completion.chunk']),
    )
  })

  test('T40: a refusal with words is a stop beside them, one without is a filter', () => {
    expect(amount(read(chunk({ refusal: 'no' }) + stop + done))).toMatchObject({ said: [['refusal', 'no']], finish: 'refusal' })
    const word = (list: ConversationEvent[]) => write(list).data.at(-1).choices[0]
    expect(word([start, open(0, { kind: 'refusal' }), text(0, 'no'), close(0), finish('refusal')]).finish_reason).toBe('stop')
    expect(word([start, finish('refusal')]).finish_reason).toBe('content_filter')
    expect(word([start, finish('paused')])).toMatchObject({ finish_reason: 'stop', native_finish_reason: 'x' })
  })

  test('citations and log probabilities', () => {
    const annotations = [{ type: 'url_citation', url_citation: { start_index: 2, end_index: 4, title: 'T', url: 'https://a.example.com' } }]
    const logprobs = { content: [{ token: 'b', logprob: -1, bytes: [98], top_logprobs: [] }] }
    const stream =
      chunk({ content: 'ab' }) +
      calls({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }) +
      event({ choices: [{ index: 0, delta: { content: 'cd', annotations }, logprobs }] })
    const back = read(stream + stop + done)
    const found = back.flatMap((each) => (each.kind === 'delta' && !('text' in each.delta) ? [each.delta] : []))
    expect(found).toEqual([
      { logprobs: [{ token: 'b', logprob: -1, bytes: [98], top: [] }] },
      { citation: { kind: 'web', url: 'https://a.example.com', title: 'T', start: 0, end: 2 } },
    ])
    const { data } = write(back)
    expect(data.flatMap((each) => each.choices[0].delta.annotations ?? [])).toEqual(annotations)
    expect(data.flatMap((each) => each.choices[0].logprobs?.content ?? [])).toEqual(logprobs.content)
  })
})

test('garbage of every kind: the order of events holds, and nothing but a GatewayError ends it', () => {
  const odd = [
    1,
    -1,
    1e300,
    0.5,
    null,
    true,
    'x',
    '',
    [],
    {},
    [[]],
    [null],
    { a: { b: {} } },
    '\u0000',
    '__proto__',
    'constructor',
    [1, 'x', {}],
  ]
  for (let seed = 1; seed <= 400; seed++) {
    const random = seeded(seed)
    const any = (depth = 0): unknown => {
      const keys = [
        'choices',
        'delta',
        'message',
        'index',
        'content',
        'tool_calls',
        'function',
        'custom',
        'name',
        'arguments',
        'id',
        'finish_reason',
        'usage',
        'logprobs',
        'annotations',
        'audio',
        'images',
        'image_url',
        'reasoning_details',
        'extra_content',
        'refusal',
        'function_call',
      ] as const
      if (depth > 5 || random.below(4) === 0) return odd[random.below(odd.length)]
      const entries = Array.from({ length: random.below(5) }, () => [random.pick(keys as unknown as [string]), any(depth + 1)] as const)
      return random.below(3) === 0 ? entries.map(([, value]) => value) : Object.fromEntries(entries)
    }
    const stream = Array.from({ length: 6 }, () =>
      event(
        random.below(2)
          ? any()
          : { choices: [{ index: random.below(3), delta: any(2), finish_reason: random.pick([null, 'stop', 5, '']), logprobs: any(3) }] },
      ),
    ).join('')
    const events = read(stream + (random.below(2) ? done : ''))
    const kinds = events.map((each) => each.kind)
    expect(kinds.filter((kind) => kind === 'end' || kind === 'error')).toHaveLength(1)
    expect(['end', 'error']).toContain(kinds.at(-1) ?? '')
    if (kinds.length > 1) expect(kinds[0]).toBe('start')
    const openNow = new Set<string>()
    const used = new Set<string>()
    for (const each of events) {
      if (each.kind === 'open') {
        expect(used.has(`${each.choice}/${each.at}`)).toBe(false)
        used.add(`${each.choice}/${each.at}`)
        openNow.add(`${each.choice}/${each.at}`)
      }
      if (each.kind === 'delta' || each.kind === 'close') expect(openNow.has(`${each.choice}/${each.at}`)).toBe(true)
      if (each.kind === 'close') openNow.delete(`${each.choice}/${each.at}`)
      if (each.kind === 'finish') expect([...openNow].filter((key) => key.startsWith(`${each.choice}/`))).toEqual([])
    }
    write(events)
  }
})

/** Random events that Chat can express: one text or reasoning part at a time, calls in order. */
function randomEvents(seed: number): ConversationEvent[] {
  const random = seeded(seed)
  const events: ConversationEvent[] = [start]
  let before: Part['kind'] | undefined
  let sawCall = false
  let refused = false
  for (let at = 0; at < 1 + random.below(6); at++) {
    const kind = random.pick(['text', 'reasoning', 'call', 'call', 'refusal'] as const)
    if (kind === before && kind !== 'call') continue
    before = kind
    sawCall ||= kind === 'call'
    refused ||= kind === 'refusal'
    const place = events.filter((each) => each.kind === 'open').length
    const form = random.pick(['json', 'text'] as const)
    events.push(open(place, kind === 'call' ? { ...call(`f${place}`, form) } : kind === 'reasoning' ? { kind, form: 'full' } : { kind }))
    const words = kind === 'call' && form === 'json' ? ['{"a":', '"日本🎉 \\"', '}"}'] : ['a', '\n\n', '日本🎉', '{', '"']
    for (const word of kind === 'call' && form === 'json' ? words : words.slice(random.below(4))) events.push(text(place, word))
    events.push(close(place))
  }
  if (random.below(2)) events.push({ kind: 'usage', usage: { ...noUsage(), in: { ...noUsage().in, fresh: 1 + random.below(9) } } })
  const reason = sawCall ? 'tool-calls' : refused ? 'refusal' : 'stop'
  return [...events, { kind: 'finish', choice: 0, finish: { reason, raw: '' } }, { kind: 'end' }]
}

test('random events, written and read again under random chunking', () => {
  const kinds = new Set<string>()
  for (let seed = 1; seed <= 300; seed++) {
    const events = randomEvents(seed)
    const { text: written } = write(events, asked({ stream_options: { include_usage: true } }))
    const again = read(written, { mean: 1 + (seed % 50) })
    const before = amount(events)
    for (const [kind] of before.said) if (kind) kinds.add(kind)
    // Between two thoughts that were apart the wire has a blank line.
    const bare = (said: unknown[][]) =>
      said.map(([kind, ...rest]) => (kind === 'reasoning' ? [kind, String(rest[0]).replace(/^(\n\n)+/, '')] : [kind, ...rest]))
    expect({ seed, ...amount(again), said: bare(amount(again).said) }).toEqual({ seed, ...before, said: bare(before.said) })
    const usageOf = (list: ConversationEvent[]) => list.flatMap((each) => (each.kind === 'usage' ? [each.usage.in] : []))
    expect(usageOf(again)).toEqual(usageOf(events))
  }
  expect([...kinds].sort()).toEqual(['call', 'reasoning', 'refusal', 'text'])
})
