/**
 * Fields for which an upstream charges another price than the model has here: refused without a factor for them, in the caller's dialect,
 * before the request is sent upstream. Fields that cost no more pass.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway

const channels = {
  'chat-model': { speaks: ['chat', 'responses'] },
  'claude-model': { vendor: 'anthropic' },
  'gemini-model': { vendor: 'gemini' },
}

beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(400, { error: { message: 'The upstream was asked.' } }))
  gateway = await startGateway(sampledEngine(import.meta.file))
  for (const [model, fields] of Object.entries(channels)) {
    await gateway.channel(model, upstream.url, { ...fields, models: [model] })
    await gateway.channel(`${model}, allowed`, upstream.url, {
      ...fields,
      models: [`${model}-allowed`],
      options: { unpricedFields: 'allow' },
    })
    for (const name of [model, `${model}-allowed`]) await gateway.price(name)
  }
  const params = { set: { service_tier: 'default' } }
  await gateway.channel('set', upstream.url, { speaks: ['chat'], models: ['set-model'], params })
  await gateway.channel('removed', upstream.url, { speaks: ['chat'], models: ['removed-model'], params: { remove: ['service_tier'] } })
  for (const name of ['set-model', 'removed-model']) await gateway.price(name)
  await gateway.channel('long', upstream.url, { vendor: 'anthropic', models: ['tiered-model', 'claude-opus-4-6'] })
  await gateway.price('claude-opus-4-6')
  const tiered = { input: '1', output: '2', tiers: [{ above: 200_000, input: '2', output: '3' }] }
  await gateway.admin.call('PUT', '/api/prices/tiered-model', tiered)
}, 60_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const hi = { role: 'user', content: 'hi' }
const says = {
  chat: ['/v1/chat/completions', { messages: [hi] }],
  responses: ['/v1/responses', { input: 'hi' }],
  messages: ['/v1/messages', { messages: [hi], max_tokens: 9 }],
  gemini: ['/v1beta/models/MODEL:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
} as const

type Endpoint = keyof typeof says

async function ask(endpoint: Endpoint, model: string, fields: object, headers: Record<string, string> = {}) {
  const [path, body] = says[endpoint]
  const before = upstream.requests.length
  const answer = await fetch(gateway.url + path.replace('MODEL', model), {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify({ ...(endpoint !== 'gemini' && { model }), ...body, ...fields }),
  })
  const text = await answer.text()
  return { status: answer.status, text, wasAsked: upstream.requests.length > before }
}

const image = (model?: string) => ({ tools: [{ type: 'image_generation', ...(model && { model }) }] })
const advisor = { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5' }] }
const native = { chat: 'chat-model', responses: 'chat-model', messages: 'claude-model', gemini: 'gemini-model' }

const dear: [Endpoint, string, object][] = [
  ...(['chat', 'responses'] as const).flatMap((endpoint) =>
    ['priority', 'fast', 'scale', 'a tier of tomorrow'].map((tier): [Endpoint, string, object] => [
      endpoint,
      'service_tier',
      { service_tier: tier },
    ]),
  ),
  ['responses', 'tools[0].model', image('gpt-image-9')],
  ['messages', 'speed', { speed: 'fast' }],
  ['messages', 'inference_geo', { inference_geo: 'us' }],
  ['messages', 'tools[0].model', advisor],
  ['gemini', 'serviceTier', { serviceTier: 'priority' }],
  ['gemini', 'serviceTier', { service_tier: 'SERVICE_TIER_PRIORITY' }],
]

describe.each(dear)('%s: %s in %j', (endpoint, field, fields) => {
  test('is refused where it has no price', async () => {
    const { status, text, wasAsked } = await ask(endpoint, native[endpoint], fields)
    expect({ status, wasAsked }).toEqual({ status: 400, wasAsked: false })
    expect(text).toContain(`\`${field}\``)
    if (endpoint === 'chat' || endpoint === 'responses')
      expect(JSON.parse(text).error).toMatchObject({ code: 'unpriced_field', param: field })
    if (endpoint === 'messages') expect(JSON.parse(text).error).toMatchObject({ type: 'invalid_request_error' })
    if (endpoint === 'gemini') expect(JSON.parse(text).error).toMatchObject({ status: 'INVALID_ARGUMENT' })
  })

  test('passes where the channel says so', async () => {
    expect((await ask(endpoint, `${native[endpoint]}-allowed`, fields)).wasAsked).toBeTrue()
  })
})

test.each([
  ['chat', { service_tier: 'auto' }],
  ['chat', { service_tier: 'default' }],
  ['chat', { service_tier: 'flex' }],
  ['chat', { service_tier: null }],
  ['responses', { service_tier: 'flex' }],
  ['responses', image()],
  ['messages', { service_tier: 'auto' }],
  ['messages', { service_tier: 'standard_only' }],
  ['messages', { speed: 'standard' }],
  ['messages', { inference_geo: 'global' }],
  ['messages', { inference_geo: null }],
  ['gemini', { serviceTier: 'flex' }],
  ['gemini', { serviceTier: 'standard' }],
] as [Endpoint, object][])('%s: %j costs no more and passes', async (endpoint, fields) => {
  expect((await ask(endpoint, native[endpoint], fields)).wasAsked).toBeTrue()
})

test('what the channel sets or removes itself has the price of its model', async () => {
  for (const model of ['set-model', 'removed-model']) {
    expect((await ask('chat', model, { service_tier: 'priority' })).wasAsked).toBeTrue()
    expect(upstream.requests.at(-1)?.json()).not.toMatchObject({ service_tier: 'priority' })
  }
})

test.each([
  ['chat', 'gemini-model', { service_tier: 'priority' }, false],
  ['gemini', 'chat-model', { serviceTier: 'priority' }, false],
  ['messages', 'chat-model', { speed: 'fast' }, false],
  // These upstreams are not asked for it.
  ['chat', 'claude-model', { service_tier: 'priority' }, true],
  ['messages', 'chat-model', { inference_geo: 'us' }, true],
] as [Endpoint, string, object, boolean][])('%s for %s with %j, converted: asked %p', async (endpoint, model, fields, isAsked) => {
  expect((await ask(endpoint, model, fields)).wasAsked).toBe(isAsked)
})

test('a large body is looked at as well', async () => {
  const { status, text } = await ask('chat', 'chat-model', {
    service_tier: 'priority',
    messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }],
  })
  expect([status, text]).toEqual([400, expect.stringContaining('unpriced_field')])
})

describe('a context of a million tokens, which a beta asks for', () => {
  const beta = { 'anthropic-beta': 'oauth-2025-04-20,context-1m-2025-08-07' }
  const long = (model: string, more: object = {}, characters = 250_000) =>
    ask('messages', model, { messages: [{ role: 'user', content: 'x'.repeat(characters) }], ...more }, 'anthropic_beta' in more ? {} : beta)

  test.each([
    ['anthropic-beta', 250_000, {}],
    ['anthropic-beta', 2_000_000, {}],
    ['anthropic_beta', 250_000, { anthropic_beta: ['context-1m-2025-08-07'] }],
  ])('%s, %d characters: refused where the price has no tier for it', async (field, characters, more) => {
    const { status, text, wasAsked } = await long('claude-model', more, characters)
    expect({ status, wasAsked }).toEqual({ status: 400, wasAsked: false })
    expect(text).toContain(`\`${field}\``)
  })

  test.each([
    ['claude-model-allowed', 250_000, 'a channel that says so'],
    ['tiered-model', 250_000, 'a price with a tier'],
    ['claude-opus-4-6', 250_000, 'a model that always has it'],
    ['claude-model', 9, 'a request that is not long'],
  ])('%s, %d characters: passes to %s', async (model, characters) => {
    expect((await long(model, {}, characters)).wasAsked).toBeTrue()
    expect(upstream.requests.at(-1)?.header('anthropic-beta')).toContain('context-1m')
  })

  test('other betas cost nothing by themselves', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(250_000) }]
    expect(
      (await ask('messages', 'claude-model', { messages }, { 'anthropic-beta': 'interleaved-thinking-2025-05-14' })).wasAsked,
    ).toBeTrue()
  })
})

test('the explanation of a route tells it', async () => {
  const body = { model: 'chat-model', messages: [hi], service_tier: 'priority' }
  const told = await gateway.admin.call('POST', '/api/route', { dialect: 'chat', body })
  expect(told).toMatchObject({ candidates: [{ refused: { code: 'unpriced_field', param: 'service_tier' } }] })
})
