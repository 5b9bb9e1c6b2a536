/** The calls of the console as the outside contract lists them: statuses, envelopes, pages, and what is shown only once. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
}, 90_000)
afterAll(() => gateway?.close())

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every route
  body: any
}
async function call(method: string, path: string, body?: unknown, headers?: Record<string, string>, as = gateway.admin): Promise<Answer> {
  const answer = await as.raw(method, path, body, headers)
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}
const code = ({ status, body }: Answer) => [status, body.error.code]

test('the status is public and reveals no more than necessary', async () => {
  const answer = await fetch(`${gateway.url}/api/status`)
  expect(await answer.json()).toMatchObject({ name: 'Parley', setup: 'done', demo: true, version: expect.any(String) })
})

test('a post makes a row with 201, a patch answers it with 200, a delete with 204', async () => {
  const paths: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['/api/groups', { name: 'vip', ratio: '0.8' }, { description: 'Priority' }],
    ['/api/users', { name: 'zoe', balance: '3' }, { enabled: false }],
    ['/api/keys', { name: 'ci', budget: { daily: '5' } }, { enabled: false }],
    ['/api/channels', { name: 'main', vendor: 'openai', keys: ['sk-of-a-vendor-1'], models: ['gpt-5'] }, { weight: 3 }],
  ]
  for (const [path, fresh, change] of paths) {
    const made = await call('POST', path, fresh)
    const id = encodeURIComponent(made.body.id ?? made.body.name)
    expect([path, made.status]).toEqual([path, 201])
    expect([path, (await call('PATCH', `${path}/${id}`, change)).body]).toMatchObject([path, change])
    expect([path, ...code(await call('PATCH', `${path}/${id}`, { nonsense: 1 }))]).toEqual([path, 400, 'unknown_field'])
    expect([path, (await call('DELETE', `${path}/${id}`)).status]).toEqual([path, 204])
    expect([path, (await call('PATCH', `${path}/${id}`, change)).status]).toEqual([path, 404])
  }
})

test('lists are pages of 1 to 200 rows with the place of the next', async () => {
  for (let n = 0; n < 3; n++) await call('POST', '/api/keys', { name: `page ${n}` })
  const first = await call('GET', '/api/keys?limit=2&q=page')
  expect(first.body.data.length).toBe(2)
  const rest = await call('GET', `/api/keys?limit=2&q=page&after=${encodeURIComponent(first.body.next)}`)
  expect([rest.body.data.length, rest.body.next]).toEqual([1, null])
  for (const limit of ['0', '201', 'all']) expect(code(await call('GET', `/api/keys?limit=${limit}`))).toEqual([400, 'invalid_value'])
})

test('a key is shown once, rotated with an overlap, and a management key opens only what its scopes say', async () => {
  const made = await call('POST', '/api/keys', { name: 'shown' })
  expect(made.body.key).toStartWith('sk-')
  expect(made.body).toMatchObject({ managed: 'console', lastUsedAt: null })
  expect(made.body.hint).toBe(`sk-...${made.body.key.slice(-4)}`)
  expect(JSON.stringify((await call('GET', `/api/keys/${made.body.id}`)).body)).not.toContain(made.body.key)
  const rotated = await call('POST', `/api/keys/${made.body.id}/rotate`, { overlapHours: 1 })
  expect(rotated.body.key).not.toBe(made.body.key)
  for (const key of [made.body.key, rotated.body.key]) {
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
  }
  const managing = await call('POST', '/api/management-keys', { name: 'reader', scopes: ['keys'] })
  expect([managing.status, managing.body.key.slice(0, 3)]).toEqual([201, 'pk-'])
  const headers = { cookie: '', authorization: `Bearer ${managing.body.key}` }
  expect((await call('GET', '/api/keys', undefined, headers)).status).toBe(200)
  expect(code(await call('GET', '/api/users', undefined, headers))).toEqual([403, 'not_permitted'])
  expect(code(await call('POST', '/api/management-keys', { name: 'more', scopes: ['keys'] }, headers))).toEqual([403, 'not_permitted'])
})

test('a credit is posted once for each Idempotency-Key; a price is put and deleted', async () => {
  const { body: user } = await call('POST', '/api/users', { name: 'payer' })
  for (let time = 0; time < 2; time++) {
    const answer = await call('POST', `/api/users/${user.id}/credit`, { amount: '5', reason: 'hello' }, { 'idempotency-key': 'one' })
    expect([answer.status, answer.body.balance]).toEqual([200, '5'])
  }
  expect((await call('PUT', '/api/prices/a%2Fb', { input: '1', output: '2' })).body).toMatchObject({
    model: 'a/b',
    input: '1',
    output: '2',
  })
  expect((await call('DELETE', '/api/prices/a%2Fb')).status).toBe(204)
})

test('who is not signed in, from elsewhere, or sends no JSON is refused in the envelope of OpenAI', async () => {
  expect(code(await call('GET', '/api/keys', undefined, { cookie: '' }))).toEqual([401, 'not_signed_in'])
  expect(code(await call('POST', '/api/keys', { name: 'x' }, { origin: 'https://elsewhere.example' }))).toEqual([403, 'bad_origin'])
  expect((await call('POST', '/api/keys', { name: 'x' }, { 'content-type': 'text/plain' })).status).toBe(415)
  const { session } = await gateway.user('plain', '1')
  expect(code(await call('GET', '/api/users', undefined, {}, session))).toEqual([403, 'not_permitted'])
  expect(code(await call('GET', '/api/models?group=nowhere', undefined, {}, session))).toEqual([403, 'group_not_allowed'])
})

test('own sessions, search, overview, route and settings answer what they are for', async () => {
  expect((await call('GET', '/api/sessions')).body.data.some(({ current }: { current: boolean }) => current)).toBe(true)
  expect(JSON.stringify((await call('GET', '/api/search?q=parley-demo')).body)).toContain('parley-demo')
  expect((await call('GET', '/api/overview')).body).toMatchObject({ attention: expect.any(Array), now: { requests: 0 } })
  expect(
    (await call('POST', '/api/route', { body: { model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] } })).status,
  ).toBe(200)
  expect((await call('PATCH', '/api/settings', { moderationModel: 'x' })).body).toMatchObject({ moderationModel: 'x' })
  const key = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${gateway.key}` } })
  expect(Object.keys((await key.json()) as object)).toEqual(
    expect.arrayContaining(['name', 'group', 'models', 'expiresAt', 'spent', 'budgetLeft', 'limits']),
  )
})

test('a budget and limits are taken back with null, as rows show them', async () => {
  const bounds = { budget: { daily: '5' }, limits: { rpm: 5 } }
  for (const [path, named] of [
    ['/api/keys', 'bounded'],
    ['/api/users', 'bounded'],
    ['/api/groups', 'bounded'],
    ['/api/teams', 'bounded'],
  ] as const) {
    const made = await call('POST', path, { name: named, ...bounds })
    expect([path, made.status, made.body]).toMatchObject([path, 201, bounds])
    const row = `${path}/${encodeURIComponent(made.body.id ?? made.body.name)}`
    for (const field of ['budget', 'limits'] as const)
      expect([path, (await call('PATCH', row, { [field]: null })).body]).toMatchObject([path, { [field]: null }])
    expect((await call('POST', path, { name: `${named} not`, budget: null, limits: null })).body).toMatchObject({
      budget: null,
      limits: null,
    })
  }
})

test('the balance in the answer of a sign-in includes what was answered before it', async () => {
  const password = 'a phrase for one test'
  const { body: user } = await call('POST', '/api/users', { name: 'signer', password, balance: '1' })
  const { body: key } = await call('POST', '/api/keys', { name: 'of signer', user: user.id })
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    const answer = await fetch(gateway.url + path, init)
    expect(answer.status).toBe(200)
    return answer.json()
  }
  const question = { model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }
  let last = 1
  for (let time = 0; time < 5; time++) {
    await post('/v1/chat/completions', question, { authorization: `Bearer ${key.key}` })
    const begun = (await post('/api/session', { name: 'signer', password })) as { user: { balance: string } }
    expect(Number(begun.user.balance)).toBeLessThan(last)
    last = Number(begun.user.balance)
  }
})
