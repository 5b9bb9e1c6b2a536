/** POST /api/route: explains what would happen to a request, without calling any upstream. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RouteAnswer } from '#shared/console/inspection/route'
import { sampledEngine } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
let upstream: ScriptedUpstream
const model = 'asked-model'

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  const at = (name: string, fields: object) => gateway.channel(name, upstream.url, { models: [model], ...fields })
  await gateway.admin.call('POST', '/api/groups', { name: 'vip', ratio: '0.5' })
  await at('first', { priority: 5 })
  await at('in Messages', { vendor: 'anthropic', priority: 3, keys: ['sk-one-vendor-key', 'sk-two-vendor-key'] })
  await at('switched off', { enabled: false })
  await at('of another group', { groups: ['vip'] })
  await at('of another model', { models: ['other'] })
  await at('pictures only', { operations: ['image'] })
  await gateway.price(model, { input: '2', output: '4' })
}, 60_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const body = { model, messages: [{ role: 'user', content: 'Well?' }], max_completion_tokens: 100, seed: 7 }
const ask = (question: object) => gateway.admin.call<RouteAnswer>('POST', '/api/route', question)

describe('a model of several channels', () => {
  test('who is tried in which order, and what each conversion would lose', async () => {
    const { candidates, error } = await ask({ body })
    expect(error).toBeNull()
    expect(candidates.map(({ channel, native }) => [channel, native])).toEqual([
      ['first', true],
      ['in Messages', false],
      ['in Messages', false],
    ])
    expect(new Set(candidates.slice(1).map(({ key }) => key)).size).toBe(2)
    expect(candidates[0]?.losses).toEqual([])
    expect(candidates[1]?.losses.map(({ field }) => field)).toEqual(expect.arrayContaining(['sampling.seed']))
  })

  test('why every other channel is left out', async () => {
    const { leftOut } = await ask({ body })
    expect(Object.fromEntries(leftOut.map(({ channel, reason }) => [channel, reason]))).toEqual({
      'switched off': 'The channel is disabled.',
      'of another group': 'The channel is not in this group.',
      'of another model': 'The channel does not offer this model.',
      'pictures only': 'The channel does not serve this operation.',
    })
  })

  test('the most it can cost is what would be held, in the group that asks', async () => {
    const bytes = Buffer.byteLength(JSON.stringify(body))
    const inputTokens = Math.ceil(bytes / 4)
    expect((await ask({ body })).largestCost).toBe(usd(inputTokens * 2 + 100 * 4))
  })

  test('nobody was asked, and nothing is in the books', async () => {
    expect(upstream.requests.length).toBe(0)
    expect((await gateway.admin.call<{ data: [] }>('GET', '/api/logs')).data).toEqual([])
  })
})

test('for a key: its own models and strictness', async () => {
  const { session } = await gateway.user('careful', '1')
  await session.call('POST', '/api/keys', { name: 'narrow', models: ['something-else'] })
  await session.call('POST', '/api/keys', { name: 'strict', strict: true })
  const narrow = await ask({ key: 'narrow', body })
  expect([narrow.error?.code, narrow.candidates]).toEqual(['model_not_found', []])
  expect(narrow.leftOut.find(({ channel }) => channel === 'first')?.reason).toBe('The key may not use this model.')
  const strict = await ask({ key: 'strict', body: { ...body, logit_bias: { '50256': -100 } } })
  expect(strict.candidates.map(({ refused }) => refused?.code)).toEqual([undefined, 'unsupported_value', 'unsupported_value'])
})

test('a body that cannot be read, an unknown key and a person who is no administrator are refused', async () => {
  expect((await gateway.admin.raw('POST', '/api/route', { body: { messages: [] } })).status).toBe(400)
  expect((await gateway.admin.raw('POST', '/api/route', { key: 'no such key', body })).status).toBe(404)
  const { session } = await gateway.user('nobody', '1')
  expect((await session.raw('POST', '/api/route', { body })).status).toBe(403)
})

const usd = (micro: number) => (micro / 1e6).toFixed(9).replace(/0+$/, '').replace(/\.$/, '')
