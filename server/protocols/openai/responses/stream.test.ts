/** Streams in both directions: what upstreams leave out or mix up, and what clients get. */
import { describe, expect, test } from 'bun:test'
import type { FinishReason } from '#canonical/conversation'
import type { ConversationEvent, PartHead } from '#canonical/conversation-event'
import { noUsage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { responsesCodec as codec } from './codec.ts'

let fresh = 0
const codecContext = { now: () => 1_764_000_000_000, id: (prefix: string) => `${prefix}${++fresh}` }
const asked = codec.readRequest('{"model":"asked","input":"x","instructions":"Be."}')

type Fields = Record<string, unknown>
const event = (type: string, fields: Fields = {}) => `data: ${JSON.stringify({ type, ...fields })}\n\n`
const response = (fields: Fields = {}) => ({
  response: { id: 'resp_1', model: 'up', created_at: 5, status: 'completed', output: [], ...fields },
})
const created = event('response.created', response({ status: 'in_progress' }))
const completed = event('response.completed', response())
const delta = (type: string, text: string, fields: Fields = {}) =>
  event(`response.${type}.delta`, { output_index: 0, delta: text, ...fields })

/** Events that a stream is read as. */
function readStream(stream: string, memo = { toolNames: {}, wrappedTools: [] }, broke?: GatewayError): ConversationEvent[] {
  const splitter = createSseSplitter()
  const reader = codec.reader(memo, codecContext)
  const frames = [...splitter.push(Buffer.from(stream)), ...splitter.end()]
  const events = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(broke), ...reader.end(broke)]
  assertOrder(events)
  return events
}

/** The guarantees of the canonical stream, for any input. */
function assertOrder(events: ConversationEvent[]): void {
  const open = new Set<number>()
  const used = new Set<number>()
  let finished = false
  for (const [index, one] of events.entries()) {
    if (index === 0) expect(['start', 'error']).toContain(one.kind)
    else expect(one.kind).not.toBe('start')
    expect(index === events.length - 1).toBe(one.kind === 'end' || one.kind === 'error')
    if (one.kind === 'open') {
      expect(used.has(one.at) || finished).toBe(false)
      open.add(one.at)
      used.add(one.at)
    }
    if (one.kind === 'delta') expect(open.has(one.at)).toBe(true)
    if (one.kind === 'close') expect(open.delete(one.at)).toBe(true)
    if (one.kind === 'finish') {
      expect([open.size, finished]).toEqual([0, false])
      finished = true
    }
    if (one.kind === 'end') expect(finished).toBe(true)
  }
}

/** One line for each event, for tests that compare courses. */
function course(events: ConversationEvent[]): string[] {
  return events.flatMap((one) => {
    if (one.kind === 'open') return [`open ${one.at} ${one.part.kind}`]
    if (one.kind === 'delta')
      return [
        `${one.at} ${Object.values(one.delta)
          .map((value) => JSON.stringify(value))
          .join()}`,
      ]
    if (one.kind === 'close') return [`close ${one.at}`]
    if (one.kind === 'finish') return [`finish ${one.finish.reason}`]
    return one.kind === 'start' || one.kind === 'usage' ? [] : [one.kind]
  })
}

/** Frames that events are written as: their data. */
function write(events: ConversationEvent[], request = asked) {
  const writer = codec.writer(request, codecContext)
  const bytes = Buffer.concat(events.map((one) => writer.push(one)))
  return {
    bytes,
    frames: createSseSplitter()
      .push(bytes)
      .map(({ event: name, data }) => ({ name, ...JSON.parse(data ?? '{}') })),
  }
}

const start: ConversationEvent = { kind: 'start', id: 'chatcmpl-1', model: 'up', created: 7 }
const part = (at: number, head: PartHead, ...texts: string[]): ConversationEvent[] => [
  { kind: 'open', choice: 0, at, part: head },
  ...texts.map((text): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta: { text } })),
  { kind: 'close', choice: 0, at },
]
const ending = (reason: FinishReason = 'stop'): ConversationEvent[] => [
  { kind: 'finish', choice: 0, finish: { reason, raw: reason } },
  { kind: 'end' },
]

describe('reading an upstream', () => {
  test('T06, T07: a stream that ends or breaks before its last event is an error, and only once', () => {
    for (const stream of ['', created, created + delta('output_text', 'Hi'), `${created}data: [DONE]\n\n`, `${created}data: {"type`]) {
      expect(readStream(stream).at(-1)).toMatchObject({ kind: 'error', error: { code: 'upstream_error' } })
    }
    const broke = new GatewayError('upstream_timeout', 'Too slow.')
    expect(readStream(created, undefined, broke).at(-1)).toMatchObject({ error: { code: 'upstream_timeout' } })
    expect(course(readStream(created + delta('output_text', 'Hi')))).toEqual(['open 0 text', '0 "Hi"', 'error'])
  })

  test('T17: calls that grow side by side stay apart', () => {
    const added = (index: number, id: string) =>
      event('response.output_item.added', { output_index: index, item: { type: 'function_call', call_id: id, name: 'f', arguments: '' } })
    const args = (index: number, text: string) => delta('function_call_arguments', text, { output_index: index })
    const done = (index: number, id: string, text: string) =>
      event('response.output_item.done', { output_index: index, item: { type: 'function_call', call_id: id, name: 'f', arguments: text } })
    const stream = created + added(0, 'a') + added(1, 'b') + args(0, '{"x"') + args(1, '{') + args(0, ':1}') + args(1, '}')
    expect(course(readStream(stream + done(0, 'a', '{"x":1}') + done(1, 'b', '{}') + completed))).toEqual([
      ...['open 0 call', 'open 1 call', '0 "{\\"x\\""', '1 "{"', '0 ":1}"', '1 "}"', 'close 0', 'close 1', 'finish tool-calls', 'end'],
    ])
  })

  test('T21: a call without arguments has an empty object, by deltas or not', () => {
    const item = { type: 'function_call', call_id: 'a', name: 'f', arguments: '' }
    const stream =
      created +
      event('response.output_item.added', { output_index: 0, item }) +
      event('response.output_item.done', { output_index: 0, item })
    expect(course(readStream(stream + completed))).toEqual(['open 0 call', '0 "{}"', 'close 0', 'finish tool-calls', 'end'])
  })

  test('T22: empty pieces and empty parts open nothing', () => {
    const stream =
      created +
      event('response.output_item.added', { output_index: 0, item: { type: 'message', content: [] } }) +
      event('response.content_part.added', { output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } }) +
      delta('output_text', '') +
      delta('reasoning_text', '', { output_index: 1 }) +
      event('response.content_part.done', { output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } }) +
      event('response.output_item.done', { output_index: 0, item: { type: 'message', content: [{ type: 'output_text', text: '' }] } })
    expect(course(readStream(stream + completed))).toEqual(['finish stop', 'end'])
  })

  test('T36: the state of reasoning is that of its last event', () => {
    const item = { type: 'reasoning', summary: [], encrypted_content: 'early' }
    const stream = created + event('response.output_item.added', { output_index: 0, item })
    const done = event('response.output_item.done', { output_index: 0, item: { ...item, encrypted_content: 'late' } })
    expect(course(readStream(stream + done + completed))[1]).toContain('"value":"late"')
    expect(course(readStream(stream + delta('reasoning_summary_text', 'hm') + done + completed))).toEqual([
      ...['open 0 reasoning', '0 "hm"', '0 {"dialect":"responses","kind":"encrypted","value":"late"}', 'close 0', 'finish stop', 'end'],
    ])
  })

  test('a summary and a full text are two parts, segments are kept apart', () => {
    const stream =
      created +
      delta('reasoning_text', 'raw', { content_index: 0 }) +
      delta('reasoning_summary_text', 'a', { summary_index: 0 }) +
      delta('reasoning_summary_text', 'b', { summary_index: 1 })
    expect(course(readStream(stream + completed))).toEqual([
      ...['open 0 reasoning', '0 "raw"', 'close 0', 'open 1 reasoning', '1 "a"', '1 true', '1 "b"', 'close 1', 'finish stop', 'end'],
    ])
  })

  test('servers that send no deltas, or nothing but the last event', () => {
    const output = [
      {
        type: 'reasoning',
        summary: [
          { type: 'summary_text', text: 'hm' },
          { type: 'summary_text', text: 'ah' },
        ],
      },
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'Hi' },
          { type: 'refusal', refusal: 'no' },
        ],
        phase: 'final_answer',
      },
      { type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'free' },
      { type: 'image_generation_call', result: 'QQ==', output_format: 'webp' },
      { type: 'brand_new', x: 1 },
    ]
    const dones = output.map((item, index) => event('response.output_item.done', { output_index: index, item })).join('')
    const expected = [
      ...[
        'open 0 reasoning',
        '0 "hm"',
        '0 true',
        '0 "ah"',
        'close 0',
        'open 1 text',
        '1 "Hi"',
        'close 1',
        'open 2 refusal',
        '2 "no"',
        'close 2',
      ],
      ...[
        'open 3 call',
        '3 "free"',
        'close 3',
        'open 4 media',
        '4 "QQ=="',
        'close 4',
        'open 5 native',
        'close 5',
        'finish tool-calls',
        'end',
      ],
    ]
    expect(course(readStream(created + dones + completed))).toEqual(expected)
    expect(course(readStream(dones + completed))).toEqual(expected)
    expect(course(readStream(event('response.completed', response({ output }))))).toEqual(expected)
    expect(course(readStream(created + dones + event('response.completed', response({ output }))))).toEqual(expected)
  })

  test('indexes in the final list that differ from those of the stream send nothing twice', () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }]
    const stream = created + delta('output_text', 'Hi', { output_index: 3 }) + event('response.completed', response({ output }))
    expect(course(readStream(stream))).toEqual(['open 0 text', '0 "Hi"', 'close 0', 'finish stop', 'end'])
  })

  test('names of tools and their namespaces come back as the client knows them', () => {
    const item = { type: 'function_call', call_id: 'a', name: 'web__run', arguments: '{}' }
    const memo = { toolNames: { web__run: 'run' }, toolSpaces: { web__run: 'web' }, wrappedTools: [] }
    const stream = event('response.output_item.done', { output_index: 0, item }) + completed
    expect(readStream(stream, memo)[1]).toMatchObject({ part: { kind: 'call', callId: 'a', name: 'run', namespace: 'web' } })
  })

  test('logprobs and citations stand with their text', () => {
    const logprobs = [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: 'Ho', logprob: -1 }] }]
    const annotation = { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 2 }
    const cited = event('response.output_text.annotation.added', { output_index: 0, content_index: 0, annotation })
    const events = readStream(created + delta('output_text', 'Hi', { logprobs }) + cited + completed)
    expect(events.slice(2, 5)).toMatchObject([
      { delta: { logprobs: [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top: [{ token: 'Ho', logprob: -1, bytes: null }] }] } },
      { delta: { text: 'Hi' } },
      { delta: { citation: { kind: 'web', url: 'https://a', title: 'A', start: 0, end: 2, raw: annotation } } },
    ])
  })

  test('no text is kept and time is linear: twenty thousand pieces, five thousand items, one event of 3 MB', () => {
    const began = threadNow()
    readStream(created + delta('output_text', 'word ').repeat(20_000) + completed)
    const items = Array.from({ length: 5000 }, (_, index) =>
      event('response.output_item.done', {
        output_index: index,
        item: { type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' },
      }),
    )
    readStream(created + items.join('') + completed)
    readStream(event('response.completed', response({ output: [{ type: 'image_generation_call', result: 'A'.repeat(3_000_000) }] })))
    expect(threadNow() - began).toBeLessThan(4000)
  })

  test('garbage in any field breaks no promise', () => {
    const types = [
      ...[
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.output_item.done',
        'response.output_text.delta',
      ],
      ...['response.content_part.added', 'response.content_part.done', 'response.refusal.delta', 'response.function_call_arguments.delta'],
      ...['response.reasoning_summary_text.delta', 'response.reasoning_text.delta', 'response.output_text.annotation.added'],
      ...['response.custom_tool_call_input.delta', 'response.brand_new', 'response.output_text.done', 'ping', ''],
    ] as const
    const kinds = ['message', 'reasoning', 'function_call', 'custom_tool_call', 'image_generation_call', 'web_search_call', 'x', 5] as [
      unknown,
      ...unknown[],
    ]
    const ends = [
      '',
      completed,
      event('response.completed', { response: 5 }),
      event('response.failed', { response: null }),
      'data: nope\n\n',
    ]
    for (let seed = 1; seed <= 400; seed++) {
      const random = seeded(seed)
      const value = (): unknown =>
        random.pick([null, 0, 1, 2, -1, 1e300, 'x', '', [], {}, true, [{ type: 'output_text', text: 'x' }], [null, 5]])
      const fields = () => ({
        output_index: random.pick([0, 0, 0, 1, 2, value()]),
        content_index: random.pick([0, 1, value()]),
        summary_index: value(),
        delta: random.pick(['x', 'y', value()]),
        part: random.pick([{ type: 'output_text', text: 'x', annotations: [value()] }, { type: 'refusal', refusal: value() }, value()]),
        annotation: random.pick([{ type: 'url_citation', url: value() }, value()]),
        logprobs: value(),
        item: random.pick([
          { type: random.pick(kinds), content: value(), summary: value(), arguments: value(), call_id: value(), name: value() },
          value(),
        ]),
        response: random.pick([{ id: value(), output: value(), usage: value() }, value()]),
      })
      const stream = Array.from({ length: random.below(30) }, () => event(random.pick([...types]), fields())).join('')
      const events = readStream(stream + random.pick([ends[0] ?? '', ...ends.slice(1)]))
      write(events)
    }
  })
})

describe('writing for a client', () => {
  const types = (events: ConversationEvent[]) => write(events).frames.map(({ type }) => String(type).replace('response.', ''))

  test('the whole course of a text: names, numbers, ids and places', () => {
    const { frames } = write([start, ...part(0, { kind: 'text' }, 'Hel', 'lo'), ...ending()])
    expect(frames.map(({ type }) => type)).toEqual([
      ...[
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
      ],
      ...[
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ],
    ])
    for (const [index, frame] of frames.entries()) expect([frame.name, frame.sequence_number]).toEqual([frame.type, index])
    const { item_id: id } = frames[3] ?? {}
    expect(id).toMatch(/^msg_/)
    for (const frame of frames.slice(3, 8)) expect(frame).toMatchObject({ item_id: id, output_index: 0, content_index: 0 })
    expect(frames.at(-1)?.response).toMatchObject({ id: frames[0]?.response.id, output: [frames[8]?.item] })
  })

  test('T38: the final object has every field, and usage even if none was reported', () => {
    const final = write([start, ...part(0, { kind: 'text' }, 'Hi'), ...ending()]).frames.at(-1)?.response
    expect(final).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'asked',
      instructions: 'Be.',
      created_at: 7,
      store: true,
      error: null,
    })
    expect(final.usage).toEqual({
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 0,
    })
    // The fields that the public schema of Open Responses requires.
    const required = [
      ...['id', 'object', 'created_at', 'completed_at', 'status', 'incomplete_details', 'model', 'previous_response_id', 'instructions'],
      ...['output', 'error', 'tools', 'tool_choice', 'truncation', 'parallel_tool_calls', 'text', 'top_p', 'presence_penalty'],
      ...['frequency_penalty', 'top_logprobs', 'temperature', 'reasoning', 'user', 'usage', 'max_output_tokens', 'max_tool_calls', 'store'],
      ...['background', 'service_tier', 'metadata', 'safety_identifier', 'prompt_cache_key'],
    ]
    expect(required.filter((field) => final[field] === undefined)).toEqual([])
  })

  test('T37: usage with what the cache took and gave', () => {
    const usage = { ...noUsage(), in: { fresh: 3, cacheRead: 0, cacheWrite: { '5m': 12_304, '1h': 0, other: 0 }, audio: 0, image: 0 } }
    usage.out.total = 550
    const final = write([start, { kind: 'usage', usage }, ...ending()]).frames.at(-1)?.response
    expect(final.usage).toMatchObject({
      input_tokens: 12_307,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 12_304 },
      total_tokens: 12_857,
    })
  })

  test('T17: interleaved calls are two items, each with its own place', () => {
    const head = (id: string): PartHead => ({ kind: 'call', callId: id, name: 'f', form: 'json' })
    const [openA, deltaA, closeA] = part(0, head('a'), '{"x":1}')
    const [openB, deltaB, closeB] = part(1, head('b'), '{}')
    const { frames } = write([start, openA!, openB!, deltaB!, deltaA!, closeB!, closeA!, ...ending('tool-calls')])
    const deltas = frames.filter(({ type }) => String(type).endsWith('arguments.delta'))
    expect(deltas.map(({ output_index, delta: text }) => [output_index, text])).toEqual([
      [1, '{}'],
      [0, '{"x":1}'],
    ])
    expect(frames.at(-1)?.response.output).toMatchObject([
      { type: 'function_call', call_id: 'a', arguments: '{"x":1}', status: 'completed' },
      { type: 'function_call', call_id: 'b', arguments: '{}' },
    ])
  })

  test('T34: reason, call, reason, text are four items in that order', () => {
    const thought: PartHead = { kind: 'reasoning', form: 'summary' }
    const call: PartHead = { kind: 'call', callId: 'a', name: 'f', form: 'json' }
    const { frames } = write([
      start,
      ...part(0, thought, 'hm'),
      ...part(1, call, '{}'),
      ...part(2, thought, 'ah'),
      ...part(3, { kind: 'text' }, 'Hi'),
      ...ending(),
    ])
    expect(frames.at(-1)?.response.output.map(({ type }: Fields) => type)).toEqual(['reasoning', 'function_call', 'reasoning', 'message'])
  })

  test('a client that requested summaries gets full text as a summary', () => {
    const events = [start, ...part(0, { kind: 'reasoning', form: 'full' }, 'hm'), ...ending()]
    const wants = codec.readRequest('{"model":"m","input":"x","reasoning":{"summary":"auto"}}')
    const [plain, summed] = [write(events), write(events, wants)].map(({ frames }) => frames.at(-1)?.response.output[0])
    expect(plain).toMatchObject({ summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] })
    expect(summed).toMatchObject({ summary: [{ type: 'summary_text', text: 'hm' }] })
  })

  test('texts and refusals in a row are one message, another phase is another', () => {
    const text: PartHead = { kind: 'text', phase: 'commentary' }
    const { frames } = write([
      ...[start, ...part(0, text, 'a'), ...part(1, text, 'b'), ...part(2, { kind: 'text', phase: 'final_answer' }, 'c')],
      ...[...part(3, { kind: 'call', callId: 'x', name: 'f', form: 'text' }), ...part(4, { kind: 'refusal' }, 'no'), ...ending()],
    ])
    expect(frames.at(-1)?.response.output).toMatchObject([
      { phase: 'commentary', content: [{ text: 'a' }, { text: 'b' }] },
      { phase: 'final_answer', content: [{ text: 'c' }] },
      { type: 'custom_tool_call', input: '' },
      { content: [{ type: 'refusal', refusal: 'no' }] },
    ])
  })

  test('T40: a refusal has events of its own; a filter leaves the answer incomplete', () => {
    expect(types([start, ...part(0, { kind: 'refusal' }, 'No.'), ...ending('refusal')]).slice(2)).toEqual([
      ...['output_item.added', 'content_part.added', 'refusal.delta', 'refusal.done', 'content_part.done', 'output_item.done', 'completed'],
    ])
    const { frames } = write([start, ...ending('content-filter')])
    expect(frames.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'content_filter' }, output: [] },
    })
  })

  test.each([
    ['stop', 'completed', undefined],
    ['stop-sequence', 'completed', undefined],
    ['tool-calls', 'completed', undefined],
    ['refusal', 'incomplete', 'content_filter'],
    ['length', 'incomplete', 'max_output_tokens'],
    ['context-full', 'incomplete', 'max_output_tokens'],
    ['content-filter', 'incomplete', 'content_filter'],
    ['paused', 'incomplete', 'max_messages'],
    ['bad-tool-call', 'failed', undefined],
  ] as const)('finish %s is %s', (reason, status, details) => {
    const { type, response: final } = write([start, ...part(0, { kind: 'text' }, 'x'), ...ending(reason)]).frames.at(-1) ?? {}
    expect([type, final.status, final.incomplete_details?.reason]).toEqual([`response.${status}`, status, details])
    expect(final.output[0].status).toBe(status === 'incomplete' ? 'incomplete' : 'completed')
    expect(final.completed_at === null).toBe(status !== 'completed')
    expect(final.error === null).toBe(status !== 'failed')
  })

  test('T06: an error ends the stream as failed, with the output so far', () => {
    const error = new GatewayError('upstream_error', 'The upstream broke.')
    const [open, text] = part(0, { kind: 'text' }, 'Hel')
    const { frames } = write([start, open!, text!, { kind: 'error', error }, ...ending(), { kind: 'error', error }])
    expect(frames.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'upstream_error' }, output: [{ status: 'incomplete', content: [{ text: 'Hel' }] }] },
    })
    expect(frames.filter(({ type }) => /done|completed/.test(String(type)))).toEqual([])
    expect(write([{ kind: 'error', error }]).frames).toMatchObject([
      { name: 'error', type: 'error', code: 'upstream_error', sequence_number: 0 },
    ])
  })

  test('pictures in pieces, speech by its transcript, and nothing of other vendors or other choices', () => {
    const { frames } = write([
      start,
      { kind: 'open', choice: 0, at: 0, part: { kind: 'media', media: 'image', mimeType: 'image/webp' } },
      { kind: 'delta', choice: 0, at: 0, delta: { data: 'QQ==' } },
      { kind: 'delta', choice: 0, at: 0, delta: { data: 'QkM=' } },
      { kind: 'close', choice: 0, at: 0 },
      ...part(1, { kind: 'media', media: 'audio' }, 'spoken'),
      ...part(2, { kind: 'native', dialect: 'gemini', raw: { secret: 1 } }),
      { kind: 'open', choice: 1, at: 0, part: { kind: 'text' } },
      ...ending(),
    ])
    expect(frames.at(-1)?.response.output).toMatchObject([
      { type: 'image_generation_call', status: 'completed', result: 'QUJD', output_format: 'webp' },
      { type: 'message', content: [{ text: 'spoken' }] },
    ])
  })
})
