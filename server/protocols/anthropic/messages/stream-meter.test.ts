import { describe, expect, test } from 'bun:test'
import type { AnswerEdits, FrameVerdict } from '#canonical/codec'
import { createSseSplitter } from '#shared/sse'
import { eventsTaken } from '#testing/events-taken'
import { seeded } from '#testing/seeded'
import { messagesMeter } from './stream-meter.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)

/** The meter after a whole stream, with its verdicts and its output. */
function watch(stream: string | Uint8Array[], edits: AnswerEdits = {}) {
  const splitter = createSseSplitter()
  const meter = messagesMeter(edits)
  const pieces = typeof stream === 'string' ? [encode(stream)] : stream
  const verdicts: FrameVerdict[] = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()].map((frame) => meter.push(frame))
  return {
    out: verdicts.map((verdict) => decode(verdict.out) ?? '').join(''),
    meaningful: verdicts.map((verdict) => verdict.meaningful),
    error: verdicts.find((verdict) => verdict.error)?.error,
    last: verdicts.filter((verdict) => verdict.last).length,
    end: meter.end(),
    tail: decode(meter.tail()),
    usage: meter.usage(8),
  }
}

const event = (type: string, fields: Record<string, unknown> = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const begin = (usage: unknown = { input_tokens: 10, output_tokens: 1 }) =>
  event('message_start', { message: { model: 'up', content: [{ model: 'deep' }], usage } })
const delta = (fields: Record<string, unknown>) => event('content_block_delta', { index: 0, delta: fields })
const text = (words: string) => delta({ type: 'text_delta', text: words })
const finish = (reason: string | null, usage: unknown = { output_tokens: 5 }) =>
  event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage })
const stop = event('message_stop')

describe('how a stream ends', () => {
  test('with its terminator', () => {
    expect(watch(begin() + text('hi') + finish('end_turn') + stop)).toMatchObject({ end: 'complete', tail: undefined, last: 1 })
    expect(watch(begin() + text('hi') + stop)).toMatchObject({ end: 'complete', tail: undefined })
    for (const reason of ['max_tokens', 'model_context_window_exceeded'])
      expect(watch(begin() + finish(reason) + stop)).toMatchObject({ end: 'length' })
  })

  test('T05: a reason to end and no terminator: it is added', () => {
    expect(watch(begin() + text('hi') + finish('end_turn'))).toMatchObject({ end: 'complete', tail: stop })
    expect(watch(`${begin() + text('hi') + finish('end_turn')}data: {"ty`)).toMatchObject({ end: 'complete', tail: stop, error: undefined })
  })

  test('T06: without a reason to end it was cut', () => {
    for (const stream of ['', ': hi\n\n', begin(), begin() + text('x'), begin() + finish(null), begin() + finish('')]) {
      expect(watch(stream)).toMatchObject({ end: 'cut', tail: undefined, error: undefined })
    }
    expect(watch(`${begin() + text('hi')}event: message_de`)).toMatchObject({ end: 'cut' })
  })

  test('a terminator with no answer before it is no answer', () => {
    expect(watch(stop)).toMatchObject({ end: 'cut', out: '', error: { code: 'upstream_error' } })
  })

  test('what follows the terminator is dropped, and a foreign one is no event', () => {
    const whole = begin() + text('hi') + finish('end_turn') + stop
    expect(watch(`${whole}data: [DONE]\n\n${text('x')}`)).toMatchObject({ out: whole, last: 1, end: 'complete' })
    expect(watch(`${begin()}data: [DONE]\n\n${stop}`)).toMatchObject({ out: begin() + stop, end: 'complete' })
  })

  test('the last event without its blank line is closed', () => {
    const whole = begin() + text('hi') + finish('end_turn') + stop
    expect(watch(whole.slice(0, -2))).toMatchObject({ out: whole, end: 'complete' })
  })
})

describe('what commits the answer', () => {
  test('T08, T22: beginnings, pings and empty pieces do not', () => {
    const start = (content_block: unknown) => event('content_block_start', { index: 0, content_block })
    const silent = [
      begin(),
      event('ping'),
      ': hi\n\n',
      start({ type: 'text', text: '' }),
      start({ type: 'thinking', thinking: '', signature: '' }),
      text(''),
      delta({ type: 'input_json_delta', partial_json: '' }),
      event('content_block_stop', { index: 0 }),
      finish(null),
    ]
    for (const one of silent) expect(watch(one).meaningful).toEqual([false])
    const loud = [
      start({ type: 'tool_use', id: 't', name: 'n', input: {} }),
      start({ type: 'redacted_thinking', data: 'x' }),
      text('x'),
      delta({ type: 'thinking_delta', thinking: 'x' }),
      delta({ type: 'signature_delta', signature: 'x' }),
      delta({ type: 'later_delta', what: 'x' }),
      event('later_event', { what: 'x' }),
      finish('end_turn'),
    ]
    for (const one of loud) expect(watch(one).meaningful).toEqual([true])
  })
})

describe('errors inside a stream', () => {
  const error = (type: string, message = 'x'.repeat(400)) => event('error', { error: { type, message } })

  test('T08, T09: at any time, its text is no output', () => {
    expect(watch(error('overloaded_error'))).toMatchObject({ out: '', end: 'cut', error: { code: 'upstream_error', status: 503 } })
    const late = watch(begin() + text('12345678') + error('api_error') + text('12345678') + stop)
    expect(late).toMatchObject({ out: begin() + text('12345678'), end: 'cut', tail: undefined, error: { code: 'upstream_error' } })
    expect(late.usage).toMatchObject({ in: { fresh: 10 }, out: { total: 3 }, provenance: 'partial' })
  })

  test('without its name in the data', () => {
    expect(watch('event: error\ndata: {"error":{"type":"rate_limit_error"}}\n\n').error?.code).toBe('upstream_rate_limited')
  })

  test('what is no JSON object', () => {
    for (const data of ['{', 'hello', '[]', '5', 'null', '<html>', '{"a":1}{'])
      expect(watch(`data: ${data}\n\n`)).toMatchObject({ out: '', end: 'cut', error: { code: 'upstream_error' } })
  })
})

describe('usage', () => {
  const whole = (start: unknown, end: unknown) => watch(begin(start) + text('12345678') + finish('end_turn', end) + stop).usage

  test('T37: kinds that never overlap, from both ends of the stream', () => {
    const start = { input_tokens: 3, cache_creation_input_tokens: 12304, cache_read_input_tokens: 0, output_tokens: 1 }
    expect(whole(start, { output_tokens: 550 })).toMatchObject({
      in: { fresh: 3, cacheRead: 0, cacheWrite: { '5m': 12304, '1h': 0, other: 0 } },
      out: { total: 550 },
      provenance: 'provider',
      raw: { ...start, output_tokens: 550 },
    })
  })

  test('input that is reported late replaces an early estimate, once', () => {
    expect(
      whole({ input_tokens: 100, output_tokens: 1 }, { input_tokens: 3, cache_read_input_tokens: 97, output_tokens: 5 }).in,
    ).toMatchObject({
      fresh: 3,
      cacheRead: 97,
    })
    expect(whole({ input_tokens: 0, output_tokens: 0 }, { input_tokens: 7, output_tokens: 5 }).in.fresh).toBe(7)
    expect(whole({ input_tokens: 100, output_tokens: 1 }, { input_tokens: 0, output_tokens: 5 }).in.fresh).toBe(100)
    const cached = { input_tokens: 100, cache_read_input_tokens: 500, output_tokens: 1 }
    const zeros = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 }
    expect(whole(cached, zeros)).toMatchObject({ in: { fresh: 100, cacheRead: 500 }, out: { total: 5 } })
    expect(whole({ input_tokens: 100, output_tokens: 9 }, { output_tokens: 5 }).out.total).toBe(5)
    expect(whole({ input_tokens: 5, cache_read_input_tokens: null, output_tokens: 1 }, null)).toMatchObject({ in: { fresh: 5 } })
  })

  test('cut after the beginning: input as reported, output as delivered', () => {
    const usage = watch(
      begin({ input_tokens: 10, output_tokens: 1 }) + text('12345678') + delta({ type: 'thinking_delta', thinking: '1234' }),
    ).usage
    expect(usage).toMatchObject({ in: { fresh: 10 }, out: { total: 4, reasoning: 1 }, provenance: 'partial' })
  })

  test('nothing believable: four bytes a token', () => {
    for (const odd of [null, 'x', { input_tokens: -1 }, { input_tokens: 1e18 }, { output_tokens: '5' }, {}, { input_tokens: 1.5 }]) {
      expect(whole(odd, odd)).toMatchObject({ in: { fresh: 2 }, out: { total: 2 }, provenance: 'estimated', raw: null })
    }
    expect(whole({ input_tokens: 10, output_tokens: 0 }, { output_tokens: 0 })).toMatchObject({
      in: { fresh: 10 },
      out: { total: 2 },
      provenance: 'partial',
    })
  })

  test('searches, thinking, and summaries made on the way', () => {
    const usage = whole(
      { input_tokens: 10, output_tokens: 1 },
      {
        output_tokens: 20,
        output_tokens_details: { thinking_tokens: 12 },
        server_tool_use: { web_search_requests: 2 },
        iterations: [
          { type: 'compaction', input_tokens: 100, output_tokens: 30 },
          { type: 'message', input_tokens: 10, output_tokens: 20 },
        ],
      },
    )
    expect(usage).toMatchObject({ in: { fresh: 110 }, out: { total: 50, reasoning: 12 }, units: { searches: 2, requests: 1 } })
  })
})

describe('bytes', () => {
  const stream = `: hello\n\n${begin()}event: ping\r\ndata: {"type":"ping", "new":1.0}\r\n\r\n${text('日本🎉 "model":"up"')}event: later\ndata: {"type":"later","model":"up"}\n\n${finish('end_turn')}${stop}`

  test('pass as they came, and only the name in the first event changes, wherever the chunks are cut', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = seeded(seed)
      const pieces = random.cut(encode(stream), random.pick([1, 3, 40]))
      expect(watch(pieces).out).toBe(stream)
      expect(watch(pieces, { model: 'as"ked' }).out).toBe(stream.replace('"model":"up"', '"model":"as\\"ked"'))
    }
  })

  test('a first event without a name stays', () => {
    const bare = event('message_start', { message: {} }) + event('message_start', { model: 'up' })
    expect(watch(bare, { model: 'asked' }).out).toBe(bare)
  })
})

/** A stream read one by one, or with the events taken together that are like one before. */
function hearing(chunks: readonly Uint8Array[], together: boolean) {
  const heard: string[] = []
  const meter = messagesMeter({}, { addText: (said) => void heard.push(said) })
  const cutter = createSseSplitter()
  const out: (string | undefined)[] = []
  for (const chunk of chunks) {
    cutter.feed(chunk)
    for (;;) {
      const run = together ? eventsTaken(cutter, (words, from) => meter.pass?.(words, from, 1_000)?.end) : undefined
      const frame = run ? undefined : cutter.next()
      if (!run && !frame) break
      out.push(decode(run ? run.chunk.subarray(run.start, run.end) : frame && meter.push(frame).out))
    }
  }
  return { heard, out: out.join(''), usage: meter.usage(100), pieces: out.length }
}

test('deltas that are like the one before are counted as what they are, one by one and together', () => {
  const words = ['Hello', ' world', 'a"b', 'c\\d', 'é\u{1F600}', 'x'.repeat(3_000), 'text', ' of', ' an', ' answer']
  const thoughts = ['Hm', ' well', '\n', ' thinking', ' it', ' over']
  const thought = (thinking: string) => delta({ type: 'thinking_delta', thinking })
  const odd = [
    delta({ type: 'signature_delta', signature: 'c2ln' }),
    delta({ type: 'input_json_delta', partial_json: '{"text":' }),
    delta({ type: 'text_delta', text: ' both', citations: [] }),
    event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: ' elsewhere' } }),
  ]
  const spoken = [...thoughts, ...words, '{"text":', ' both', ' elsewhere', ...words]
  const deltas = [...thoughts.map(thought), ...words.map(text), ...odd, ...words.map(text)]
  const stream = encode([begin(), ...deltas, finish('end_turn'), stop].join(''))
  const size = (texts: readonly string[]) => texts.reduce((sum, one) => sum + encode(one).length, 0)
  for (let seed = 0; seed < 40; seed++) {
    const chunks = seed === 0 ? [stream] : seeded(seed).cut(stream, seed)
    const [single, together] = [hearing(chunks, false), hearing(chunks, true)]
    expect({ seed, ...single, pieces: 0 }).toEqual({ seed, ...together, pieces: 0 })
    expect({ seed, heard: together.heard, out: together.out }).toEqual({ seed, heard: spoken, out: decode(stream) ?? '' })
  }
  const plain = ['a', ' few', ' plain', ' words'].map(text)
  const { heard, pieces } = hearing([encode([begin(), ...plain, stop].join(''))], true)
  expect({ heard: heard.join(''), pieces }).toEqual({ heard: 'a few plain words', pieces: 4 })
  // Without its figures everything is counted here.
  const silent = messagesMeter({})
  for (const frame of createSseSplitter().push(encode(deltas.join('')))) silent.push(frame)
  const { out } = silent.usage(0)
  expect(out).toMatchObject({ total: Math.ceil(size(spoken) / 4), reasoning: Math.ceil(size(thoughts) / 4) })
})
