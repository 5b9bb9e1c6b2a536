import { describe, expect, test } from 'bun:test'
import type { AnswerEdits, FrameVerdict } from '#canonical/codec'
import { createSseSplitter } from '#shared/sse'
import { chatMeter } from './stream-meter.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)

/** The meter after a whole stream, with its verdicts and its output. */
function watch(stream: string, edits: AnswerEdits = {}) {
  const splitter = createSseSplitter()
  const meter = chatMeter(edits)
  const verdicts: FrameVerdict[] = [...splitter.push(encode(stream)), ...splitter.end()].map((frame) => meter.push(frame))
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

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (delta: unknown, finish: string | null = null, index = 0) =>
  event({ id: 'c', object: 'chat.completion.chunk', model: 'up', choices: [{ index, delta, finish_reason: finish, logprobs: null }] })
const done = 'data: [DONE]\n\n'

describe('how a stream ends', () => {
  const text = chunk({ content: 'hi' })

  test('with its terminator', () => {
    expect(watch(text + chunk({}, 'stop') + done)).toMatchObject({ end: 'complete', tail: undefined, last: 1 })
    expect(watch(text + chunk({}, 'length') + done)).toMatchObject({ end: 'length', tail: undefined })
    expect(watch(text + done)).toMatchObject({ end: 'complete', tail: undefined })
  })

  test('T05: every choice finished and no terminator: it is added', () => {
    expect(watch(text + chunk({}, 'stop'))).toMatchObject({ end: 'complete', tail: done })
    expect(watch(text + chunk({}, 'length'))).toMatchObject({ end: 'length', tail: done })
    expect(watch(text + chunk({}, 'stop') + chunk({ content: 'x' }, null, 1))).toMatchObject({ end: 'cut', tail: undefined })
    expect(watch(text + chunk({}, 'stop') + chunk({ content: 'x' }, 'stop', 1))).toMatchObject({ end: 'complete' })
  })

  test('T06: without a finish it was cut', () => {
    for (const stream of ['', ': hi\n\n', text, text + chunk({ content: 'x' }, ''), chunk({ role: 'assistant' })]) {
      expect(watch(stream)).toMatchObject({ end: 'cut', tail: undefined, error: undefined })
    }
  })

  test('in the middle of an event it was cut, unless the answer was complete', () => {
    expect(watch(`${text}data: {"choi`)).toMatchObject({ end: 'cut', error: { code: 'upstream_error' } })
    expect(watch(`${text + chunk({}, 'stop')}data: [DO`)).toMatchObject({ end: 'complete', tail: done, error: undefined })
  })

  test('the last event without its blank line is closed', () => {
    expect(watch(`${text}data: [DONE]`)).toMatchObject({ end: 'complete', out: `${text}data: [DONE]\n\n`, tail: undefined })
  })

  test('what follows the terminator is dropped', () => {
    expect(watch(text + done + text + done)).toMatchObject({ out: text + done, last: 1 })
  })

  test('a terminator with no answer before it is no answer', () => {
    expect(watch(done)).toMatchObject({ end: 'cut', out: '', error: { code: 'upstream_error' } })
  })
})

describe('what commits the answer', () => {
  const committed = (stream: string) => watch(stream).meaningful

  test('T22: roles, empty pieces, comments, and frames without choices do not', () => {
    const deltas = [
      {},
      { role: 'assistant' },
      { content: '' },
      { role: 'assistant', content: '', refusal: null },
      { reasoning_content: '' },
    ]
    for (const delta of [
      ...deltas,
      { tool_calls: [] },
      { tool_calls: [{ index: 0, function: { arguments: '' } }] },
      { new: { deep: [''] } },
    ]) {
      expect(committed(chunk(delta))).toEqual([false])
    }
    expect(
      committed(`: keep-alive\n\nretry: 5\n\ndata:\n\n${event({ choices: [], prompt_filter_results: [{}] })}${event({ type: 'ping' })}`),
    ).not.toContain(true)
  })

  test('content, finishes and unknown fields do', () => {
    const deltas = [
      { content: 'x' },
      { reasoning: 'x' },
      { refusal: 'x' },
      { tool_calls: [{ index: 0, id: 'a' }] },
      { new: 1 },
      { new: { deep: ['x'] } },
    ]
    for (const delta of deltas) expect(committed(chunk(delta))).toEqual([true])
    expect(committed(chunk({}, 'stop'))).toEqual([true])
    expect(committed(event({ choices: [{ index: 0, message: { content: 'x' } }] }))).toEqual([true])
  })
})

describe('errors inside a stream', () => {
  test('T08, T09: an error object at any time, its text is no output', () => {
    const error = event({ error: { message: 'x'.repeat(400), code: 503 } })
    expect(watch(error)).toMatchObject({
      out: '',
      meaningful: [true],
      end: 'cut',
      error: { code: 'upstream_error' },
      usage: { out: { total: 0 } },
    })
    const late = watch(chunk({ content: '12345678' }) + error + chunk({ content: '12345678' }) + done)
    expect(late).toMatchObject({ end: 'cut', tail: undefined, usage: { out: { total: 2 }, provenance: 'estimated' } })
    expect(late.out).toBe(chunk({ content: '12345678' }))
  })

  test('an event named error', () => {
    expect(watch('event: error\ndata: {"message":"x"}\n\n')).toMatchObject({ out: '', error: { code: 'upstream_error' } })
  })

  test('what is no JSON object', () => {
    for (const data of ['{', 'hello', '[]', '5', 'null', '<html>', '{"a":1}{']) {
      expect(watch(`data: ${data}\n\n`)).toMatchObject({ out: '', end: 'cut', error: { code: 'upstream_error' } })
    }
  })

  test('`error: null` is none', () => {
    expect(watch(event({ error: null, choices: [{ delta: { content: 'x' } }] })).error).toBeUndefined()
  })
})

describe('T39: usage in the stream', () => {
  const figures = { prompt_tokens: 10, completion_tokens: 5 }
  const silent = (content: string) =>
    `data: {"choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":"stop"}],"usage":null}\n\n`
  const only = event({ choices: [], usage: figures })
  const stream = silent('a') + only + done

  test('a client that asked sees it all', () => {
    expect(watch(stream).out).toBe(stream)
  })

  test('one that did not sees no usage, and no key of that name', () => {
    const { out, usage } = watch(stream, { hideUsage: true })
    expect(out).toBe(`data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n${done}`)
    expect(usage).toEqual(watch(stream).usage)
    expect(usage).toMatchObject({ in: { fresh: 10 }, out: { total: 5 }, provenance: 'provider', raw: figures })
  })

  test('figures inside a chunk with content: only the key goes', () => {
    const mixed = `data: {"usage":${JSON.stringify(figures)},"choices":[{"delta":{"content":"a"}}]}\n\n`
    expect(watch(mixed, { hideUsage: true }).out).toBe('data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
  })

  test('lies are not believed', () => {
    for (const prompt_tokens of [-1, '10', 1e18, 1.5, []]) {
      const { usage } = watch(
        chunk({ content: '12345678' }, 'stop') + event({ choices: [], usage: { prompt_tokens, completion_tokens: 1 } }) + done,
      )
      expect(usage).toMatchObject({ in: { fresh: 2 }, out: { total: 2 }, provenance: 'estimated', raw: null })
    }
    const corrected = only + event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 1 } })
    expect(watch(corrected).usage.out.total).toBe(1)
  })
})

test('the estimate counts content, reasoning, refusals and calls, in bytes, once', () => {
  const { usage } = watch(
    chunk({ content: '日日' }) + // 6
      chunk({ refusal: 'ab' }) + // 2
      chunk({ tool_calls: [{ index: 0, function: { name: 'look', arguments: '{"a":1}' } }] }) + // 11
      chunk({ tool_calls: [{ index: 1, custom: { input: 'x' } }] }) + // 1
      chunk({ reasoning: '1234', reasoning_content: '1234', reasoning_details: [{ text: '1234' }] }) + // 4
      chunk({ content: [{ type: 'text', text: '1234' }] }) + // 4
      chunk({ role: 'assistant', new: 'not counted' }),
  )
  expect(usage).toMatchObject({ in: { fresh: 2 }, out: { total: 7, reasoning: 1 }, provenance: 'estimated' })
})

test('sound, pictures, names of calls, and words that stand elsewhere than words do', () => {
  const outOf = (...chunks: string[]) => watch(chunks.join('')).usage.out
  // A second is 20 tokens; a quarter more base64 than 48,000 bytes.
  const second = 'A'.repeat(64_000)
  expect(outOf(chunk({ audio: { id: 'a', data: second } }), chunk({ audio: { data: second, transcript: '12345678' } }))).toMatchObject({
    total: 42,
    audio: 40,
  })
  expect(outOf(chunk({ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }))).toMatchObject({
    total: 1290,
    image: 1290,
  })
  const calls = Array.from({ length: 10 }, (_, index) => ({
    index,
    id: 'c',
    type: 'function',
    function: { name: 'n'.repeat(60), arguments: '' },
  }))
  expect(outOf(chunk({ tool_calls: calls })).total).toBe(150)
  const logprobs = { content: Array.from({ length: 50 }, () => ({ token: 'abcd', logprob: -1, bytes: null, top_logprobs: [] })) }
  const silent = event({ choices: [{ index: 0, delta: {}, logprobs }] })
  const spoken = event({ choices: [{ index: 0, delta: { content: 'abcd'.repeat(50) }, logprobs }] })
  expect(outOf(silent).total).toBe(50)
  expect(outOf(spoken).total).toBe(50)
  expect(outOf(spoken, silent).total).toBe(100)
  expect(outOf(chunk({ role: 'assistant', brand_new: 'x'.repeat(40), signature: 'x'.repeat(400) })).total).toBe(10)
})

test('figures on the way count as far as they go: of an answer that broke off no less is charged than what came', () => {
  const words = 'x'.repeat(400)
  const usage = { prompt_tokens: 100, completion_tokens: 1 }
  const begun = chunk({ content: words }) + event({ choices: [{ index: 0, delta: { content: words } }], usage })
  expect(watch(begun).usage).toMatchObject({ in: { fresh: 100 }, out: { total: 200 }, provenance: 'partial', raw: usage })
  expect(watch(begun + chunk({}, 'stop') + done).usage).toMatchObject({ out: { total: 1 }, provenance: 'provider' })
  const silent = watch(chunk({ content: words }) + event({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 0 } }) + done)
  expect(silent.usage).toMatchObject({ in: { fresh: 100 }, out: { total: 100 }, provenance: 'partial' })
})

test('the name goes back into every chunk that has one, and nowhere else', () => {
  const stream =
    'data: {"model": "up", "choices":[{"delta":{"content":"\\"model\\":\\"up\\"","model":"up"}}], "x":{"model":"up"}}\n\ndata: {"choices":[]}\n\n'
  expect(watch(stream, { model: 'as"ked' }).out).toBe(stream.replace('"up"', '"as\\"ked"'))
})

test('an upstream that sends endless choices fills no memory', () => {
  const meter = chatMeter({})
  const frame = (index: number) => ({
    raw: new Uint8Array(),
    event: undefined,
    data: `{"choices":[{"index":${index},"finish_reason":"stop"}]}`,
  })
  for (const index of [0, 0.5, -1, 1e300, 5000]) meter.push(frame(index))
  expect(meter.end()).toBe('complete')
})
