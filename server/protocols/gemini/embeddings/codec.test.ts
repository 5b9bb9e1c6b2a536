import { describe, expect, test } from 'bun:test'
import type { EmbeddingQuestion } from '#canonical/operation/embedding'
import { GatewayError } from '#shared/errors'
import { embeddingCodec as codec } from './codec.ts'

const one = 'm:embedContent'
const many = 'm:batchEmbedContents'
const content = (...texts: string[]) => ({ content: { parts: texts.map((text) => ({ text })) } })
const text = (value: object) => JSON.stringify(value)
const target = { model: 'up', capabilities: {}, stream: false }
const codecContext = { now: () => 0, id: (prefix: string) => prefix }

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
    ['content', one, {}],
    ['content', one, { content: 'hello' }],
    ['content.parts', one, { content: {} }],
    ['content.parts', one, { content: { parts: [] } }],
    ['content.parts', one, content('')],
    ['content.parts[0].text', one, { content: { parts: [{ text: 7 }] } }],
    ['taskType', one, { ...content('a'), taskType: 7 }],
    ['task_type', one, { ...content('a'), task_type: 7 }],
    ['embedContentConfig.title', one, { ...content('a'), embedContentConfig: { title: 7 } }],
    ['outputDimensionality', one, { ...content('a'), outputDimensionality: 0 }],
    ['outputDimensionality', one, { ...content('a'), outputDimensionality: 'many' }],
    ['model', one, { ...content('a'), model: 'models/dear' }],
    ['requests', many, {}],
    ['requests', many, { requests: [] }],
    ['requests', many, { requests: 'all' }],
    ['requests[1].content', many, { requests: [content('a'), {}] }],
    ['requests[1].model', many, { requests: [content('a'), { ...content('b'), model: 'models/dear' }] }],
  ])('%s', (param, path, body) => {
    const error = refusal(() => codec.readHead(text(body), path))
    expect(error).toMatchObject({ status: 400, param })
    expect(error.message).not.toContain('dear')
  })

  test('an action that embeds nothing', () => {
    expect(refusal(() => codec.readHead(text(content('a')), 'm:generateContent'))).toMatchObject({ code: 'not_found' })
  })

  test('inputs and tokens by our count, in either spelling', () => {
    expect(codec.readHead(text({ model: 'models/m', ...content('hello') }), one)).toMatchObject({ model: 'm', inputs: 1, tokens: 2 })
    const snake = { requests: [{ model: 'm', ...content('a', 'b'), output_dimensionality: '3' }, content('c')] }
    expect(codec.readHead(text(snake), many)).toMatchObject({ inputs: 2, tokens: 2 })
    expect(codec.readQuestion(text(snake), many).inputs[0]?.dimensions).toBe(3)
  })

  test('files of an account are named to the relay, media are counted', () => {
    const parts = [{ text: 'this' }, { fileData: { fileUri: 'files/abc' } }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }]
    const head = codec.readHead(text({ content: { parts } }), one)
    expect(head).toMatchObject({ stateRefs: [{ kind: 'file', id: 'files/abc' }], tokens: 1 + 258 + 258, media: ['other', 'image'] })
  })

  test('the closed list of edits; a batch repeats the name', () => {
    const raw = '{ "requests":[ {"model":"models/m", "content":{"parts":[{"text":"}],{"}]}} ,{"content":{}},{ } ] , "x":1 }'
    expect(codec.editRequest(raw, {})).toBe(raw)
    expect(codec.editRequest(raw, { model: 'up', remove: ['x'] })).toBe(
      '{ "requests":[ {"model":"models/up", "content":{"parts":[{"text":"}],{"}]}} ,{"content":{}},{ } ] }',
    )
    expect(codec.editRequest('{"model":"m","content":{"parts":{"text":"a"}}}', { model: 'tunedModels/t' })).toBe(
      '{"model":"tunedModels/t","content":{"parts":{"text":"a"}}}',
    )
    expect(codec.editRequest('{"requests":{"model":"m"}}', { model: 'up' })).toBe('{"requests":{"model":"models/up"}}')
  })

  test('what another style loses', () => {
    const lost = (body: object, path = one) =>
      codec.readQuestion(text(body), path).lostElsewhere.map(({ field, what, meaning }) => [field, what, meaning])
    expect(lost(content('a'))).toEqual([])
    expect(lost({ ...content('a'), taskType: 'TASK_TYPE_UNSPECIFIED', title: '' })).toEqual([])
    expect(lost({ requests: [content('a'), { ...content('a', 'b'), task_type: 'RETRIEVAL_QUERY', title: 'T', other: 1 }] }, many)).toEqual([
      ['taskType', 'dropped', true],
      ['title', 'dropped', true],
      ['content.parts', 'adapted', false],
      ['requests[1].other', 'dropped', true],
    ])
    expect(lost({ ...content('a'), embedContentConfig: { taskType: 'CLUSTERING' } })).toEqual([['taskType', 'dropped', true]])
  })
})

describe('written', () => {
  const question = (count: number, more: Partial<EmbeddingQuestion> = {}): EmbeddingQuestion => ({
    style: 'openai',
    model: 'm',
    inputs: Array.from({ length: count }, (_, index) => ({
      path: `input[${index}]`,
      content: { kind: 'text', texts: [`${index}`] },
      dimensions: 8,
      raw: `${index}`,
    })),
    format: 'float',
    batch: true,
    own: {},
    lostElsewhere: [{ field: 'user', what: 'dropped', reason: 'It is not told.', meaning: false }],
    ...more,
  })
  const request = (index: number) => ({
    model: 'models/up',
    content: { parts: [{ text: `${index}` }] },
    outputDimensionality: 8,
  })

  test('one input alone, more in batches of a hundred', () => {
    expect(codec.writeQuestion(question(1, { batch: false }), target)).toMatchObject({
      requests: [{ body: request(0) }],
      losses: [{ field: 'user' }],
    })
    const { requests } = codec.writeQuestion(question(230), target)
    expect(requests.map(({ body, variant }) => [(body as { requests: unknown[] }).requests.length, variant])).toEqual([
      [100, 'batch'],
      [100, 'batch'],
      [30, 'batch'],
    ])
    expect(requests[2]?.body).toMatchObject({ requests: { 0: request(200), 29: request(229) } })
    const fewer = { ...target, capabilities: { maxInputs: 1 } }
    expect(codec.writeQuestion(question(2), fewer).requests).toHaveLength(2)
  })

  test('tokens cannot be expressed', () => {
    const inputs = [{ path: 'input', content: { kind: 'tokens' as const, tokens: [1] }, raw: [1] }]
    expect(refusal(() => codec.writeQuestion(question(0, { inputs }), target))).toMatchObject({ code: 'unsupported_value', param: 'input' })
  })

  test('its own fields are kept when a batch is cut', () => {
    const asked = { model: 'models/m', ...content('a'), taskType: 'CLUSTERING', other: 1 }
    const own = codec.readQuestion(text({ requests: [asked, asked] }), many)
    expect(codec.writeQuestion(own, { ...target, capabilities: { maxInputs: 1 } })).toEqual({
      requests: [
        { body: { requests: [{ ...asked, model: 'models/up' }] }, variant: 'batch' },
        { body: { requests: [{ ...asked, model: 'models/up' }] }, variant: 'batch' },
      ],
      losses: [],
    })
  })
})

describe('answers', () => {
  const head = codec.readHead(text(content('twelve bytes')), one)
  const asked = codec.readQuestion(text(content('twelve bytes')), one)

  test('pass byte for byte; usage as reported, else counted', () => {
    const classic = '{ "embedding": { "values": [0.10, -2e-3] } }'
    expect(codec.readWhole(classic, { model: 'm' }, head)).toMatchObject({
      body: classic,
      usage: { in: { fresh: 3 }, provenance: 'estimated' },
    })
    const reported = '{"embeddings":[{"values":[1]}],"usageMetadata":{"promptTokenCount":7}}'
    expect(codec.readWhole(reported, {}, head)).toMatchObject({ body: reported, usage: { in: { fresh: 7 }, provenance: 'provider' } })
  })

  test('several bodies are one answer, in order', () => {
    const batch = codec.readQuestion(text({ requests: [content('1'), content('22222'), content('3')] }), many)
    const bodies = ['{"embeddings":[{"values":[1]},{"values":["2"]}]}', '{"embedding":{"values":[3]}}']
    const { answer, usage } = codec.readAnswer(bodies, batch)
    expect(usage).toMatchObject({ in: { fresh: 4 }, provenance: 'estimated', units: { requests: 1 } })
    expect(JSON.parse(codec.writeAnswer(answer, batch, codecContext).body)).toEqual({
      embeddings: [{ values: [1] }, { values: [2] }, { values: [3] }],
    })
    expect(refusal(() => codec.readAnswer(bodies.slice(1), batch)).code).toBe('upstream_error')
  })

  test('written for one question, with the usage that an upstream reported', () => {
    const { answer } = codec.readAnswer(['{"embedding":{"values":[3]},"usageMetadata":{"promptTokenCount":7}}'], asked)
    expect(JSON.parse(codec.writeAnswer(answer, asked, codecContext).body)).toEqual({
      embedding: { values: [3] },
      usageMetadata: { promptTokenCount: 7 },
    })
  })

  test.each([
    ['another number', '{"embeddings":[{"values":[1]},{"values":[2]}]}'],
    ['none', '{"embeddings":[]}'],
    ['no values', '{"embedding":{}}'],
    ['no numbers', '{"embedding":{"values":["x"]}}'],
    ['a page', '<html>'],
    ['an error inside', '{"error":{"code":500,"message":"no","status":"INTERNAL"}}'],
  ])('%s is a fault of the upstream', (_, body) => {
    expect(refusal(() => codec.readWhole(body, {}, head)).code).toBe('upstream_error')
    expect(refusal(() => codec.readAnswer([body], asked)).code).toBe('upstream_error')
  })
})
