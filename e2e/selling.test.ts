/** Reselling from outside: limits and end of a plan, the page of a key's holder, and the calls of a payment system. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { gate, respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1000 })
/** Nano-dollars: a quarter of the bytes at 1 USD and 1000 tokens at 2 USD per million; every answer costs exactly this much. */
const inputTokens = Math.ceil(Buffer.byteLength(body) / 4)
const costNano = inputTokens * 1000 + 1000 * 2000
const usd = (requests: number) => ((requests * costNano) / 1e9).toFixed(9).replace(/\.?0+$/, '')
const answer = chatAnswer({ prompt_tokens: inputTokens, completion_tokens: 1000, total_tokens: inputTokens + 1000 })

interface PlanState {
  plan: {
    name: string
    group: string | null
    until: string
    windows: { every: string; amount: string; left: string; renewsAt: string | null }[]
  } | null
}

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(200, answer))
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.admin.call('POST', '/api/groups', { name: 'sold', ratio: '0.5' })
  await gateway.channel('vendor', upstream.url, { groups: ['default', 'sold'] })
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
const soonest = (ms: number) => new Date(Date.now() + ms).toISOString()
const week = () => soonest(7 * 86_400_000)
const plan = (name: string, fields: object) => gateway.admin.call<{ id: string }>('POST', '/api/plans', { name, ...fields })
const exact = async () => expect(await gateway.admin.call('GET', '/api/books')).toMatchObject({ exact: true, faults: [] })

test('each window of a plan bounds its holder to the cent, two hundred at once too, while the wallet has money', async () => {
  const { id, key, session } = await gateway.user('subscriber', '10')
  await plan('pro', {
    windows: [
      { every: '5h', amount: usd(3.5) },
      { every: '1w', amount: usd(50) },
    ],
  })
  // Spending before the plan does not count.
  expect((await ask(key)).status).toBe(200)
  await gateway.admin.call('PUT', `/api/users/${id}/plan`, { plan: 'pro', until: week() })
  const held = gate(respondJson(200, answer))
  upstream.answer(held.script)
  let refused = 0
  const asked = Array.from({ length: 200 }, async () => {
    const { status } = await ask(key)
    if (status === 429) refused += 1
    return status
  })
  for (let tries = 0; refused + held.waiting() < 200 && tries < 1000; tries++) await wait(20)
  expect(held.waiting()).toBeLessThanOrEqual(3)
  held.open()
  let passed = (await Promise.all(asked)).filter((status) => status === 200).length
  upstream.answer(respondJson(200, answer))
  for (let tries = 0; passed < 3 && tries < 100; tries++) if ((await ask(key)).status === 200) passed += 1
  const last = await ask(key)
  expect(last.status).toBe(429)
  expect(await last.text()).toContain('The 5h budget of the plan of this user')
  const state = await session.call<PlanState>('GET', '/api/plan')
  expect(state.plan?.windows).toMatchObject([
    { every: '5h', amount: usd(3.5), left: usd(0.5) },
    { every: '1w', amount: usd(50), left: usd(47), renewsAt: null },
  ])
  const renews = Date.parse(state.plan?.windows[0]?.renewsAt ?? '')
  expect(renews - Date.now()).toBeGreaterThan(4.9 * 3_600_000)
  expect(renews - Date.now()).toBeLessThanOrEqual(5 * 3_600_000)
  await exact()
  // Without the plan the wallet alone bounds them.
  await gateway.admin.call('DELETE', `/api/users/${id}/plan`)
  expect((await ask(key)).status).toBe(200)
  expect(await session.call<PlanState>('GET', '/api/plan')).toEqual({ plan: null })
  await exact()
}, 60_000)

test('a plan has its group and prices until it ends, and then they are what they were', async () => {
  const { id, key, session } = await gateway.user('short', '10')
  await plan('half', { group: 'sold' })
  await gateway.admin.call('PUT', `/api/users/${id}/plan`, { plan: 'half', until: soonest(2500) })
  const under = await ask(key)
  const group = async (answered: Response) =>
    await gateway.log<{ group: string; charged: string }>(answered.headers.get('x-request-id') ?? '')
  expect(await group(under)).toMatchObject({ group: 'sold', charged: usd(0.5) })
  expect((await session.call<{ data: { name: string }[] }>('GET', '/api/groups')).data.map(({ name }) => name)).toEqual(['default', 'sold'])
  for (;;) {
    const answered = await ask(key)
    expect(answered.status).toBe(200)
    if ((await group(answered)).group === 'default') break
    await wait(50)
  }
  expect(await session.call<PlanState>('GET', '/api/plan')).toEqual({ plan: null })
  await exact()
}, 30_000)

test('a team has a plan as a user has, and its members see it', async () => {
  const { id: userId, session } = await gateway.user('of the team', '0')
  const { id } = await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'apps', balance: '10' })
  await gateway.admin.call('POST', `/api/teams/${id}/members`, { user: userId, role: 'manager' })
  await plan('small', { windows: [{ every: '1d', amount: usd(1.5) }] })
  await gateway.admin.call('PUT', '/api/teams/apps/plan', { plan: 'small', until: week() })
  const { key } = await session.call<{ key: string }>('POST', '/api/keys', { name: 'ci', team: id })
  expect((await ask(key)).status).toBe(200)
  const refused = await ask(key)
  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('The 1d budget of the plan of this team')])
  expect(await session.call<PlanState>('GET', `/api/plan?team=${id}`)).toMatchObject({
    plan: { name: 'small', windows: [{ left: usd(0.5) }] },
  })
  const stranger = await gateway.user('stranger', '0')
  expect((await stranger.session.raw('GET', `/api/plan?team=${id}`)).status).toBe(404)
  expect((await stranger.session.raw('GET', `/api/plan?user=${userId}`)).status).toBe(403)
  expect((await stranger.session.raw('PUT', `/api/users/${userId}/plan`, { plan: 'small', until: week() })).status).toBe(403)
  await gateway.admin.call('DELETE', `/api/teams/${id}/plan`)
  expect((await ask(key)).status).toBe(200)
  await exact()
}, 30_000)

test('codes are made, listed, redeemed and revoked; only the answer that makes them has them', async () => {
  const { session } = await gateway.user('buyer', '0')
  const { batch, codes } = await gateway.admin.call<{ batch: string; codes: { id: string; code: string }[] }>('POST', '/api/codes', {
    ...{ count: 3, value: '2.5', note: 'spring' },
  })
  const list = await (await gateway.admin.raw('GET', `/api/codes?batch=${batch}`)).text()
  for (const { code } of codes) expect(list).not.toContain(code)
  expect(await session.call('POST', '/api/codes/redeem', { code: codes[0]?.code.toLowerCase() })).toEqual({ value: '2.5', plan: null })
  const again = await session.raw('POST', '/api/codes/redeem', { code: codes[0]?.code })
  expect([again.status, ((await again.json()) as { error: { code: string } }).error.code]).toEqual([409, 'code_used'])
  expect((await session.call<{ user: { balance: string } }>('GET', '/api/session')).user.balance).toBe('2.5')
  await gateway.admin.call('DELETE', `/api/codes/${batch}`)
  const revoked = await session.raw('POST', '/api/codes/redeem', { code: codes[1]?.code })
  expect([revoked.status, ((await revoked.json()) as { error: { code: string; param: string } }).error]).toMatchObject([
    400,
    { code: 'invalid_code', param: 'code' },
  ])
  const states = await gateway.admin.call<{ data: { state: string; note: string }[] }>('GET', `/api/codes?batch=${batch}`)
  expect(states.data.map(({ state }) => state).sort()).toEqual(['redeemed', 'revoked', 'revoked'])
  for (const [method, path] of [
    ['GET', '/api/codes'],
    ['POST', '/api/codes'],
    ['GET', '/api/credits'],
  ] as const)
    expect((await session.raw(method, path, method === 'POST' ? { count: 1, value: '1' } : undefined)).status).toBe(403)
  await exact()
})

test('codes are found by state, note, batch and name, and payments by kind, reference and wallet', async () => {
  const { id, session } = await gateway.user('seeker', '0')
  const { batch, codes } = await gateway.admin.call<{ batch: string; codes: { id: string; code: string }[] }>('POST', '/api/codes', {
    ...{ count: 2, value: '1', note: 'Autumn 50%_off' },
  })
  await session.call('POST', '/api/codes/redeem', { code: codes[0]?.code })
  const found = async (query: string) => {
    const { data } = await gateway.admin.call<{ data: { id: string; state: string }[] }>('GET', `/api/codes?${query}`)
    return data.map((row) => row.id).sort()
  }
  const both = codes.map((one) => one.id).sort()
  expect(await found('q=autumn')).toEqual(both)
  // What has a meaning in patterns is a letter here.
  expect(await found('q=50%25_OFF')).toEqual(both)
  expect(await found('q=50_off')).toEqual([])
  expect(await found(`q=${batch}`)).toEqual(both)
  expect(await found(`batch=${batch}&state=open`)).toEqual([codes[1]?.id ?? ''])
  expect(await found(`batch=${batch}&state=redeemed`)).toEqual([codes[0]?.id ?? ''])
  expect(await found(`batch=${batch}&state=expired`)).toEqual([])
  expect(await found('q=SEEKER')).toEqual([codes[0]?.id ?? ''])
  expect((await gateway.admin.raw('GET', '/api/codes?state=lost')).status).toBe(400)

  await gateway.admin.call('POST', '/api/credits', { reference: 'seek-1', user: id, amount: '5', reason: 'invoice of May' })
  await gateway.admin.call('POST', '/api/credits/refund', { reference: 'seek-2', of: 'seek-1', amount: '2' })
  const paid = async (query: string) => {
    type Row = { reference: string; refunded: string }
    const { data } = await gateway.admin.call<{ data: Row[] }>('GET', `/api/credits?${query}`)
    return data.map(({ reference, refunded }) => [reference, refunded])
  }
  expect(await paid('q=of%20may')).toEqual([['seek-1', '2']])
  expect(await paid('q=SEEK-1')).toEqual([
    ['seek-2', '0'],
    ['seek-1', '2'],
  ])
  expect(await paid('q=seeker&kind=credit')).toEqual([['seek-1', '2']])
  expect(await paid('q=seeker&kind=refund')).toEqual([['seek-2', '0']])
  expect((await gateway.admin.raw('GET', '/api/credits?kind=gift')).status).toBe(400)
  await exact()
})

test('a refund waits for no request and takes nothing that is held', async () => {
  const { id, key } = await gateway.user('refunded', '0')
  await gateway.admin.call('POST', '/api/credits', { reference: 'ch_r', user: id, amount: usd(2) })
  const held = gate(respondJson(200, answer))
  upstream.answer(held.script)
  const running = ask(key)
  while (held.waiting() < 1) await wait(10)
  const whole = await gateway.admin.raw('POST', '/api/credits/refund', { reference: 're_whole', of: 'ch_r' })
  expect([whole.status, ((await whole.json()) as { error: { code: string } }).error.code]).toEqual([409, 'balance_too_low'])
  const some = await gateway.admin.call<{ amount: string }>('POST', '/api/credits/refund', {
    reference: 're_some',
    of: 'ch_r',
    partial: true,
  })
  held.open()
  expect((await running).status).toBe(200)
  upstream.answer(respondJson(200, answer))
  expect(Number(some.amount)).toBeLessThan(0)
  expect(Number(some.amount)).toBeGreaterThanOrEqual(-Number(usd(2)))
  const { data } = await gateway.admin.call<{ data: { id: string; balance: string }[] }>('GET', '/api/users?limit=200')
  expect(Number(data.find((one) => one.id === id)?.balance)).toBeGreaterThanOrEqual(0)
  await exact()
}, 30_000)

test('the holder of a key sees its windows, its days and its models, and nothing of other keys', async () => {
  const { session } = await gateway.user('holder', '10')
  const made = (name: string) =>
    session.call<{ key: string }>('POST', '/api/keys', { name, budget: { daily: usd(5), total: usd(9) } }).then(({ key }) => key)
  const [key, other] = [await made('sold'), await made('kept')]
  const usage = async () => {
    const answered = await fetch(`${gateway.url}/v1/key/usage`, { headers: { authorization: `Bearer ${key}` } })
    expect(answered.headers.get('cache-control')).toBe('no-store')
    return (await answered.json()) as {
      budgets: { window: string; left: string; limit: string; renewsAt: string | null }[]
      days: { day: string; requests: number; charged: string }[]
      models: { model: string; charged: string }[]
    }
  }
  expect(await usage()).toMatchObject({ days: [], models: [], budgets: [{ window: 'total', renewsAt: null }, { window: 'daily' }] })
  for (const one of [key, key, other]) expect((await ask(one)).status).toBe(200)
  // An answer may be a second old.
  let now = await usage()
  while (now.days.length === 0 || now.days[0]?.requests !== 2) now = await usage()
  expect(now.budgets).toMatchObject([
    { window: 'total', limit: usd(9), left: usd(7) },
    { window: 'daily', limit: usd(5), left: usd(3), renewsAt: expect.stringMatching(/T00:00:00\.000Z$/) },
  ])
  expect(now.days).toEqual([{ day: new Date().toISOString().slice(0, 10), requests: 2, charged: usd(2) }])
  expect(now.models).toMatchObject([{ model: testModel, charged: usd(2) }])
  expect(JSON.stringify(now)).not.toMatch(/balance|kept|holder/)
}, 30_000)

test('whoever tries many keys has to wait, and keys that are right are not counted', async () => {
  const facts = (key: string) => fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
  for (let n = 0; n < 20; n++) expect((await facts(gateway.key)).status).toBe(200)
  const statuses: number[] = []
  for (let n = 0; n < 110; n++) statuses.push((await facts(`sk-guess-number-${n}`)).status)
  expect(statuses.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 401))
  expect(statuses.at(-1)).toBe(429)
  expect((await facts(`sk-guess`)).headers.get('retry-after')).not.toBeNull()
})
