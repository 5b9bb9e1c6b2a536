/** What the endpoints of the four protocols provide besides conversations: formats, envelopes, stored responses, token counting. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngines } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const demo = 'parley-demo'

interface ItemPage {
  data: { content: { text: string }[] }[]
  has_more: boolean
  last_id: string
}

describe.each(sampledEngines(import.meta.file))('endpoints on %s', (engine) => {
  let gateway: Gateway
  let upstream: ScriptedUpstream

  beforeAll(async () => {
    upstream = await scriptedUpstream(messagesVendor({ models: ['claude-sonnet-4-5'] }))
    gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'on' } })
    await gateway.channel('claude', upstream.url, { vendor: 'anthropic', models: ['claude-sonnet-4-5'] })
    await gateway.price('claude-sonnet-4-5')
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })

  const version = { 'anthropic-version': '2023-06-01' }
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}, key = gateway.key) =>
    fetch(gateway.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const messages = [{ role: 'user', content: 'hi' }]

  test('POST /v1/messages asks for its version header, in either spelling, and for its fields', async () => {
    const whole = { model: demo, max_tokens: 16, messages }
    for (const headers of [version, { 'partner-version': '2026-10-21' }])
      expect((await call('POST', '/v1/messages', whole, headers)).status).toBe(200)
    const wrong: [unknown, Record<string, string>][] = [
      [whole, {}],
      [whole, { 'anthropic-version': 'latest' }],
      [{ ...whole, max_tokens: 0 }, version],
      [{ ...whole, max_tokens: undefined }, version],
      [{ ...whole, temperature: 1.1 }, version],
      [{ ...whole, model: undefined }, version],
      [{ ...whole, messages: undefined }, version],
    ]
    for (const [body, headers] of wrong) {
      const answer = await call('POST', '/v1/messages', body, headers)
      expect(answer.status).toBe(400)
      const id = answer.headers.get('request-id')
      expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' }, request_id: id })
      expect(await gateway.log(id ?? '')).toMatchObject({ status: 400, dialect: 'messages', cost: '0' })
    }
    const answer = (await (await call('POST', '/v1/messages', whole, version)).json()) as { usage: Record<string, number> }
    expect(Object.keys(answer.usage)).toEqual(
      expect.arrayContaining(['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']),
    )
  })

  test('a temperature reaches a model that takes one in whatever version it is asked; strict mode leaves the version alone', async () => {
    const warm = { model: 'claude-sonnet-4-5', max_tokens: 16, temperature: 0.5, messages }
    const second = { 'anthropic-version': '2026-10-21' }
    expect((await call('POST', '/v1/messages', warm, second)).status).toBe(200)
    expect(upstream.requests.at(-1)?.json()).toMatchObject({ temperature: 0.5 })
    expect((await call('POST', '/v1/messages', warm, { ...second, 'x-parley-strict': 'true' })).status).toBe(400)
  })

  test('errors come in the envelope of the caller`s protocol', async () => {
    const gemini = await call('POST', '/v1beta/models/nope:generateContent', { contents: [{ parts: [{ text: 'hi' }] }] })
    expect(gemini.status).toBe(404)
    const told = (await gemini.json()) as { error: { code: number; status: string; details: { reason?: string }[] } }
    expect([told.error.code, told.error.status, told.error.details[0]?.reason]).toEqual([404, 'NOT_FOUND', 'model_not_found'])
    const action = await call('POST', `/v1/models/${demo}:dance`, {})
    expect([action.status, ((await action.json()) as { error: { code: number } }).error.code]).toEqual([404, 404])
    const key = await call('POST', '/v1/messages', {}, version, 'sk-not-a-known-key')
    expect([key.status, ((await key.json()) as { error: { type: string } }).error.type]).toEqual([401, 'authentication_error'])
    const method = await call('DELETE', '/v1beta/models')
    expect([method.status, method.headers.get('allow')]).toEqual([405, 'GET'])
    expect(await method.json()).toMatchObject({ error: { code: 405 } })
    const socket = await call('GET', '/v1/responses', undefined, { connection: 'Upgrade', upgrade: 'websocket' })
    expect([socket.status, await socket.text()]).toEqual([400, expect.stringContaining('Sec-WebSocket-Key')])
    const read = await call('GET', '/v1/responses')
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('models in three formats, by who asks', async () => {
    const list = async (path: string, headers: Record<string, string> = {}) =>
      (await (await call('GET', path, undefined, headers)).json()) as Record<string, unknown>
    const all = await list('/v1/models')
    const data = all.data as { id: string; object: string }[]
    expect([all.object, ...new Set(data.map(({ object }) => object))]).toEqual(['list', 'model'])
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([demo, 'claude-sonnet-4-5']))
    expect(await list('/v1/models?limit=1', version)).toMatchObject({ has_more: true, data: [{ type: 'model' }] })
    for (const page of [await list('/v1/models', { 'x-goog-api-key': gateway.key }), await list('/v1beta/models')]) {
      expect(page.models).toHaveLength(data.length)
      expect(page).toHaveProperty('nextPageToken')
    }
    expect(await list('/v1beta/openai/models')).toMatchObject({ object: 'list' })
    expect(await list(`/v1beta/models/${demo}`)).toMatchObject({ name: `models/${demo}` })
    const methods = async (model: string) => (await list(`/v1beta/models/${model}`)).supportedGenerationMethods
    expect(await methods(demo)).toEqual(['generateContent', 'countTokens'])
    expect(await methods(`${demo}-embed`)).toEqual(['embedContent'])
    const wrongMethod = await call('GET', `/v1beta/models/${demo}:generateContent`)
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST'])
    const missing = await call('GET', '/v1/models/nope', undefined, version)
    expect(await missing.json()).toMatchObject({ error: { type: 'not_found_error', code: 'model_not_found' } })
  })

  test('a kept response continues on a channel of another dialect, is read, listed and forgotten, by its tenant only', async () => {
    const create = async (body: object) =>
      (await (await call('POST', '/v1/responses', { model: demo, ...body })).json()) as {
        id: string
        output: { content: { text: string }[] }[]
      }
    const first = await create({ input: 'my name is Ada' })
    const number = upstream.requests.length
    const second = await call('POST', '/v1/responses', { model: 'claude-sonnet-4-5', input: 'who am I?', previous_response_id: first.id })
    expect(second.status).toBe(200)
    const sent = upstream.requests[number]?.json() as { messages: { role: string; content: { text?: string }[] }[] }
    expect(sent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(sent.messages)).toContain('my name is Ada')
    const streamed = await call('POST', '/v1/responses', { model: demo, stream: true, input: 'again', previous_response_id: first.id })
    const id = /"id":"(resp_\w+)"/.exec(await streamed.text())?.[1] ?? ''
    expect(await (await call('GET', `/v1/responses/${id}`)).json()).toMatchObject({ id, object: 'response', status: 'completed' })
    expect(await (await call('GET', `/v1/responses/${id}/input_items`)).json()).toMatchObject({
      data: [{ type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'again' }] }],
    })
    const three = await create({ input: ['a', 'b', 'c'].map((content) => ({ role: 'user', content })) })
    const items = async (query: string) => {
      const page = (await (await call('GET', `/v1/responses/${three.id}/input_items?${query}`)).json()) as ItemPage
      return {
        said: page.data.map(({ content }) => content.map(({ text }) => text).join('')).join(''),
        more: page.has_more,
        last: page.last_id,
      }
    }
    const page = await items('limit=2')
    expect(page).toMatchObject({ said: 'cb', more: true })
    expect(await items(`limit=2&after=${page.last}`)).toMatchObject({ said: 'a', more: false })
    expect(await items('order=asc')).toMatchObject({ said: 'abc', more: false })
    for (const query of ['limit=0', 'limit=x', 'after=nobody']) {
      expect((await call('GET', `/v1/responses/${three.id}/input_items?${query}`)).status).toBe(400)
    }
    const later = await call('POST', '/v1/responses', { model: demo, input: 'x', background: true })
    expect([later.status, ((await later.json()) as { status: string }).status]).toEqual([200, 'in_progress'])
    const other = await gateway.user(`other-${engine}`, '1')
    for (const method of ['GET', 'DELETE']) expect((await call(method, `/v1/responses/${id}`, undefined, {}, other.key)).status).toBe(404)
    expect((await call('POST', '/v1/responses', { model: demo, input: 'x', previous_response_id: id }, {}, other.key)).status).toBe(404)
    expect(await (await call('DELETE', `/v1/responses/${id}`)).json()).toMatchObject({ id, deleted: true })
    expect((await call('GET', `/v1/responses/${id}`)).status).toBe(404)
    const unkept = await create({ input: 'secret', store: false })
    expect((await call('GET', `/v1/responses/${unkept.id}`)).status).toBe(404)
    expect((await call('POST', '/v1/responses', { model: demo, input: 'x', conversation: 'conv_1' })).status).toBe(404)
  })

  test('tokens of a response are counted with what it continues, for its tenant', async () => {
    const tokens = async (body: object, key?: string) => {
      const answer = await call('POST', '/v1/responses/input_tokens', { model: 'claude-sonnet-4-5', ...body }, {}, key)
      return [answer.status, (await answer.json()) as { object: string; input_tokens: number }] as const
    }
    const number = upstream.requests.length
    const [status, counted] = await tokens({ input: 'hello there', instructions: 'Be brief.', temperature: 0.5 })
    expect([status, counted.object]).toEqual([200, 'response.input_tokens'])
    expect(counted.input_tokens).toBeGreaterThan(0)
    expect(upstream.requests[number]?.target).toBe('/v1/messages/count_tokens')
    expect(upstream.requests[number]?.json()).not.toHaveProperty('temperature')
    const first = (await (await call('POST', '/v1/responses', { model: demo, input: 'word '.repeat(50) })).json()) as { id: string }
    const [, continued] = await tokens({ input: 'hello there', previous_response_id: first.id })
    expect(continued.input_tokens).toBeGreaterThan(counted.input_tokens)
    expect(JSON.stringify(upstream.requests.at(-1)?.json())).toContain('word word')
    const [, own] = await tokens({ model: demo, input: 'hello there', previous_response_id: first.id })
    expect(own.input_tokens).toBeGreaterThan(50)
    const other = await gateway.user(`counting-${engine}`, '1')
    expect((await tokens({ input: 'x', previous_response_id: first.id }, other.key))[0]).toBe(404)
    expect((await tokens({ model: 'nothing', input: 'x' }))[0]).toBe(404)
    const sdk = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
    expect((await sdk.responses.inputTokens.count({ model: demo, input: 'hello there' })).object).toBe('response.input_tokens')
  })

  test('tokens are counted by an upstream that counts, else estimated; nothing is charged', async () => {
    upstream.next(respondJson(200, { input_tokens: 42 }))
    const number = upstream.requests.length
    const counted = await call('POST', '/v1/messages/count_tokens', { model: 'claude-sonnet-4-5', messages }, version)
    expect(await counted.json()).toEqual({ input_tokens: 42 })
    expect(upstream.requests[number]?.target).toBe('/v1/messages/count_tokens')
    const estimated = (await (await call('POST', '/v1/messages/count_tokens', { model: demo, messages }, version)).json()) as {
      input_tokens: number
    }
    expect(estimated.input_tokens).toBeGreaterThan(0)
    const google = await call('POST', `/v1beta/models/${demo}:countTokens`, { contents: [{ parts: [{ text: 'hello' }] }] })
    expect(((await google.json()) as { totalTokens: number }).totalTokens).toBeGreaterThan(0)
  })

  test('losses are reported, and strict mode refuses them by name', async () => {
    const body = { model: 'claude-sonnet-4-5', messages, seed: 7, logit_bias: {}, frequency_penalty: 1 }
    const lenient = await call('POST', '/v1/chat/completions', body)
    expect(lenient.status).toBe(200)
    expect(lenient.headers.get('x-parley-losses')).toContain('seed')
    expect(await gateway.log(lenient.headers.get('x-request-id') ?? '')).toMatchObject({
      losses: expect.arrayContaining([expect.objectContaining({ what: 'dropped' })]),
    })
    const meant = { ...body, response_format: { type: 'json_object' } }
    expect((await call('POST', '/v1/chat/completions', meant)).status).toBe(200)
    const strict = await call('POST', '/v1/chat/completions', meant, { 'x-parley-strict': 'true' })
    expect(strict.status).toBe(400)
    expect(await strict.json()).toMatchObject({ error: { code: 'unsupported_value' } })
  })

  test('the version and beta headers of a Messages client reach an upstream of the same dialect, nothing else does', async () => {
    const number = upstream.requests.length
    await call(
      'POST',
      '/v1/messages',
      { model: 'claude-sonnet-4-5', max_tokens: 16, messages },
      { 'partner-version': '2023-06-01', 'anthropic-beta': 'x-1', 'x-own': 'mine' },
    )
    const sent = upstream.requests[number]
    expect([sent?.header('anthropic-version'), sent?.header('anthropic-beta'), sent?.header('x-own'), sent?.header('x-api-key')]).toEqual([
      '2023-06-01',
      'x-1',
      undefined,
      'sk-vendor',
    ])
  })
})
