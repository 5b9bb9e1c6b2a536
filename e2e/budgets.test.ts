/** Budgets of keys, users and groups from outside: what they refuse, with which messages, and what remains possible. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngines } from '#testing/database/database'
import { gate, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'

const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1000 })
/** Nano-dollars: a quarter of the bytes at 1 USD and 1000 tokens at 2 USD per million; every answer costs exactly this much. */
const inputTokens = Math.ceil(Buffer.byteLength(body) / 4)
const costNano = inputTokens * 1000 + 1000 * 2000
/** The cost of this many requests. */
const usd = (requests: number) => ((requests * costNano) / 1e9).toFixed(9)
const answer = chatAnswer({ prompt_tokens: inputTokens, completion_tokens: 1000, total_tokens: inputTokens + 1000 })

describe.each(sampledEngines(import.meta.file))('budgets on %s', (engine) => {
  let upstream: ScriptedUpstream
  let gateway: Gateway

  beforeAll(async () => {
    upstream = await scriptedUpstream(respondJson(200, answer))
    gateway = await startGateway(engine)
    await gateway.channel('vendor', upstream.url)
    await gateway.price(testModel)
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
  const statuses = async (key: string, times: number) => {
    const all: number[] = []
    for (let n = 0; n < times; n++) all.push((await ask(key)).status)
    return all
  }
  const keyWith = (session: Session, name: string, budget: Record<string, string>) =>
    session.call<{ id: string; key: string }>('POST', '/api/keys', { name, budget })

  /** The row of a list with this name. */
  const rowOf = async (session: Session, path: string, name: string) => {
    type Row = Record<string, unknown> & { budgetLeft?: Record<string, string> }
    const { data } = await session.call<{ data: Row[] }>('GET', `${path}${path.includes('?') ? '&' : '?'}limit=200`)
    return data.find((row) => row.name === name)
  }

  test('of a key: two of five requests, then 429 that names the budget; another key is served; so is this one with more budget', async () => {
    const { session, key: free } = await gateway.user(`key-${engine}`, '10')
    const { id, key } = await keyWith(session, 'tight', { daily: usd(2.5), timezone: 'Asia/Tokyo' })
    expect(await statuses(key, 3)).toEqual([200, 200, 429])
    const refused = await ask(key)
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([429, 'false'])
    const { error } = (await refused.json()) as { error: { type: string; code: string; message: string } }
    expect(error).toMatchObject({ type: 'insufficient_quota', code: 'insufficient_quota' })
    expect(error.message).toContain('daily budget of this key')
    expect((await ask(free)).status).toBe(200)
    expect(Number((await rowOf(session, '/api/keys', 'tight'))?.budgetLeft?.daily)).toBe(Number(usd(0.5)))
    await session.call('PATCH', `/api/keys/${id}`, { budget: { daily: usd(4.5), timezone: 'Asia/Tokyo' } })
    for (let tries = 0; (await ask(key)).status !== 200 && tries < 100; tries++) await Bun.sleep(20)
    expect(await statuses(key, 2)).toEqual([200, 429])
    const { user } = await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')
    expect([user.held, Number(user.balance)]).toEqual(['0', Number((10 - (5 * costNano) / 1e9).toFixed(9))])
  })

  test('of a user: all keys together, and what was used before it was set counts', async () => {
    const { id, key, session } = await gateway.user(`user-${engine}`, '10')
    const { key: other } = await session.call<{ key: string }>('POST', '/api/keys', { name: 'other' })
    expect((await ask(key)).status).toBe(200)
    await gateway.admin.call('PATCH', `/api/users/${id}`, { budget: { monthly: usd(3) } })
    // No request has created its account yet.
    expect(Number((await rowOf(gateway.admin, '/api/users', `user-${engine}`))?.budgetLeft?.monthly)).toBe(Number(usd(2)))
    expect(await statuses(other, 3)).toEqual([200, 200, 429])
    expect((await ask(key)).status).toBe(429)
    expect((await rowOf(gateway.admin, '/api/users', `user-${engine}`))?.budgetLeft).toEqual({ monthly: '0' })
  })

  test('of a group: shared by all in it; of two hundred at once exactly those that fit are served', async () => {
    const group = `team-${engine}`
    await gateway.admin.call('POST', '/api/groups', { name: group, budget: { total: usd(4) } })
    const { data } = await gateway.admin.call<{ data: { id: string; groups: string[] }[] }>('GET', '/api/channels')
    for (const { id, groups } of data) await gateway.admin.call('PATCH', `/api/channels/${id}`, { groups: [...groups, group] })
    const password = 'a password of eight'
    const keys: string[] = []
    for (const name of [`one-${engine}`, `two-${engine}`]) {
      await gateway.admin.call('POST', '/api/users', { name, password, balance: '10', group, groups: [group] })
      const own = await gateway.signIn(name, password)
      keys.push((await own.call<{ key: string }>('POST', '/api/keys', { name })).key)
    }
    const held = gate(respondJson(200, answer))
    upstream.answer(held.script)
    let refused = 0
    const asked = Array.from({ length: 200 }, async (_, n) => {
      const { status } = await ask(keys[n % 2] ?? '')
      if (status === 429) refused += 1
      return status
    })
    for (let tries = 0; refused + held.waiting() < 200 && tries < 5000; tries++) await Bun.sleep(20)
    expect([held.waiting(), refused]).toEqual([4, 196])
    held.open()
    expect((await Promise.all(asked)).filter((status) => status === 200)).toHaveLength(4)
    const bounds = { budget: { total: usd(4) }, budgetLeft: { total: '0' }, limits: null }
    const contents = { users: 2, teams: 0, keys: 2, channels: 1, models: 1 }
    const row = { usable: false, enabled: true, managed: 'console', ...bounds, logBodies: false, fallbacks: {}, contents }
    expect(await rowOf(gateway.admin, '/api/groups?all=true', group)).toEqual({ name: group, description: '', ratio: '1', ...row })
    const own = await gateway.signIn(`one-${engine}`, password)
    expect(await own.call('GET', '/api/groups')).toEqual({ data: [{ name: group, description: '', ratio: '1' }], next: null })
  })
})
