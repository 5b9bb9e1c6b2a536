/** Holds and balances under concurrency, on both engines. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngines } from '#testing/database/database'
import { gate, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1000 })
/** Nano-dollars: a quarter of the bytes at 1 USD and 1000 tokens at 2 USD per million. */
const holdNano = BigInt(Math.ceil(Buffer.byteLength(body) / 4)) * 1000n + 1000n * 2000n
const usd = (nano: bigint) => `${nano / 1_000_000_000n}.${(nano % 1_000_000_000n).toString().padStart(9, '0')}`.replace(/\.?0+$/, '')

const answer = chatAnswer({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, prompt_tokens_details: { cached_tokens: 60 } })

describe.each(sampledEngines(import.meta.file))('money on %s', (engine) => {
  let upstream: ScriptedUpstream
  let gateway: Gateway

  beforeAll(async () => {
    upstream = await scriptedUpstream()
    gateway = await startGateway(engine)
    await gateway.channel('vendor', upstream.url)
    await gateway.price(testModel, { input: '1', output: '2', cacheRead: '0.1' })
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })

  const ask = (key: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    })

  test('200 parallel requests on a key with credit for ten: exactly ten reach the upstream', async () => {
    const { key, session } = await gateway.user(`ten-${engine}`, usd(holdNano * 10n))
    const held = gate(respondJson(200, answer))
    upstream.answer(held.script)
    const before = upstream.requests.length
    const pending = Array.from({ length: 200 }, () => ask(key))
    let refused = 0
    for (const one of pending) void one.then((response) => (refused += response.status === 429 ? 1 : 0))
    // The upstream holds its answers until all two hundred are decided.
    for (let tries = 0; refused + held.waiting() < 200 && tries < 1000; tries++) await Bun.sleep(20)
    expect(held.waiting()).toBe(10)
    const wallet = async () => (await session.call<{ user: { held: string; balance: string } }>('GET', '/api/session')).user
    // Open holds are reported with a delay of up to a second.
    for (let tries = 0; (await wallet()).held !== usd(holdNano * 10n) && tries < 500; tries++) await Bun.sleep(20)
    expect(await wallet()).toMatchObject({ held: usd(holdNano * 10n), balance: usd(holdNano * 10n) })
    held.open()
    const answers = await Promise.all(pending)
    expect(answers.filter((response) => response.status === 200)).toHaveLength(10)
    const refusals = answers.filter((response) => response.status === 429)
    expect(refusals).toHaveLength(190)
    for (const refusal of refusals) {
      expect(refusal.headers.get('x-should-retry')).toBe('false')
      expect(await refusal.json()).toMatchObject({ error: { type: 'insufficient_quota', code: 'insufficient_quota' } })
    }
    expect(upstream.requests.length - before).toBe(10)
    // 40 fresh at 1, 60 cached at 0.1, 10 out at 2 USD per million: 66,000 nano-dollars each.
    expect(await wallet()).toMatchObject({ held: '0', balance: usd(holdNano * 10n - 660_000n) })
  })

  test('credit is there and taken back at once, whatever lies in slices', async () => {
    const { key, id, session } = await gateway.user(`credit-${engine}`, '1')
    const credit = (amount: string, reference: string) =>
      gateway.admin.raw('POST', `/api/users/${id}/credit`, { amount, reason: 'r' }, { 'idempotency-key': `${reference}-${engine}` })
    const balance = async () => (await session.call<{ user: { balance: string } }>('GET', '/api/session')).user.balance
    upstream.answer(respondJson(200, answer))
    expect((await ask(key)).status).toBe(200)
    // Half of it is now on lease to this instance.
    expect(await (await credit('-0.99', 'down')).json()).toMatchObject({ balance: '0.009934' })
    expect((await credit('-0.01', 'too-much')).status).toBe(400)
    expect((await credit('-0.009934', 'all')).status).toBe(200)
    expect(await balance()).toBe('0')
    expect((await ask(key)).status).toBe(429)
    await credit('1', 'up')
    expect((await ask(key)).status).toBe(200)
    expect(await balance()).toBe('0.999934')
  })

  test('a usage row shows tokens by kind, the price it was made with, and its cost', async () => {
    upstream.answer(respondJson(200, answer))
    const response = await ask(gateway.key)
    expect(await response.json()).toEqual(answer)
    const row = await gateway.log(response.headers.get('x-request-id') ?? '')
    expect(row).toMatchObject({
      key: 'first',
      group: 'default',
      model: testModel,
      channel: 'vendor',
      dialect: 'chat',
      operation: 'generate',
      stream: false,
      status: 200,
      end: 'complete',
      error: null,
      cost: '0.000066',
      provenance: 'provider',
      price: { input: '1', output: '2', cacheRead: '0.1', ratio: '1' },
      usage: { in: { fresh: 40, cacheRead: 60 }, out: { total: 10 }, raw: answer.usage },
    })
    await gateway.admin.call('PUT', `/api/prices/${testModel}`, { input: '100', output: '200' })
    expect(await gateway.log(response.headers.get('x-request-id') ?? '')).toMatchObject({ cost: '0.000066', price: { input: '1' } })
    await gateway.price(testModel, { input: '1', output: '2', cacheRead: '0.1' })
  })

  test('a group ratio multiplies, and is kept in the row', async () => {
    await gateway.admin.call('POST', '/api/groups', { name: `half-${engine}`, ratio: '0.5' })
    await gateway.channel(`half-${engine}`, upstream.url, { groups: [`half-${engine}`] })
    const password = 'a long password'
    await gateway.admin.call('POST', '/api/users', { name: `half-${engine}`, password, balance: '1', group: `half-${engine}` })
    const session = await gateway.signIn(`half-${engine}`, password)
    const { key } = await session.call<{ key: string }>('POST', '/api/keys', { name: 'k' })
    const response = await ask(key)
    expect(response.status).toBe(200)
    expect(await session.call('GET', '/api/session')).toMatchObject({ user: { balance: '0.999967', held: '0' } })
    expect(await gateway.log(response.headers.get('x-request-id') ?? '')).toMatchObject({ cost: '0.000033', price: { ratio: '0.5' } })
  })

  test('rows show what was charged beside what it cost: their sum is the difference of the balance, whoever bore the rest', async () => {
    const { key, session } = await gateway.user(`poor-${engine}`, usd(holdNano + 100_000n))
    upstream.answer(respondJson(200, answer))
    const small = await ask(key)
    // More than the caller allowed, and than anybody has left for it, but plausible.
    upstream.answer(respondJson(200, chatAnswer({ prompt_tokens: 100, completion_tokens: 3000, total_tokens: 3100 })))
    const large = await ask(key)
    expect([small.status, large.status]).toEqual([200, 200])
    type Row = { cost: string; charged: string; settled: boolean }
    const rows = async () => (await session.call<{ data: Row[] }>('GET', '/api/logs?limit=9')).data
    while ((await rows()).length < 2 || (await rows()).some(({ settled }) => !settled)) await Bun.sleep(20)
    // 40 fresh, 60 cached and 10 written tokens of the first; all that was left for the second.
    const first = 40n * 1000n + 60n * 100n + 10n * 2000n
    expect(await rows()).toMatchObject([
      { cost: usd(100n * 1000n + 3000n * 2000n), charged: usd(holdNano + 100_000n - first), settled: true },
      { cost: usd(first), charged: usd(first), settled: true },
    ])
    expect(await session.call('GET', '/api/session')).toMatchObject({ user: { balance: '0', held: '0' } })
  })

  test('usage that lies is not believed and never credits', async () => {
    for (const usage of [
      { prompt_tokens: -5, completion_tokens: 3 },
      { prompt_tokens: '7', completion_tokens: null },
      { prompt_tokens: 1e18, completion_tokens: 1 },
      undefined,
    ]) {
      upstream.answer(respondJson(200, { ...answer, usage }))
      const response = await ask(gateway.key)
      const row = await gateway.log<{ cost: string; provenance: string }>(response.headers.get('x-request-id') ?? '')
      expect(row.provenance).not.toBe('provider')
      expect(Number(row.cost)).toBeGreaterThan(0)
      expect(Number(row.cost)).toBeLessThan(0.001)
    }
  })
})
