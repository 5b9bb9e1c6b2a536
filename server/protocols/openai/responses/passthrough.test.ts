/** Passthrough of this dialect: edits, counting, and ends. */
import { describe, expect, test } from 'bun:test'
import type { AnswerEdits, FrameVerdict } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { responsesCodec as codec } from './codec.ts'

const decode = (bytes: Uint8Array | undefined) => (bytes ? new TextDecoder().decode(bytes) : '')

/** The meter after a whole stream, with its verdicts and its output. */
function watch(stream: string | Uint8Array[], edits: AnswerEdits = {}) {
  const splitter = createSseSplitter()
  const meter = codec.meter(edits)
  const pieces = typeof stream === 'string' ? [Buffer.from(stream)] : stream
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  const verdicts: FrameVerdict[] = frames.map((frame) => meter.push(frame))
  return {
    out: verdicts.map((verdict) => decode(verdict.out)).join(''),
    meaningful: verdicts.map((verdict) => verdict.meaningful),
    error: verdicts.find((verdict) => verdict.error)?.error,
    last: verdicts.filter((verdict) => verdict.last).length,
    end: meter.end(),
    usage: meter.usage(8),
    meter,
  }
}

const event = (type: string, fields: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
const response = (fields: object = {}) => ({ response: { id: 'resp_1', model: 'up', status: 'in_progress', output: [], ...fields } })
const created = event('response.created', { sequence_number: 0, ...response() })
const text = event('response.output_text.delta', { sequence_number: 7, output_index: 0, delta: '日本' })
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
const completed = event('response.completed', response({ status: 'completed', usage }))

describe('edits of a request', () => {
  const raw = '{ "model" : "fast",\n "input":"\\u0041" , "x":1.0, "new":{"model":"x"} }'

  test('no edit is the same text, and usage needs none', () => {
    expect(codec.editRequest(raw, { forceUsage: true })).toBe(raw)
  })

  test('the model, wherever it stands', () => {
    expect(codec.editRequest(raw, { model: 'gpt "5"' })).toBe(raw.replace('"fast"', '"gpt \\"5\\""'))
  })

  test('the channel speaks before the caller', () => {
    const prompted = (body: string) => codec.editRequest(body, { systemPrompt: 'Say "hi"' })
    expect(prompted('{"instructions":"\\u0041 b"}')).toBe('{"instructions":"Say \\"hi\\"\\n\\n\\u0041 b"}')
    for (const empty of ['{"a":1,"instructions":null}', '{"a":1,"instructions":""}', '{"a":1}']) {
      expect(JSON.parse(prompted(empty))).toEqual({ a: 1, instructions: 'Say "hi"' })
    }
    expect(prompted('{"instructions":[1]}')).toBe('{"instructions":[1]}')
  })

  test('fields are set and removed', () => {
    expect(codec.editRequest('{"a":1,"group":"x","b":2}', { remove: ['group'], set: { b: [3] } })).toBe('{"a":1,"b":[3]}')
  })
})

describe('how a stream ends', () => {
  test('with its last event, after which nothing follows', () => {
    expect(watch(`${created + text + completed + text}data: [DONE]\n\n`)).toMatchObject({
      out: created + text + completed,
      end: 'complete',
      last: 1,
    })
  })

  test('at a limit, or stopped by a filter', () => {
    const incomplete = (reason: string) => event('response.incomplete', response({ status: 'incomplete', incomplete_details: { reason } }))
    expect(watch(created + text + incomplete('max_output_tokens')).end).toBe('length')
    expect(watch(created + text + incomplete('content_filter')).end).toBe('complete')
  })

  test('T06: without it the answer was cut, whatever else was sent', () => {
    for (const stream of ['', created, created + text, `${created + text}data: [DONE]\n\n`]) {
      expect(watch(stream)).toMatchObject({ end: 'cut', error: undefined, out: stream.replace('data: [DONE]\n\n', '') })
    }
  })

  test('T08, T09: failed, cancelled, or an error event in either form', () => {
    const error = { code: 'server_error', message: 'Broke at https://secret.example.com' }
    const forms = [
      event('response.failed', response({ status: 'failed', error })),
      event('response.cancelled', response({ status: 'cancelled' })),
      event('error', error),
      event('error', { error }),
      `data: ${JSON.stringify({ error })}\n\n`,
    ]
    for (const form of forms) {
      for (const before of ['', created + text]) {
        const seen = watch(before + form + text)
        expect(seen).toMatchObject({ out: before, end: 'cut', error: { code: 'upstream_error', status: 502 } })
        expect(seen.error?.message).not.toContain('secret')
      }
    }
  })

  test('whose fault a failure is', () => {
    const failed = (code: string) => watch(event('response.failed', response({ error: { code, message: 'No.' } }))).error
    expect(failed('rate_limit_exceeded')).toMatchObject({ code: 'upstream_rate_limited', status: 429 })
    expect(failed('invalid_prompt')).toMatchObject({ code: 'upstream_rejected', status: 400, message: 'No.', publicCode: 'invalid_prompt' })
    expect(failed('image_too_large')).toMatchObject({ status: 400, retry: 'never' })
  })

  test('what is no event of this dialect', () => {
    for (const data of ['{', 'hello', '[]', '5', '<html>']) {
      expect(watch(`data: ${data}\n\n`)).toMatchObject({ out: '', end: 'cut', error: { code: 'upstream_error' } })
    }
    expect(watch(event('response.completed'))).toMatchObject({ end: 'cut', error: { code: 'upstream_error' } })
  })

  test('Parley’s own failure continues the numbering of the stream', () => {
    const error = new GatewayError('insufficient_quota', 'No money left.')
    const [failed] = createSseSplitter().push(watch(created + text, { model: 'asked' }).meter.failure?.(error) ?? new Uint8Array())
    expect(failed?.event).toBe('response.failed')
    expect(JSON.parse(failed?.data ?? '')).toMatchObject({
      sequence_number: 8,
      response: { id: 'resp_1', model: 'asked', status: 'failed', error: { code: 'insufficient_quota', message: 'No money left.' } },
    })
    const [flat] = createSseSplitter().push(watch('').meter.failure?.(error) ?? new Uint8Array())
    expect([flat?.event, JSON.parse(flat?.data ?? '')]).toMatchObject(['error', { type: 'error', code: 'insufficient_quota', param: null }])
  })
})

describe('what commits the answer', () => {
  const committed = (type: string, fields: object = {}) => watch(event(type, fields)).meaningful

  test('T22: frames, openings and empty pieces do not', () => {
    for (const type of [
      'response.created',
      'response.in_progress',
      'response.queued',
      'response.content_part.added',
      'ping',
      'keepalive',
    ]) {
      expect(committed(type)).toEqual([false])
    }
    expect(committed('response.output_text.delta', { delta: '' })).toEqual([false])
    for (const type of ['message', 'reasoning']) expect(committed('response.output_item.added', { item: { type } })).toEqual([false])
    expect(watch(': keep-alive\n\ndata:\n\n').meaningful).not.toContain(true)
  })

  test('content, calls, ends and what nobody knows do', () => {
    for (const type of ['response.output_text.delta', 'response.reasoning_summary_text.delta', 'response.refusal.delta']) {
      expect(committed(type, { delta: 'x' })).toEqual([true])
    }
    expect(committed('response.output_item.added', { item: { type: 'function_call' } })).toEqual([true])
    for (const type of ['response.brand_new', 'response.web_search_call.searching']) expect(committed(type)).toEqual([true])
  })
})

describe('usage', () => {
  test('the upstream’s figures, with its searches', () => {
    const reported = { ...usage, input_tokens_details: { cached_tokens: 4 }, output_tokens_details: { reasoning_tokens: 2 } }
    const search = event('response.output_item.done', { output_index: 0, item: { type: 'web_search_call' } })
    const seen = watch(created + search + event('response.completed', response({ status: 'completed', usage: reported }))).usage
    expect(seen).toMatchObject({ in: { fresh: 6, cacheRead: 4 }, out: { total: 5, reasoning: 2 }, units: { searches: 1 } })
    expect(seen).toMatchObject({ provenance: 'provider', raw: reported })
    const both = response({ status: 'completed', usage: reported, tool_usage: { web_search: { num_requests: 3 } } })
    expect(watch(created + search + event('response.completed', both)).usage.units.searches).toBe(3)
  })

  test('an estimate of what was delivered, each text once', () => {
    const done = event('response.output_text.done', { output_index: 0, text: '日本' })
    const call = event('response.function_call_arguments.delta', { delta: '{"a":1}' }) // 7
    const thought = event('response.reasoning_summary_text.delta', { delta: '1234' }) // 4
    expect(watch(created + text + done + call + thought).usage).toMatchObject({
      in: { fresh: 2 },
      out: { total: 5, reasoning: 1 },
      provenance: 'estimated',
    })
    const output = [{ type: 'message', content: [{ type: 'output_text', text: '12345678' }] }]
    expect(watch(event('response.completed', response({ status: 'completed', output }))).usage.out.total).toBe(2)
  })

  test('what came only with the end of a part or an item, of an answer that broke off', () => {
    const said = '1234'.repeat(100)
    const outOf = (...events: string[]) => watch(created + events.join('')).usage.out
    const done = event('response.output_text.done', { output_index: 0, content_index: 0, text: said })
    const part = event('response.content_part.done', { output_index: 0, part: { type: 'output_text', text: said } })
    const message = { type: 'message', content: [{ type: 'output_text', text: said }] }
    const item = event('response.output_item.done', { output_index: 0, item: message })
    for (const one of [done, part, item]) expect(outOf(one).total).toBe(100)
    expect(outOf(done, part, item).total).toBe(100)
    // Another item is another text, however it is reported.
    const delta = event('response.output_text.delta', { output_index: 1, delta: said })
    expect(outOf(delta, done, part, item).total).toBe(200)
    const call = { type: 'function_call', name: 'look', arguments: '' }
    const added = event('response.output_item.added', { output_index: 0, item: call })
    const called = event('response.output_item.done', { output_index: 0, item: { ...call, arguments: said } })
    expect(outOf(called).total).toBe(101)
    expect(outOf(added, event('response.function_call_arguments.delta', { output_index: 0, delta: said }), called).total).toBe(101)
    expect(outOf(event('response.code_interpreter_call_code.done', { output_index: 0, code: said })).total).toBe(100)
    const drawn = event('response.image_generation_call.partial_image', { output_index: 0, partial_image_b64: 'AAAA' })
    expect(outOf(drawn, drawn)).toMatchObject({ total: 1290, image: 1290 })
    expect(outOf(event('response.audio.delta', { delta: 'A'.repeat(64_000) }))).toMatchObject({ total: 20, audio: 20 })
  })

  test('the last figures hold, those on the way as far as they go', () => {
    const reported = { ...usage, output_tokens: 1 }
    const between = event('response.in_progress', response({ usage: reported }))
    const words = event('response.output_text.delta', { output_index: 0, delta: '1234'.repeat(100) })
    expect(watch(created + words + between).usage).toMatchObject({ in: { fresh: 10 }, out: { total: 100 }, provenance: 'partial' })
    const failed = event('response.failed', response({ status: 'failed', usage: reported, error: { code: 'server_error', message: 'x' } }))
    expect(watch(created + words + failed).usage).toMatchObject({ out: { total: 1 }, provenance: 'provider' })
  })

  test('lies are not believed', () => {
    for (const input_tokens of [-1, '10', 1e18, 1.5]) {
      const lie = event('response.completed', response({ status: 'completed', usage: { ...usage, input_tokens } }))
      expect(watch(created + text + lie).usage).toMatchObject({ in: { fresh: 2 }, out: { total: 2 }, provenance: 'estimated' })
    }
  })
})

test('the model’s name is restored where the response has it, and nowhere else, under any chunks', () => {
  const odd = '"x":"日本🎉 \\"model\\":\\"up\\"", "n":1.0, "item":{"model":"up"}'
  const stream = [
    `event: response.created\r\ndata: { "response" : {"model": "up", ${odd}}, "model":"up", ${odd}, "type":"response.created"}\r\n\r\n`,
    `data: {"type":"response.output_text.delta","delta":"up", ${odd}}\n\n`,
    `: note\ndata: {"type":"response.completed",\ndata: "response":{${odd},"status":"completed",\ndata: "mod\\u0065l":"up"}}\n\n`,
  ].join('')
  const left = stream.replace('"model": "up"', '"model": "wänted"').replace('"mod\\u0065l":"up"', '"mod\\u0065l":"wänted"')
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed)
    const pieces = random.cut(Buffer.from(stream), random.pick([1, 3, 40, 1000]))
    expect({ seed, out: watch(pieces, { model: 'wänted' }).out }).toEqual({ seed, out: left })
    expect({ seed, out: watch(pieces).out }).toEqual({ seed, out: stream })
  }
})

describe('a whole answer', () => {
  const body = (fields: object = {}) =>
    JSON.stringify({ model: 'up', status: 'completed', output: [{ type: 'message', content: [{ text: '12345678' }] }], usage, ...fields })

  test('passes under the client’s name of the model', () => {
    expect(codec.readWhole(body(), { model: 'asked' }, 4)).toMatchObject({
      body: body({ model: 'asked' }),
      end: 'complete',
      usage: { in: { fresh: 10 }, out: { total: 5 }, provenance: 'provider' },
    })
    expect(codec.readWhole(body({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }), {}, 4).end).toBe('length')
    expect(codec.readWhole(body({ usage: null }), {}, 4).usage).toMatchObject({ out: { total: 2 }, provenance: 'estimated' })
  })

  test('a failed one, and what is none, are errors', () => {
    const refused = (text: string) => {
      try {
        return codec.readWhole(text, {}, 4)
      } catch (error) {
        return error
      }
    }
    const failed = body({ status: 'failed', error: { code: 'invalid_prompt', message: 'No.' } })
    expect(refused(failed)).toMatchObject({ code: 'upstream_rejected', status: 400 })
    for (const text of ['<html>', '{}', '[]', '{"object":"chat.completion","choices":[]}', body({ status: 'failed' })]) {
      expect(refused(text)).toMatchObject({ code: 'upstream_error' })
    }
  })
})

test('T14: the keep-alive is a comment of its own', () => {
  const [frame] = createSseSplitter().push(codec.keepalive)
  expect([frame?.data, frame?.event, frame?.unfinished]).toEqual([undefined, undefined, false])
})

test('speed: microseconds per event of an ordinary stream', () => {
  const one = event('response.output_text.delta', {
    sequence_number: 9,
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: ' word',
    logprobs: [],
  })
  const events = 200
  const bytes = Buffer.from(created + one.repeat(events))
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 40; round++) {
    const start = threadNow()
    const splitter = createSseSplitter()
    const meter = codec.meter({ model: 'fast' })
    for (let at = 0; at < bytes.length; at += 1400) for (const frame of splitter.push(bytes.subarray(at, at + 1400))) meter.push(frame)
    best = Math.min(best, ((threadNow() - start) * 1000) / events)
  }
  console.info(`responses stream, µs per event: ${best.toFixed(2)}`)
  expect(best).toBeLessThan(100)
})
