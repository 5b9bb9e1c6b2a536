/** POST /v1/moderations with the official client. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'
import { type Bad, carriers, expectRefused, post, secret } from './support/refused.ts'

const standard = 'omni-moderation-latest'

/** The vendor: checks the model, and gives one verdict for a text or for all parts, several for several texts. */
const vendor: Script = async (exchange) => {
  const body = exchange.request.json() as { model?: string; input: unknown }
  const refuse = (param: string) =>
    respondJson(400, { error: { message: `Invalid value for '${param}'.`, type: 'invalid_request_error', param, code: null } })(exchange)
  if (exchange.request.target !== '/v1/moderations') return respondJson(404, { error: { message: 'Invalid URL' } })(exchange)
  if (body.model !== standard) return refuse('model')
  const texts = Array.isArray(body.input) && body.input.every((item) => typeof item === 'string') ? body.input : [body.input]
  const verdict = {
    flagged: false,
    categories: { hate: false },
    category_scores: { hate: 1e-7 },
    category_applied_input_types: { hate: [] },
  }
  return respondJson(200, { id: 'modr-1', model: 'omni-moderation-2024-09-26', results: texts.map(() => verdict) })(exchange)
}

let gateway: Gateway
let client: OpenAI
const upstreams: ScriptedUpstream[] = []

beforeAll(async () => {
  for (let count = 0; count < 2; count++) upstreams.push(await scriptedUpstream(vendor))
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const models = [standard, { name: 'judge', upstream: standard }, 'gpt-4o']
  for (const [index, upstream] of upstreams.entries()) {
    await gateway.channel(`vendor-${index}`, upstream.url, { vendor: 'openai', models, priority: -index })
  }
  await gateway.channel('no-judge', 'http://127.0.0.1:9', { vendor: 'groq', models: ['llama-guard'] })
  for (const model of [standard, 'judge', 'gpt-4o', 'llama-guard'])
    await gateway.price(model, { input: '1', output: '0', request: '0.001' })
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const upstream of upstreams) await upstream.close()
})

const ask = (body: unknown, headers?: Record<string, string>) => post(gateway, '/v1/moderations', body, headers)
const rowOf = (answer: { headers: Headers }) => gateway.log(answer.headers.get('x-request-id') ?? '')
const last = () => upstreams[0]?.requests.at(-1)

describe('the official client', () => {
  test('a text, several, and parts with a picture; each row by its texts', async () => {
    const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4000)}` } } as const
    const inputs: [input: OpenAI.ModerationCreateParams['input'], verdicts: number, tokens: number][] = [
      ['sixteen bytes ..', 1, 4],
      [['eight by', 'eight by'], 2, 4],
      [[{ type: 'text', text: 'eight by' }, picture], 1, 2],
    ]
    for (const [input, verdicts, tokens] of inputs) {
      const { data, response } = await client.moderations.create({ model: standard, input }).withResponse()
      expect([data.id, data.results.length]).toEqual(['modr-1', verdicts])
      expect(last()?.json()).toEqual({ model: standard, input })
      // Tokens at 1 USD per million, and 0.001 for each request.
      expect(await rowOf(response)).toMatchObject({
        operation: 'moderate',
        dialect: 'openai',
        usage: { in: { fresh: tokens }, units: { requests: 1 } },
        provenance: 'estimated',
        cost: `0.00100${tokens}`,
      })
    }
  })

  test('without a model the default is routed, billed, and sent', async () => {
    const { data, response } = await client.moderations.create({ input: 'hi' }).withResponse()
    expect(data.results).toHaveLength(1)
    expect(last()?.json()).toEqual({ input: 'hi', model: standard })
    expect(await rowOf(response)).toMatchObject({ model: standard, upstreamModel: standard })
  })

  test('what Parley refuses it understands', async () => {
    const failed = await client.moderations.create({ model: 'nobody', input: 'x' }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(failed).toBeInstanceOf(OpenAI.NotFoundError)
    expect(failed).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
  })
})

test('bytes pass as they are; only a mapped name is changed, and back', async () => {
  const body = `{ "input" : ["a"],"model":"${standard}", "more":1.0 }`
  await ask(body)
  expect(last()?.text()).toBe(body)
  const mapped = await ask({ model: 'judge', input: 'a' })
  expect(last()?.json()).toEqual({ model: standard, input: 'a' })
  expect(await mapped.json()).toMatchObject({ model: 'judge', results: [{ flagged: false }] })
})

test('every carrier of a key', async () => {
  for (const { query, headers } of carriers(gateway.key)) {
    expect((await post(gateway, `/v1/moderations${query}`, { input: 'a' }, headers)).status).toBe(200)
  }
})

test('a channel that fails is followed by the next', async () => {
  upstreams[0]?.next(respondJson(500, { error: { message: 'The server had an error' } }))
  const answer = await ask({ input: 'a' })
  expect(answer.status).toBe(200)
  expect(await rowOf(answer)).toMatchObject({ channel: 'vendor-1', attempts: [{ status: 500 }, { status: 200 }], cost: '0.001001' })
})

test('what the upstream refuses keeps its status and field, and costs nothing', () => {
  const error = { message: 'Invalid image.', type: 'invalid_request_error', param: 'input', code: 'invalid_image' }
  upstreams[0]?.next(respondJson(400, { error }))
  return expectRefused(gateway, '/v1/moderations', { name: 'x', body: { input: 'a' }, status: 400, code: 'invalid_image', param: 'input' })
})

const bad: Bad[] = [
  { name: 'another type', body: 'x', headers: { 'content-type': 'text/plain' }, status: 415, code: 'unsupported_media_type' },
  { name: 'no JSON', body: `{${secret}`, status: 400, code: 'invalid_json' },
  { name: 'a list', body: [], status: 400, code: 'invalid_request' },
  { name: 'no input', body: {}, status: 400, code: 'missing_field', param: 'input' },
  { name: 'an empty list', body: { input: [] }, status: 400, code: 'invalid_value', param: 'input' },
  { name: 'a number', body: { input: 5 }, status: 400, code: 'invalid_value', param: 'input' },
  { name: 'half a part', body: { input: [{ type: 'image_url' }] }, status: 400, code: 'invalid_value', param: 'input.0.image_url.url' },
  { name: 'a model that is no name', body: { input: 'a', model: [secret] }, status: 400, code: 'invalid_value', param: 'model' },
  { name: 'an unknown model', body: { input: 'a', model: secret }, status: 404, code: 'model_not_found', param: 'model' },
  { name: 'a chat model', body: { input: 'a', model: 'gpt-4o' }, status: 400, code: 'unsupported_endpoint', param: 'model' },
  {
    ...{ name: 'a channel that judges nothing', body: { input: 'a', model: 'llama-guard' } },
    ...{ status: 400, code: 'unsupported_endpoint', param: 'model' },
  },
]

test.each(bad)('bad input: $name', (one) => expectRefused(gateway, '/v1/moderations', one))

test('the demo knows a few words', async () => {
  const { data, response } = await client.moderations
    .create({ model: 'parley-demo-moderation', input: ['hello', 'I hate you'] })
    .withResponse()
  expect(data.results.map(({ flagged }) => flagged)).toEqual([false, true])
  expect(data.results[1]?.categories.hate).toBe(true)
  expect(await rowOf(response)).toMatchObject({ channel: 'demo', usage: { in: { fresh: 5 } }, cost: '0.000005', provenance: 'provider' })
})
