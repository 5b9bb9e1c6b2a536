/** POST /v1/rerank: one endpoint for clients of Jina and of Cohere, with upstreams of either. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'
import { type Bad, carriers, expectRefused, post, secret } from './support/refused.ts'
import { cohereVendor, jinaVendor, sloppyVendor } from './support/rerank-vendors.ts'

const documents = ['The weather in Paris', 'A recipe for bread', 'Weather', { text: 'Paris weather today in the city', id: 7 }]
const question = { query: 'weather today in Paris', documents }

interface Answer {
  model: string
  results: { index: number; relevance_score: number; document?: { text: string; id?: number } }[]
  usage: { total_tokens: number }
}

let gateway: Gateway
const upstreams: Record<'jina' | 'cohere' | 'sloppy', ScriptedUpstream> = {} as never

beforeAll(async () => {
  upstreams.jina = await scriptedUpstream(jinaVendor())
  upstreams.cohere = await scriptedUpstream(cohereVendor())
  upstreams.sloppy = await scriptedUpstream(sloppyVendor)
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  const jina = {
    vendor: 'jina',
    models: ['jina-reranker-v3', { name: 'ours', upstream: 'jina-reranker-v3' }, { name: 'either', upstream: 'jina-reranker-v3' }],
  }
  await gateway.channel('jina', upstreams.jina.url, { ...jina, priority: 1 })
  const cohere = ['rerank-v3.5', { name: 'either', upstream: 'rerank-v3.5' }]
  await gateway.channel('cohere', upstreams.cohere.url, { vendor: 'cohere', models: cohere })
  await gateway.channel('local', upstreams.sloppy.url, { models: ['bge-reranker-v2-m3', 'gpt-4o'] })
  for (const model of ['jina-reranker-v3', 'ours', 'bge-reranker-v2-m3', 'gpt-4o'])
    await gateway.price(model, { input: '0.02', output: '0' })
  await gateway.price('rerank-v3.5', { search: '0.002' })
  await gateway.price('either', { input: '0.02', output: '0', search: '0.001' })
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const upstream of Object.values(upstreams)) await upstream.close()
})

const ask = (body: unknown, headers?: Record<string, string>) => post(gateway, '/v1/rerank', body, headers)
const read = async (answer: Response) => {
  expect([answer.status, await answer.clone().text()]).toEqual([200, expect.any(String)])
  return (await answer.json()) as Answer
}
const rowOf = (answer: Response) => gateway.log(answer.headers.get('x-request-id') ?? '')
const order = ({ results }: Answer) => results.map(({ index }) => index)

describe('a channel of Jina', () => {
  test('gets the bytes and gives its own', async () => {
    const number = upstreams.jina.requests.length
    const body = `{ "model":"jina-reranker-v3", "query":"weather", "documents":["a weather","b"],"top_n":1, "truncation":true }`
    const answer = await ask(body)
    const text = await answer.text()
    expect(upstreams.jina.requests[number]?.text()).toBe(body)
    expect(JSON.parse(text)).toEqual({
      model: 'jina-reranker-v3',
      object: 'list',
      usage: { total_tokens: 120 },
      results: [{ index: 0, relevance_score: 1, document: { text: 'a weather' } }],
    })
    expect(answer.headers.get('x-parley-losses')).toBeNull()
    // 120 tokens at 0.02 USD per million.
    expect(await rowOf(answer)).toMatchObject({
      operation: 'rerank',
      dialect: 'jina',
      channel: 'jina',
      cost: '0.0000024',
      provenance: 'provider',
      usage: { in: { fresh: 120 }, out: { total: 0 }, units: { requests: 1, searches: 1 } },
    })
  })

  test('under another name, every carrier', async () => {
    for (const { query, headers } of carriers(gateway.key)) {
      const number = upstreams.jina.requests.length
      const answer = await read(await post(gateway, `/v1/rerank${query}`, { model: 'ours', ...question }, headers))
      expect(answer.model).toBe('ours')
      expect(upstreams.jina.requests[number]?.json()).toMatchObject({ model: 'jina-reranker-v3', documents })
      expect(order(answer)[0]).toBe(3)
    }
    const wrong = await ask({ model: 'ours', ...question }, { authorization: 'Bearer sk-not-known-at-all' })
    expect([wrong.status, ((await wrong.json()) as { error: { code: string } }).error.code]).toEqual([401, 'invalid_api_key'])
  })

  test('is not sent settings of Cohere`s: they are reported, and refused in strict mode', async () => {
    const body = { model: 'jina-reranker-v3', ...question, max_tokens_per_doc: 50, priority: 1 }
    const number = upstreams.jina.requests.length
    const answer = await ask(body)
    await read(answer)
    expect(upstreams.jina.requests[number]?.json()).toEqual({ model: 'jina-reranker-v3', ...question })
    expect(answer.headers.get('x-parley-losses')).toBe('rerank.max_tokens_per_doc:dropped,rerank.priority:dropped')
    expect(await rowOf(answer)).toMatchObject({ losses: [{ field: 'rerank.max_tokens_per_doc' }, { field: 'rerank.priority' }] })
    const headers = { 'x-parley-strict': 'true' }
    await expectRefused(gateway, '/v1/rerank', {
      ...{ name: 'strict', body, headers, status: 400, code: 'unsupported_value', param: 'rerank.max_tokens_per_doc' },
    })
    expect(upstreams.jina.requests).toHaveLength(number + 1)
  })
})

describe('a channel of Cohere', () => {
  test('is asked in its own words and answers in Jina`s, billed by its search units', async () => {
    const number = upstreams.cohere.requests.length
    upstreams.cohere.next(cohereVendor(2))
    const body = { model: 'rerank-v3.5', ...question, top_n: 2, return_documents: true, max_tokens_per_doc: 50, overlap_tokens: 4 }
    const response = await ask(body)
    const answer = await read(response)
    expect(upstreams.cohere.requests[number]?.json()).toEqual({
      ...{ model: 'rerank-v3.5', query: question.query, top_n: 2, max_tokens_per_doc: 50 },
      documents: ['The weather in Paris', 'A recipe for bread', 'Weather', 'Paris weather today in the city'],
    })
    expect(answer).toMatchObject({
      model: 'rerank-v3.5',
      results: [
        { index: 3, relevance_score: 1, document: { text: 'Paris weather today in the city', id: 7 } },
        { index: 0, relevance_score: 0.75, document: { text: 'The weather in Paris' } },
      ],
    })
    expect(response.headers.get('x-parley-losses')).toBe('rerank.documents:dropped,rerank.overlap_tokens:dropped')
    expect(await rowOf(response)).toMatchObject({
      channel: 'cohere',
      cost: '0.004',
      provenance: 'provider',
      usage: { in: { fresh: 0 }, units: { searches: 2 } },
    })
  })
})

describe('a client of Cohere', () => {
  const v2 = (body: unknown) => post(gateway, '/v2/rerank', body)

  test('gets the bytes of a channel of Cohere', async () => {
    const number = upstreams.cohere.requests.length
    const body = `{ "model":"rerank-v3.5", "query":"weather", "documents":["a weather","b"],"top_n":1, "max_tokens_per_doc":50 }`
    const response = await v2(body)
    expect(upstreams.cohere.requests[number]?.text()).toBe(body)
    expect(await read(response)).toMatchObject({ results: [{ index: 0, relevance_score: 1 }], meta: { billed_units: { search_units: 1 } } })
    expect(await rowOf(response)).toMatchObject({ channel: 'cohere', dialect: 'cohere', cost: '0.002', losses: [] })
  })

  test('gets its own shape from a channel of Jina', async () => {
    const response = await v2({ model: 'jina-reranker-v3', ...question, top_n: 2, max_tokens_per_doc: 50 })
    const answer = await read(response)
    expect(Object.keys(answer).sort()).toEqual(['meta', 'results'])
    expect(order(answer)).toEqual([3, 0])
    expect(answer).toMatchObject({ meta: { billed_units: { search_units: 1 } } })
    expect(response.headers.get('x-parley-losses')).toContain('rerank.max_tokens_per_doc:dropped')
    expect(await rowOf(response)).toMatchObject({ channel: 'jina', dialect: 'cohere', provenance: 'provider' })
  })

  test('hears of a mistake as clients of OpenAI do', async () => {
    await expectRefused(gateway, '/v2/rerank', {
      ...{
        name: 'no query',
        body: { model: 'rerank-v3.5', documents: ['a'] },
        headers: {},
        status: 400,
        code: 'missing_field',
        param: 'query',
      },
    })
  })
})

test('a server that sorts, cuts and leaves nothing out is put right, and what it does not count is estimated', async () => {
  const response = await ask({ model: 'bge-reranker-v2-m3', ...question, top_n: 2, return_documents: false })
  const answer = await read(response)
  expect(answer.results).toEqual([
    { index: 3, relevance_score: 1 },
    { index: 0, relevance_score: 0.75 },
  ])
  // Four pairs of 22 bytes with 20, 18, 7 and 31, four bytes to a token: 11 + 10 + 8 + 14.
  expect(await rowOf(response)).toMatchObject({ usage: { in: { fresh: 43 } }, provenance: 'estimated', cost: '0.00000086' })
  const given = await read(await ask({ model: 'bge-reranker-v2-m3', ...question, top_n: 1, return_documents: true }))
  expect(given.results).toEqual([{ index: 3, relevance_score: 1, document: { text: 'Paris weather today in the city', id: 7 } }])
})

describe('failover', () => {
  const body = { model: 'either', ...question, top_n: 1 }

  test('goes from one style to the other, and only the attempt that delivered is charged', async () => {
    upstreams.jina.next(respondJson(500, { detail: 'oops' }))
    const response = await ask(body)
    expect(order(await read(response))).toEqual([3])
    const row = await rowOf(response)
    // One search at 0.001; 43 tokens, which Cohere does not tell, at 0.02 per million.
    expect(row).toMatchObject({ channel: 'cohere', cost: '0.00100086', provenance: 'partial' })
    expect(row.attempts).toMatchObject([
      { channel: 'jina', status: 500 },
      { channel: 'cohere', status: 200 },
    ])
  })

  test('an answer that is no ranking is a failed attempt', async () => {
    upstreams.jina.next(respondJson(200, { results: [{ index: 99, relevance_score: 1 }] }))
    const response = await ask(body)
    expect(order(await read(response))).toEqual([3])
    expect(await rowOf(response)).toMatchObject({ attempts: [{ channel: 'jina', cause: 'upstream_error' }, { channel: 'cohere' }] })
  })

  test('what the upstream refuses is passed on with its status, without its words about keys', async () => {
    upstreams.cohere.next(respondJson(422, { message: 'too many tokens in document 3 for sk-vendor-secret-1234567890' }))
    await expectRefused(gateway, '/v1/rerank', {
      ...{ name: 'upstream 422', body: { model: 'rerank-v3.5', ...question }, status: 422, code: null as never },
    })
    const refuse = respondJson(401, { message: 'invalid api token' })
    upstreams.cohere.next(refuse, refuse)
    const refused = await ask({ model: 'rerank-v3.5', ...question })
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([502, 'upstream_auth_failed'])
  })
})

test('money that does not cover the most it may cost refuses it before anything is sent', async () => {
  const { key } = await gateway.user('poor', '0.001')
  const number = upstreams.cohere.requests.length
  const answer = await ask({ model: 'rerank-v3.5', ...question }, { authorization: `Bearer ${key}` })
  expect([answer.status, await answer.json()]).toMatchObject([429, { error: { code: 'insufficient_quota' } }])
  expect(upstreams.cohere.requests).toHaveLength(number)
})

const bad: Bad[] = [
  { name: 'another type', body: 'a=b', headers: { 'content-type': 'text/plain' }, status: 415, code: 'unsupported_media_type' },
  { name: 'no JSON', body: `{"${secret}`, status: 400, code: 'invalid_json' },
  { name: 'no model', body: question, status: 400, code: 'missing_field', param: 'model' },
  { name: 'no query', body: { model: 'ours', documents }, status: 400, code: 'missing_field', param: 'query' },
  { name: 'an empty query', body: { model: 'ours', documents, query: '' }, status: 400, code: 'invalid_value', param: 'query' },
  { name: 'no documents', body: { model: 'ours', query: secret }, status: 400, code: 'missing_field', param: 'documents' },
  {
    name: 'empty documents',
    body: { model: 'ours', query: secret, documents: [] },
    status: 400,
    code: 'invalid_value',
    param: 'documents',
  },
  {
    name: 'a number',
    body: { model: 'ours', query: 'q', documents: [secret, 5] },
    status: 400,
    code: 'invalid_value',
    param: 'documents.1',
  },
  { name: 'top_n', body: { model: 'ours', ...question, top_n: secret }, status: 400, code: 'invalid_value', param: 'top_n' },
  { name: 'an unknown model', body: { model: secret, ...question }, status: 404, code: 'model_not_found', param: 'model' },
  { name: 'a chat model', body: { model: 'gpt-4o', ...question }, status: 400, code: 'unsupported_endpoint', param: 'model' },
  { name: 'the demo`s chat model', body: { model: 'parley-demo', ...question }, status: 400, code: 'unsupported_endpoint', param: 'model' },
]

test.each(bad)('bad input: $name', (one) => expectRefused(gateway, '/v1/rerank', one))

test('a model for ranking holds no conversation', () =>
  expectRefused(gateway, '/v1/chat/completions', {
    ...{ name: 'chat', body: { model: 'bge-reranker-v2-m3', messages: [{ role: 'user', content: 'x' }] } },
    ...{ status: 400, code: 'unsupported_endpoint', param: 'model' },
  }))

test('the demo ranks by words in common, and is priced', async () => {
  const response = await ask({ model: 'parley-demo-rerank', ...question, return_documents: true, top_n: 1 })
  expect(await read(response)).toMatchObject({ results: [{ index: 3, relevance_score: 1 }], usage: { total_tokens: 43 } })
  expect(await rowOf(response)).toMatchObject({ channel: 'demo', cost: '0.000043', provenance: 'provider' })
})

test('the wrong method names the right one', async () => {
  const answer = await fetch(`${gateway.url}/v1/rerank`)
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
})
