import { describe, expect, test } from 'bun:test'
import type { EmbeddingQuestion } from '#canonical/operation/embedding'
import { GatewayError } from '#shared/errors'
import { embeddingCodec as codec, withModel } from './codec.ts'

const ask = (body: object) => JSON.stringify({ model: 'm', ...body })
const target = (maxInputs?: number) => ({ model: 'up', capabilities: maxInputs === undefined ? {} : { maxInputs }, stream: false })
const codecContext = { now: () => 0, id: (prefix: string) => prefix }
const base64 = (numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
const answer = (embeddings: unknown[], more: object = {}) =>
  JSON.stringify({
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'up-1',
    usage: { prompt_tokens: 8, total_tokens: 8 },
    ...more,
  })

function refusal(work: () => unknown): GatewayError {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('not refused')
}

describe('questions', () => {
  test.each([
    ['missing_field', 'model', { model: null, input: 'a' }],
    ['invalid_value', 'model', { model: 7, input: 'a' }],
    ['missing_field', 'input', {}],
    ['missing_field', 'input', { input: null }],
    ['invalid_value', 'input', { input: '' }],
    ['invalid_value', 'input', { input: [] }],
    ['invalid_value', 'input', { input: 7 }],
    ['invalid_value', 'input', { input: { text: 'a' } }],
    ['invalid_value', 'input[1]', { input: ['a', ''] }],
    ['invalid_value', 'input[1]', { input: ['a', null] }],
    ['invalid_value', 'input[0]', { input: [[]] }],
    ['invalid_value', 'input[0]', { input: [1.5] }],
    ['invalid_value', 'input[0]', { input: [-1] }],
    ['invalid_value', 'dimensions', { input: 'a', dimensions: 0 }],
    ['invalid_value', 'dimensions', { input: 'a', dimensions: '3' }],
    ['invalid_value', 'encoding_format', { input: 'a', encoding_format: 'hex' }],
    ['invalid_value', 'user', { input: 'a', user: 1 }],
  ])('%s at %s', (code, param, body) => expect(refusal(() => codec.readHead(ask(body)))).toMatchObject({ code, param }))

  test('no JSON, no object, a form', () => {
    expect(refusal(() => codec.readHead('{'))).toMatchObject({ code: 'invalid_json' })
    expect(refusal(() => codec.readHead('[]'))).toMatchObject({ code: 'invalid_request' })
    expect(refusal(() => codec.readHead({ parts: [], size: 0 }))).toMatchObject({ code: 'unsupported_media_type' })
  })

  test.each([
    ['hello', 1, 2],
    [['hello', '你好吗'], 2, 5],
    [[1, 2, 3], 1, 3],
    [[[1, 2, 3], [4]], 2, 4],
    [[{ text: 'hello' }, { image: 'https://example.com/a.png' }], 2, 260],
  ])('%j: inputs, tokens by our count, and more than that held', (input, inputs, tokens) => {
    const head = codec.readHead(ask({ input }))
    expect(head).toMatchObject({ model: 'm', inputs, tokens, format: 'float', stream: false })
    expect(head.most.in.fresh).toBeGreaterThan(tokens)
  })

  test('the closed list of edits; every other byte stays', () => {
    const raw = '{ "input" : ["a",  "b"], "model":"m", "x":1.0 }'
    expect(codec.editRequest(raw, {})).toBe(raw)
    expect(codec.editRequest(raw, { model: 'up', remove: ['x'], set: { user: 'u' } })).toBe(
      '{ "input" : ["a",  "b"], "model":"up","user":"u" }',
    )
  })

  test('the model of the address wins over the body', () => {
    expect(withModel('{"input":"a"}', 'org/m')).toBe('{"input":"a","model":"org/m"}')
    expect(withModel('{"model":"dear","input":"a","model":"dear"}', 'm')).toBe('{"model":"m","input":"a","model":"m"}')
    expect(withModel('{}', 'm')).toBe('{"model":"m"}')
    expect(withModel('no json', 'm')).toBe('no json')
  })
})

describe('batches', () => {
  test('cut to the limit, every field of the same style kept', () => {
    const question = codec.readQuestion(ask({ input: ['a', [1], 'c'], dimensions: 4, encoding_format: 'base64', task: 'x' }))
    const { requests, losses } = codec.writeQuestion(question, target(2))
    const own = { dimensions: 4, encoding_format: 'base64', task: 'x', model: 'up' }
    expect(requests).toEqual([{ body: { ...own, input: ['a', [1]] } }, { body: { ...own, input: ['c'] } }])
    expect(losses).toEqual([])
  })

  test('of more than 2048 inputs are not made', () => {
    const question = codec.readQuestion(ask({ input: new Array(2049).fill('a') }))
    expect(refusal(() => codec.writeQuestion(question, target(100)))).toMatchObject({ code: 'unsupported_value', param: 'input' })
    expect(codec.writeQuestion({ ...question, inputs: question.inputs.slice(1) }, target(100)).requests).toHaveLength(21)
  })

  test('joined in order, with summed usage', () => {
    const question = codec.readQuestion(ask({ input: ['a', 'b', 'c'] }))
    const swapped = JSON.stringify({
      data: [
        { index: 1, embedding: [2] },
        { index: 0, embedding: [1] },
      ],
      usage: { prompt_tokens: 5, total_tokens: 5 },
    })
    const { answer: joined, usage } = codec.readAnswer([swapped, answer([base64([3])])], question)
    expect(joined.vectors).toEqual([[1], [2], [3]])
    expect(usage).toMatchObject({ in: { fresh: 13 }, units: { requests: 1 }, provenance: 'provider' })
    const silent = codec.readAnswer([swapped, answer([[3]], { usage: null })], question)
    expect(silent.usage).toMatchObject({ in: { fresh: 6 }, provenance: 'partial' })
    expect(refusal(() => codec.readAnswer([swapped], question)).code).toBe('upstream_error')
  })

  test('of inputs with other dimensions are asked for apart', () => {
    const input = (dimensions: number) => ({
      path: 'requests',
      content: { kind: 'text' as const, texts: ['a', 'b'] },
      dimensions,
      raw: null,
    })
    const question: EmbeddingQuestion = {
      style: 'gemini',
      model: 'm',
      inputs: [input(2), input(2), input(3)],
      format: 'float',
      batch: true,
      own: {},
      lostElsewhere: [],
    }
    expect(codec.writeQuestion(question, target()).requests.map(({ body }) => body)).toEqual([
      { model: 'up', input: ['a\nb', 'a\nb'], dimensions: 2 },
      { model: 'up', input: ['a\nb'], dimensions: 3 },
    ])
  })
})

describe('answers', () => {
  const head = (body: object) => codec.readHead(ask(body))

  test('pass byte for byte, the name apart', () => {
    const body = '{ "object":"list", "data":[{"embedding":[0.10, -2e-3],"index":0}], "model":"up-1", "usage":{"total_tokens":3}}'
    expect(codec.readWhole(body, {}, head({ input: 'a' }))).toMatchObject({ body, usage: { in: { fresh: 3 }, provenance: 'provider' } })
    expect(codec.readWhole(body, { model: 'm' }, head({ input: 'a' })).body).toBe(body.replace('up-1', 'm'))
  })

  test('come in the format that was asked for, whatever the upstream sent', () => {
    const numbers = [0.5, -0.25, 1.5]
    const floats = answer([numbers])
    const packed = answer([base64(numbers)])
    const base = head({ input: 'a', encoding_format: 'base64' })
    for (const body of [floats, packed]) {
      expect(JSON.parse(codec.readWhole(body, {}, head({ input: 'a' })).body)).toEqual(JSON.parse(floats))
      expect(JSON.parse(codec.readWhole(body, {}, base).body)).toEqual(JSON.parse(packed))
    }
    expect(codec.readWhole(packed, {}, base).body).toBe(packed)
    // Another vendor's own format option: the answer is passed on unchanged.
    expect(codec.readWhole(packed, {}, head({ input: 'a', embedding_type: 'base64' })).body).toBe(packed)
  })

  test('base64 is 32 bits each, lowest byte first', () => {
    const question = codec.readQuestion(ask({ input: 'a', encoding_format: 'base64' }))
    const { answer: read } = codec.readAnswer([answer([[1, -2]])], question)
    expect(JSON.parse(codec.writeAnswer(read, question, codecContext).body)).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: 'AACAPwAAAMA=' }],
      model: 'm',
      usage: { prompt_tokens: 8, total_tokens: 8 },
    })
  })

  test('without usage are counted here', () => {
    const silent = answer([[1]], { usage: undefined })
    expect(codec.readWhole(silent, {}, head({ input: 'twelve bytes' })).usage).toMatchObject({ in: { fresh: 3 }, provenance: 'estimated' })
  })

  test.each([
    ['another number of vectors', answer([[1], [2]])],
    ['no list', '{"object":"list"}'],
    ['a page', '<html>'],
    ['an error inside', '{"error":{"message":"no"}}'],
    ['a vector that is none', answer(['@@@'])],
    ['half a number', answer([Buffer.from([1, 2, 3]).toString('base64')])],
  ])('%s is a fault of the upstream', (_, body) => {
    expect(refusal(() => codec.readWhole(body, {}, head({ input: 'a' }))).code).toBe('upstream_error')
    expect(refusal(() => codec.readAnswer([body], codec.readQuestion(ask({ input: 'a' })))).code).toBe('upstream_error')
  })
})
