/**
 * Embeddings with the official SDKs and with plain requests, in both formats, from upstreams of both formats, through the whole program.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { GoogleGenAI as GoogleGenAI2 } from 'google-genai-2'
import OpenAI from 'openai'
import { sampledEngines } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { geminiEmbeddings, openaiEmbeddings, packed, tokensFor, vectorFor } from '#testing/vendors/embedding-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

interface Row {
  operation: string
  dialect: string
  model: string
  upstreamModel: string
  status: number
  cost: string
  provenance: string | null
  usage: { in: { fresh: number }; units: { requests: number } } | null
  losses: { field: string; what: string }[]
  attempts: { channel: string; phase: string }[]
}

const small = 'text-embedding-3-small'
const gecko = 'gemini-embedding-001'

describe.each(sampledEngines(import.meta.file))('embeddings on %s', (engine) => {
  const upstreams: Record<'openai' | 'floats' | 'base64' | 'gemini' | 'newest', ScriptedUpstream> = {} as never
  let gateway: Gateway
  let client: OpenAI

  beforeAll(async () => {
    upstreams.openai = await scriptedUpstream(openaiEmbeddings({ models: [small] }))
    upstreams.floats = await scriptedUpstream(openaiEmbeddings({ models: ['local-embed'], format: 'float', silent: true }))
    upstreams.base64 = await scriptedUpstream(openaiEmbeddings({ models: ['packed-embed'], format: 'base64' }))
    upstreams.gemini = await scriptedUpstream(geminiEmbeddings({ models: [gecko] }))
    upstreams.newest = await scriptedUpstream(geminiEmbeddings({ models: ['gemini-embedding-2'], told: true }))
    gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'on' } })
    const named = (name: string, upstream: string) => ({ name, upstream })
    const smalls = [small, named('small', small), named('org/small', small), named('shared-embed', small), 'gpt-5']
    await gateway.channel('openai', upstreams.openai.url, { vendor: 'openai', models: smalls, priority: 2 })
    await gateway.channel('floats', upstreams.floats.url, { models: ['local-embed'] })
    await gateway.channel('base64', upstreams.base64.url, { models: ['packed-embed'] })
    const geckos = [gecko, named('near', gecko), named('shared-embed', gecko)]
    await gateway.channel('gemini', upstreams.gemini.url, { vendor: 'gemini', models: geckos, priority: 1 })
    await gateway.channel('newest', upstreams.newest.url, { vendor: 'gemini', models: ['gemini-embedding-2'] })
    const models = [
      small,
      'small',
      'org/small',
      'shared-embed',
      'gpt-5',
      'local-embed',
      'packed-embed',
      gecko,
      'near',
      'gemini-embedding-2',
    ]
    for (const model of models) await gateway.price(model, { input: '0.02', output: '0' })
    client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    for (const upstream of Object.values(upstreams)) await upstream.close()
  })

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const embed = (body: object, headers?: Record<string, string>) => post('/v1/embeddings', body, headers)
  const row = (answer: { headers: Headers }) => gateway.log<Row>(answer.headers.get('x-request-id') ?? '')
  const sum = (texts: readonly string[], count: (text: string) => number) => texts.reduce((tokens, text) => tokens + count(text), 0)
  /** 0.02 USD per million tokens is 20 nano-dollars each. */
  const usd = (tokens: number) => (BigInt(tokens) * 20n === 0n ? '0' : `0.${String(tokens * 20).padStart(9, '0')}`.replace(/0+$/, ''))
  const quarter = (text: string) => Math.ceil(Buffer.byteLength(text) / 4)
  const texts = ['1 first', '22 second', '3 third 世界']

  describe('the openai SDK', () => {
    test.each([
      [small, 'provider'],
      ['small', 'provider'],
      ['local-embed', 'estimated'],
      ['packed-embed', 'provider'],
      [gecko, 'estimated'],
      ['near', 'estimated'],
      ['gemini-embedding-2', 'provider'],
    ])('%s: base64 as the SDK asks silently, and floats', async (model, provenance) => {
      const { data: silent, response } = await client.embeddings.create({ model, input: texts }).withResponse()
      const expected = texts.map((text) => [...Float32Array.from(vectorFor(text))])
      expect(silent.data.map(({ embedding }) => [...embedding])).toEqual(expected)
      expect(silent.data.map(({ index }) => index)).toEqual([0, 1, 2])
      const floats = await client.embeddings.create({ model, input: texts, encoding_format: 'float' })
      expect(floats.data.map(({ embedding }) => embedding)).toEqual(texts.map((text) => vectorFor(text)))
      const tokens = sum(texts, provenance === 'provider' ? tokensFor : quarter)
      if (model !== 'local-embed') expect(silent.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens })
      expect(await row(response)).toMatchObject({
        operation: 'embed',
        dialect: 'openai',
        model,
        provenance,
        cost: usd(tokens),
        usage: { in: { fresh: tokens }, units: { requests: 1 } },
        losses: [],
      })
    })

    test.each([[small], ['local-embed'], ['packed-embed'], [gecko]])('%s: what is on the wire is what was asked for', async (model) => {
      for (const encoding_format of ['base64', 'float', undefined]) {
        const answer = (await (await embed({ model, input: '1 one', encoding_format })).json()) as { data: unknown[] }
        const embedding = encoding_format === 'base64' ? packed(vectorFor('1 one')) : vectorFor('1 one')
        expect(answer).toMatchObject({ object: 'list', data: [{ object: 'embedding', index: 0, embedding }] })
      }
    })

    test('dimensions reach both kinds of upstream', async () => {
      for (const model of [small, gecko]) {
        const answer = await client.embeddings.create({ model, input: ['1', '2'], dimensions: 7 })
        expect(answer.data.map(({ embedding }) => embedding.length)).toEqual([7, 7])
      }
    })

    test('the demo: unit vectors, and what they cost', async () => {
      const { data, response } = await client.embeddings
        .create({ model: 'parley-demo-embed', input: ['a cat on a mat', 'the cat on the mat', 'share prices'], dimensions: 64 })
        .withResponse()
      const [cat = [], other = [], shares = []] = data.data.map(({ embedding }) => embedding)
      const dot = (a: number[], b: number[]) => a.reduce((total, number, index) => total + number * (b[index] ?? 0), 0)
      expect([cat.length, Math.round(dot(cat, cat) * 1e4)]).toEqual([64, 10_000])
      expect(dot(cat, other)).toBeGreaterThan(dot(cat, shares))
      expect(await row(response)).toMatchObject({ cost: '0.000012', usage: { in: { fresh: 12 } } })
      expect((await embed({ model: 'parley-demo', input: 'a' })).status).toBe(400)
    })
  })

  describe('the bytes', () => {
    test('of the same style pass in both directions', async () => {
      const raw = '{ "input" : ["1 a",  "2 b"] ,"model":"text-embedding-3-small", "encoding_format":"float" ,"user":"\\u0075" }'
      const number = upstreams.openai.requests.length
      const reply = '{ "object":"list", "data":[{"index":0,"embedding":[0.10]},{"index":1,"embedding":[2e-1]}],"model":"v1" }\n'
      upstreams.openai.next(async (exchange) => {
        await exchange.head(200, { 'Content-Type': 'application/json', 'Content-Length': String(reply.length) })
        await exchange.write(reply)
      })
      const answer = await post('/v1/embeddings', raw)
      expect(await answer.text()).toBe(reply)
      expect(upstreams.openai.requests[number]?.text()).toBe(raw)
      const google =
        '{ "requests":[ {"model":"models/gemini-embedding-001","content":{"parts":[{"text":"1"}]}, "taskType":"CLUSTERING"} ] }'
      const at = upstreams.gemini.requests.length
      expect((await post(`/v1beta/models/${gecko}:batchEmbedContents`, google)).status).toBe(200)
      expect(upstreams.gemini.requests[at]?.text()).toBe(google)
      await post('/v1beta/models/near:batchEmbedContents', google.replace(gecko, 'near'))
      expect(upstreams.gemini.requests[at + 1]?.text()).toBe(google)
    })
  })

  describe('batches', () => {
    const many = Array.from({ length: 250 }, (_, index) => `${index} text`)

    test('are cut to what Google takes, and come back in order with their usage in one', async () => {
      const before = upstreams.newest.requests.length
      const answer = await embed({ model: 'gemini-embedding-2', input: many })
      const { data, usage } = (await answer.json()) as { data: { embedding: number[] }[]; usage: { prompt_tokens: number } }
      expect(data.map(({ embedding }) => embedding[0])).toEqual(many.map((_, index) => index))
      const sent = upstreams.newest.requests.slice(before).map((request) => (request.json() as { requests: unknown[] }).requests.length)
      expect(sent).toEqual([100, 100, 50])
      const tokens = sum(many, tokensFor)
      expect(usage.prompt_tokens).toBe(tokens)
      expect(await row(answer)).toMatchObject({ provenance: 'provider', cost: usd(tokens), usage: { units: { requests: 1 } } })
    })

    test('of a Google client too, with every option kept', async () => {
      const before = upstreams.gemini.requests.length
      const requests = many.slice(0, 150).map((text) => ({ model: 'models/near', content: { parts: [{ text }] }, taskType: 'CLUSTERING' }))
      const answer = await post('/v1beta/models/near:batchEmbedContents', { requests })
      const { embeddings } = (await answer.json()) as { embeddings: { values: number[] }[] }
      expect(embeddings.map(({ values }) => values[0])).toEqual(requests.map((_, index) => index))
      const sent = upstreams.gemini.requests
        .slice(before)
        .map((request) => (request.json() as { requests: Record<string, unknown>[] }).requests)
      expect(sent.map(({ length }) => length)).toEqual([100, 50])
      expect(sent.flat().every(({ taskType, model }) => taskType === 'CLUSTERING' && model === `models/${gecko}`)).toBe(true)
      expect(await row(answer)).toMatchObject({ losses: [], provenance: 'estimated', cost: usd(sum(many.slice(0, 150), quarter)) })
    })

    test('2048 inputs at once go, more are refused where they would have to be cut', async () => {
      const all = Array.from({ length: 2048 }, (_, index) => `${index}`)
      for (const model of [small, gecko]) {
        const answer = await client.embeddings.create({ model, input: all })
        expect(answer.data.map(({ embedding }) => embedding[0])).toEqual(all.map(Number))
      }
      const refused = await embed({ model: gecko, input: [...all, 'one more'] })
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'unsupported_value', param: 'input' } }])
    })
  })

  describe('what a style cannot express', () => {
    test('token arrays go to OpenAI, and are refused for Google', async () => {
      const number = upstreams.openai.requests.length
      const answer = await client.embeddings.create({ model: small, input: [[1, 2, 3], [4]], encoding_format: 'float' })
      expect(upstreams.openai.requests[number]?.json()).toMatchObject({ input: [[1, 2, 3], [4]] })
      expect(answer.data).toHaveLength(2)
      const refused = await embed({ model: gecko, input: [1, 2, 3] })
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'unsupported_value', param: 'input' } }])
      expect(await row(refused)).toMatchObject({ cost: '0', usage: null, attempts: [] })
      // A channel of the other style is not asked, but the next one is.
      const shared = await embed({ model: 'shared-embed', input: [7] })
      expect(await row(shared)).toMatchObject({ status: 200, attempts: [{ channel: 'openai' }] })
    })

    test('a purpose and a title are lost on the way to OpenAI: reported, and refused in strict mode', async () => {
      const asked = { content: { parts: [{ text: '5 five' }] }, taskType: 'RETRIEVAL_DOCUMENT', title: 'T', outputDimensionality: 4 }
      const path = `/v1beta/models/${small}:embedContent`
      const answer = await post(path, asked)
      expect(await answer.json()).toEqual({ embedding: { values: vectorFor('5 five', 4) }, usageMetadata: { promptTokenCount: 9 } })
      expect(answer.headers.get('x-parley-losses')).toBe('taskType:dropped,title:dropped')
      expect(await row(answer)).toMatchObject({ dialect: 'gemini', cost: usd(9), losses: [{ field: 'taskType' }, { field: 'title' }] })
      const strict = await post(path, asked, { 'x-parley-strict': 'true' })
      expect([strict.status, await strict.json()]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }])
      expect(await row(strict)).toMatchObject({ cost: '0', attempts: [] })
      expect((await post(`/v1beta/models/${gecko}:embedContent`, asked, { 'x-parley-strict': 'true' })).status).toBe(200)
    })
  })

  describe('the endpoint that names its model in the address', () => {
    test.each([
      ['small', 'small'],
      ['org/small', 'org/small'],
      ['org%2Fsmall', 'org/small'],
      [gecko, gecko],
    ])('%s', async (segment, model) => {
      for (const body of [{ input: '8 eight' }, { input: '8 eight', model: 'gpt-5' }]) {
        const answer = await post(`/v1/engines/${segment}/embeddings`, body)
        expect([answer.status, await answer.json()]).toMatchObject([200, { model: model === gecko ? gecko : model, data: [{ index: 0 }] }])
        expect(await row(answer)).toMatchObject({ operation: 'embed', dialect: 'openai', model })
      }
    })

    test('serves nothing else', async () => {
      const got = async (path: string, body: unknown) => {
        const answer = await post(path, body)
        return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code]
      }
      expect(await got('/v1/engines/small/completions', { prompt: 'a' })).toEqual([404, 'not_found'])
      expect(await got('/v1/engines/none/embeddings', { input: 'a' })).toEqual([404, 'model_not_found'])
      expect(await got('/v1/engines/small/embeddings', '{')).toEqual([400, 'invalid_json'])
      expect(await got('/v1/engines/small/embeddings', '[]')).toEqual([400, 'invalid_request'])
      expect((await fetch(`${gateway.url}/v1/engines/small/embeddings`)).status).toBe(405)
    })
  })

  describe('Google`s SDKs', () => {
    const google = (key = gateway.key) => [
      new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url } }),
      new GoogleGenAI2({ apiKey: key, httpOptions: { baseUrl: gateway.url } }),
    ]

    test.each([[gecko], ['near'], [small], ['gemini-embedding-2'], ['parley-demo-embed']])('%s: one text, and several', async (model) => {
      const dimensions = model === 'parley-demo-embed' ? 16 : 3
      for (const { models } of google()) {
        const config = { outputDimensionality: dimensions }
        const one = await models.embedContent({ model, contents: '9 nine', config })
        expect(one.embeddings?.map(({ values }) => values?.length)).toEqual([dimensions])
        if (model === 'gemini-embedding-2') continue // This SDK makes one content of several texts for this model.
        const several = await models.embedContent({ model, contents: texts, config })
        expect(several.embeddings?.map(({ values }) => values?.length)).toEqual([dimensions, dimensions, dimensions])
        if (model !== 'parley-demo-embed')
          expect(several.embeddings?.map(({ values }) => values)).toEqual(texts.map((text) => vectorFor(text)))
      }
    })

    test('a refusal is one that they understand', async () => {
      for (const { models } of google()) {
        const fault = await models.embedContent({ model: 'none', contents: 'a' }).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        expect(fault).toMatchObject({ status: 404 })
      }
    })

    test.each(['/v1beta', '/v1'])('plain requests under %s, one and a batch', async (prefix) => {
      const content = { parts: [{ text: '6 six' }] }
      for (const model of [gecko, small]) {
        const one = (await (await post(`${prefix}/models/${model}:embedContent`, { content })).json()) as object
        expect(one).toMatchObject({ embedding: { values: vectorFor('6 six') } })
        const requests = [{ model: `models/${model}`, content }]
        const batch = (await (await post(`${prefix}/models/${model}:batchEmbedContents`, { requests })).json()) as object
        expect(batch).toMatchObject({ embeddings: [{ values: vectorFor('6 six') }] })
      }
    })
  })

  describe('as good as chat', () => {
    const routes: [name: string, path: string, body: object][] = [
      ['openai', '/v1/embeddings', { model: small, input: 'a' }],
      ['engines', '/v1/engines/small/embeddings', { input: 'a' }],
      ['embedContent', `/v1beta/models/${gecko}:embedContent`, { content: { parts: [{ text: 'a' }] } }],
      [
        'batchEmbedContents',
        `/v1/models/${gecko}:batchEmbedContents`,
        { requests: [{ model: `models/${gecko}`, content: { parts: [{ text: 'a' }] } }] },
      ],
    ]

    test.each(routes)('%s: every carrier of a key, and none', async (_, path, body) => {
      const send = (address: string, headers: Record<string, string>) =>
        fetch(gateway.url + address, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
      for (const name of ['x-api-key', 'x-third-api-key', 'x-goog-api-key']) {
        expect((await send(path, { [name]: gateway.key })).status).toBe(200)
      }
      expect((await send(path, { authorization: `bearer ${gateway.key}` })).status).toBe(200)
      expect((await send(`${path}?key=${gateway.key}`, {})).status).toBe(200)
      expect((await send(path, {})).status).toBe(401)
      expect((await send(path, { authorization: 'Bearer sk-wrong' })).status).toBe(401)
      const text = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { 'x-api-key': gateway.key, 'content-type': 'text/plain' },
        body: 'a',
      })
      expect(text.status).toBe(415)
    })

    test.each(routes)('%s: without money nothing is asked', async (name, path, body) => {
      const { key } = await gateway.user(`poor-${name}`, '0')
      const before = [upstreams.openai.requests.length, upstreams.gemini.requests.length]
      const answer = await post(path, body, { authorization: `Bearer ${key}` })
      expect(answer.status).toBe(429)
      expect(await answer.text()).toMatch(/insufficient_quota|RESOURCE_EXHAUSTED/)
      expect([upstreams.openai.requests.length, upstreams.gemini.requests.length]).toEqual(before)
    })

    test('an upstream that fails is passed over, for one of another style too', async () => {
      upstreams.openai.next(respondJson(500, { error: { message: 'boom' } }))
      const answer = await embed({ model: 'shared-embed', input: ['1 a', '2 b'] })
      expect(await answer.json()).toMatchObject({
        model: 'shared-embed',
        data: [{ embedding: vectorFor('1 a') }, { embedding: vectorFor('2 b') }],
      })
      expect(await row(answer)).toMatchObject({
        upstreamModel: gecko,
        provenance: 'estimated',
        cost: usd(2),
        attempts: [
          { channel: 'openai', phase: 'first-event' },
          { channel: 'gemini', phase: 'done' },
        ],
      })
    })

    test('an answer that holds another number of vectors is none', async () => {
      upstreams.base64.answer(respondJson(200, { object: 'list', data: [], model: 'packed-embed' }))
      const answer = await embed({ model: 'packed-embed', input: ['1', '2'] })
      expect([answer.status, await answer.json()]).toMatchObject([502, { error: { code: 'upstream_error' } }])
      expect(await row(answer)).toMatchObject({ cost: '0', usage: null })
    })

    test('a refusal of the upstream is written in the envelope of the caller', async () => {
      const refusal = respondJson(400, {
        error: { message: 'This model does not take dimensions.', type: 'invalid_request_error', param: 'dimensions', code: null },
      })
      upstreams.openai.next(refusal, refusal)
      const own = await embed({ model: small, input: 'a', dimensions: 3 })
      expect([own.status, await own.json()]).toMatchObject([
        400,
        { error: { message: 'This model does not take dimensions.', param: 'dimensions' } },
      ])
      const google = await post(`/v1beta/models/${small}:embedContent`, { content: { parts: [{ text: 'a' }] } })
      expect([google.status, await google.json()]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }])
      expect(await row(google)).toMatchObject({ cost: '0', usage: null })
    })
  })

  describe('bad input', () => {
    const openai: [param: string | null, code: string, body: unknown][] = [
      ['model', 'missing_field', { input: 'a' }],
      ['model', 'invalid_value', { model: 7, input: 'a' }],
      ['model', 'model_not_found', { model: 'secret-embed', input: 'a' }],
      ['model', 'unsupported_endpoint', { model: 'gpt-5', input: 'a' }],
      ['input', 'missing_field', { model: small }],
      ['input', 'invalid_value', { model: small, input: '' }],
      ['input', 'invalid_value', { model: small, input: [] }],
      ['input', 'invalid_value', { model: small, input: 7 }],
      ['input[1]', 'invalid_value', { model: small, input: ['a', ''] }],
      ['input[0]', 'invalid_value', { model: gecko, input: [true] }],
      ['dimensions', 'invalid_value', { model: small, input: 'a', dimensions: -1 }],
      ['encoding_format', 'invalid_value', { model: small, input: 'a', encoding_format: 'secret' }],
      [null, 'invalid_json', '{"model":'],
      [null, 'invalid_request', '[1]'],
      [null, 'invalid_request', `{"model":"m","input":${'['.repeat(100)}${']'.repeat(100)}}`],
    ]
    const asked = () => Object.values(upstreams).reduce((count, { requests }) => count + requests.length, 0)

    test('of OpenAI`s style: a 4xx that names the field, nothing asked, nothing charged', async () => {
      const before = asked()
      for (const [param, code, body] of openai) {
        const answer = await post('/v1/embeddings', body)
        const text = await answer.text()
        expect([answer.status, JSON.parse(text)]).toMatchObject([code === 'model_not_found' ? 404 : 400, { error: { code, param } }])
        expect(text).not.toContain('secret')
        expect(await row(answer)).toMatchObject({ cost: '0', usage: null })
      }
      expect(asked()).toBe(before)
    })

    const content = { parts: [{ text: 'a' }] }
    const google: [status: number, field: string | undefined, path: string, body: unknown][] = [
      [400, 'content', `${gecko}:embedContent`, {}],
      [400, 'content.parts', `${gecko}:embedContent`, { content: {} }],
      [400, 'content.parts', `${gecko}:embedContent`, { content: { parts: [{ text: '' }] } }],
      [400, 'outputDimensionality', `${gecko}:embedContent`, { content, outputDimensionality: 'secret' }],
      [400, 'model', `${gecko}:embedContent`, { content, model: 'models/secret' }],
      [400, 'requests', `${gecko}:batchEmbedContents`, {}],
      [400, 'requests', `${gecko}:batchEmbedContents`, { requests: [] }],
      [400, 'requests[1].content', `${gecko}:batchEmbedContents`, { requests: [{ content }, { secret: 1 }] }],
      [400, undefined, `${gecko}:embedContent`, '{'],
      [400, 'model', 'gpt-5:embedContent', { content }],
      [404, 'model', 'secret:embedContent', { content }],
      [400, 'batch.inputConfig', `${gecko}:asyncBatchEmbedContent`, { requests: [] }],
      [404, undefined, `${gecko}:embedContent`, { content: { parts: [{ fileData: { fileUri: 'files/secret' } }] } }],
    ]

    test('of Google`s style', async () => {
      const before = asked()
      for (const [status, field, path, body] of google) {
        const answer = await post(`/v1beta/models/${path}`, body)
        const text = await answer.text()
        const { error } = JSON.parse(text) as {
          error: { code: number; status: string; details?: { fieldViolations?: { field: string }[] }[] }
        }
        expect([path, answer.status, error.code, error.status]).toEqual([
          path,
          status,
          status,
          status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT',
        ])
        expect(error.details?.flatMap((detail) => detail.fieldViolations ?? [])[0]?.field).toBe(field as string)
        expect(text).not.toContain('secret')
      }
      expect(asked()).toBe(before)
      expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
    })
  })
})
