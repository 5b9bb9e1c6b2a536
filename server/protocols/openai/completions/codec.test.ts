/** Legacy completions: passthrough, conversion, and features that only this dialect has. */
import { describe, expect, test } from 'bun:test'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { chatCodec } from '../chat/codec.ts'
import { completionsCodec as completions } from './codec.ts'

const body = (fields: Record<string, unknown> = {}) => JSON.stringify({ model: 'm', prompt: 'x', ...fields })
const head = (fields: Record<string, unknown> = {}) => completions.readHead(body(fields))
const codecContext = { now: () => 5000, id: (prefix: string) => `${prefix}made` }
const target = { model: 'up', capabilities: {}, stream: false }

describe('the head', () => {
  test('every prompt and every candidate counts for the hold', () => {
    expect(head()).toMatchObject({ model: 'm', n: 1, stream: false, media: [], searchAsked: false })
    expect(head({ prompt: ['a', 'b', 'c'], n: 2, best_of: 4 }).n).toBe(12)
    expect(head({ prompt: [[1], [2, 3]], n: 2 }).n).toBe(4)
    expect(head({ prompt: [1, 2, 3] }).n).toBe(1)
    expect(head({ prompt: null, max_tokens: 0, user: 'u' })).toMatchObject({ n: 1, maxOutput: 0, affinity: ['u'] })
    expect(head().maxOutput).toBeUndefined()
  })

  test('what Parley reads must be right', () => {
    const cases: [string, unknown][] = [
      ['prompt', 5],
      ['prompt', []],
      ['prompt', ['a', 5]],
      ['prompt', [[]]],
      ['prompt', [[1], 'a', {}]],
      ['prompt', [-1]],
      ['max_tokens', -1],
      ['n', 0],
      ['best_of', 'x'],
      ['stream', 1],
    ]
    for (const [param, value] of cases) expect(() => head({ [param]: value })).toThrow(expect.objectContaining({ status: 400, param }))
  })
})

describe('passing', () => {
  test('the closed list of edits; the channel’s prompt stands before every prompt', () => {
    const raw = '{ "model":"m", "prompt" : ["a", "b"], "x":1.0 }'
    expect(completions.editRequest(raw, { model: 'up', forceUsage: true })).toBe(
      '{ "model":"up", "prompt" : ["a", "b"], "x":1.0,"stream_options":{"include_usage":true} }',
    )
    expect(completions.editRequest(raw, { systemPrompt: 'S' })).toBe('{ "model":"m", "prompt" : ["S\\n\\na","S\\n\\nb"], "x":1.0 }')
    expect(() => completions.editRequest(body({ prompt: [1] }), { systemPrompt: 'S' })).toThrow(
      expect.objectContaining({ param: 'prompt' }),
    )
  })

  test('a stream is metered and edited, and its bytes stay', () => {
    const stream =
      'data: {"model":"up","choices":[{"text":"12345678","index":0,"finish_reason":null}],"usage":null}\n\ndata: {"model":"up","choices":[{"text":"","index":0,"finish_reason":"length"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]\n\n'
    const meter = completions.meter({ model: 'm', hideUsage: true })
    const splitter = createSseSplitter()
    const out = splitter.push(new TextEncoder().encode(stream)).map((frame) => meter.push(frame))
    expect(Buffer.concat(out.map((verdict) => verdict.out ?? new Uint8Array())).toString()).toBe(
      'data: {"model":"m","choices":[{"text":"12345678","index":0,"finish_reason":null}]}\n\ndata: {"model":"m","choices":[{"text":"","index":0,"finish_reason":"length"}]}\n\ndata: [DONE]\n\n',
    )
    expect(out.map((verdict) => verdict.meaningful)).toEqual([true, true, false, true])
    expect([meter.end(), meter.usage(4).out.total]).toEqual(['length', 2])
    const silent = completions.meter({})
    for (const frame of createSseSplitter().push(new TextEncoder().encode(stream.slice(0, stream.indexOf('\n\n') + 2)))) silent.push(frame)
    expect([silent.end(), silent.usage(4).out.total]).toEqual(['cut', 2])
  })

  test('a whole answer', () => {
    const answer = '{"model":"up","choices":[{"text":"12345678","finish_reason":"length"}]}'
    expect(completions.readWhole(answer, { model: 'm' }, 4)).toMatchObject({
      body: answer.replace('up', 'm'),
      end: 'length',
      usage: { out: { total: 2 } },
    })
    expect(() => completions.readWhole('{"error":{"code":429}}', {}, 4)).toThrow(expect.objectContaining({ code: 'upstream_rate_limited' }))
  })
})

describe('converting', () => {
  const toChat = (fields: Record<string, unknown>) => chatCodec.writeRequest(completions.readRequest(body(fields)), target)

  test('one text prompt becomes what a user said, with the limit of the documents', () => {
    const { body: written, losses } = toChat({
      prompt: ['Once'],
      temperature: 0.5,
      stop: 'END',
      logprobs: 2,
      user: 'u',
      best_of: 1,
      echo: false,
      suffix: '',
    })
    expect(written).toEqual({
      model: 'up',
      messages: [{ role: 'user', content: 'Once' }],
      max_completion_tokens: 16,
      stop: ['END'],
      logprobs: true,
      top_logprobs: 2,
      temperature: 0.5,
      safety_identifier: 'u',
    })
    expect(losses).toEqual([])
  })

  test('what only text completion can do is refused by its name', () => {
    const cases: [string, Record<string, unknown>][] = [
      ['prompt', { prompt: ['a', 'b'] }],
      ['prompt', { prompt: [1, 2] }],
      ['prompt', { prompt: [[1, 2]] }],
      ['prompt', { prompt: null }],
      ['echo', { echo: true }],
      ['suffix', { suffix: 'x' }],
      ['best_of', { best_of: 2 }],
      ['max_tokens', { max_tokens: 0 }],
    ]
    for (const [param, fields] of cases)
      expect(() => toChat(fields)).toThrow(expect.objectContaining({ code: 'unsupported_value', status: 400, param }))
  })

  test('as an upstream it serves only what came as completions', () => {
    const fields = { prompt: ['a', 'b'], echo: true, suffix: 's', best_of: 3, n: 2, max_tokens: 7, x: 1 }
    expect(completions.writeRequest(completions.readRequest(body(fields)), target).body).toEqual({ ...fields, model: 'up' })
    const chat = chatCodec.readRequest('{"model":"m","messages":[{"role":"user","content":"x"}]}')
    expect(() => completions.writeRequest(chat, target)).toThrow(expect.objectContaining({ code: 'unsupported_value', param: 'messages' }))
  })

  test('the answer of another dialect as text', () => {
    const asked = completions.readRequest(body())
    const answer = JSON.stringify({
      id: 'chatcmpl-1',
      created: 5,
      choices: [{ index: 0, message: { content: 'ab', reasoning_content: 'hm' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    })
    const response = chatCodec.readResponse(answer, { toolNames: {}, wrappedTools: [] }, codecContext)
    const written = completions.writeResponse(response, asked, codecContext)
    expect(JSON.parse(written.body)).toMatchObject({
      id: 'cmpl-made',
      object: 'text_completion',
      created: 5,
      model: 'm',
      choices: [{ text: 'ab', index: 0, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    })
    expect(written.losses).toMatchObject([{ field: 'response.reasoning', meaning: false }])
  })

  test('random texts, written and read again under random chunking', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = seeded(seed)
      const words = Array.from({ length: 1 + random.below(5) }, () => random.pick(['a', '\n', '日本🎉', '"', '{}']))
      const writer = completions.writer(completions.readRequest(body({ stream_options: { include_usage: true } })), codecContext)
      const bytes = [
        writer.push({ kind: 'start', id: 'x', model: 'up', created: 5 }),
        writer.push({ kind: 'open', choice: 1, at: 0, part: { kind: 'text' } }),
        ...words.map((text) => writer.push({ kind: 'delta', choice: 1, at: 0, delta: { text } })),
        writer.push({ kind: 'close', choice: 1, at: 0 }),
        writer.push({ kind: 'finish', choice: 1, finish: { reason: 'length', raw: '' } }),
        writer.push({ kind: 'end' }),
        writer.push({ kind: 'end' }),
      ]
      const splitter = createSseSplitter()
      const reader = completions.reader({ toolNames: {}, wrappedTools: [] }, codecContext)
      const frames = [...random.cut(Buffer.concat(bytes), 1 + random.below(40)).flatMap((piece) => splitter.push(piece)), ...splitter.end()]
      const events = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
      expect(events.map((event) => event.kind)).toEqual(['start', 'open', ...words.map(() => 'delta' as const), 'close', 'finish', 'end'])
      expect(events.flatMap((event) => (event.kind === 'delta' && 'text' in event.delta ? [event.delta.text] : []))).toEqual(words)
    }
  })
})
