/** The console's routes about accounts, called with real requests on a real database. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Accounts, createAccounts } from '#accounts/accounts'
import { createBudgetsLeft } from '#billing/ledger/budgets-left'
import { setupRoutes } from '#http/console/installation/setup'
import { statusRoutes } from '#http/console/installation/status'
import type { ConsoleServices } from '#http/console/route/services'
import { logRoutes } from '#http/console/usage/logs'
import type { Route } from '#http/request/route'
import { systemRandom } from '#runtime/clock'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { type HandClock, handClock } from '#testing/hand-clock'
import { noBodies } from '#testing/no-bodies'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { putUsageRow } from '#testing/usage-row'
import { type Ask, type Visitor, visitor } from '#testing/visits'
import type { Serving } from './group-list.ts'
import { groupRoutes } from './groups.ts'
import { keyRoutes } from './keys.ts'
import { sessionRoutes } from './session.ts'
import { userRoutes } from './users.ts'

afterAll(makePasswordsCheap())

const password = 'correct horse'
const origin = 'http://127.0.0.1:3000'

let base: Throwaway
let clock: HandClock
let accounts: Accounts
let routes: Route[]
let call: Visitor
let admin: string
let ann: string
let bob: string
let annId: string
let setupAnswer: Awaited<ReturnType<Visitor>>

const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? ''
const signIn = async (name: string) => cookieOf((await call('POST', '/api/session', { body: { name, password } })).headers)

beforeAll(async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  clock = handClock()
  accounts = await createAccounts({ store: base.store, clock, random: systemRandom })
  const inForce = { state: 'ok', message: null, at: '2026-01-01T00:00:00.000Z' } as const
  const services: ConsoleServices & { channels: Serving } = {
    channels: { all: () => [] },
    accounts,
    budgetsLeft: createBudgetsLeft({ store: base.store, clock }),
    bodies: noBodies,
    clock,
    publicUrl: new URL(origin),
    answered: async () => undefined,
    version: '1.2.3',
    demo: () => true,
    banner: () => null,
    config: () => inForce,
  }
  routes = [statusRoutes, setupRoutes, sessionRoutes, userRoutes, groupRoutes, keyRoutes, logRoutes].flatMap((make) => make(services))
  call = visitor(routes, origin)
  expect((await call('GET', '/api/status')).body).toEqual({ name: 'Parley', version: '1.2.3', setup: 'needed', demo: true })
  setupAnswer = await call('POST', '/api/setup', { body: { token: accounts.setupToken, name: 'root', password } })
  admin = cookieOf(setupAnswer.headers)
  for (const name of ['ann', 'bob']) await call('POST', '/api/users', { cookie: admin, body: { name, password } })
  ann = await signIn('ann')
  bob = await signIn('bob')
  annId = (await call('GET', '/api/session', { cookie: ann })).body.user.id
}, 60_000)
afterAll(() => base.close())

describe('setting up and signing in', () => {
  test('setup answers the user, the key once, and a session', async () => {
    expect(setupAnswer).toMatchObject({
      status: 201,
      body: { user: { name: 'root', role: 'admin', balance: '100', held: '0' }, key: { name: 'first' } },
    })
    expect(setupAnswer.headers.get('set-cookie')).toMatch(/^parley=[0-9a-f]{64}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    expect(setupAnswer.headers.get('cache-control')).toBe('no-store')
    expect((await call('GET', '/api/session', { cookie: admin })).body.user).toEqual(setupAnswer.body.user)
    expect((await call('GET', '/api/status')).body.setup).toBe('done')
    const again = await call('POST', '/api/setup', { body: { token: accounts.setupToken, name: 'x', password } })
    expect(again).toMatchObject({ status: 409, code: 'setup_done' })
  })
  test('a wrong password and an unknown name get the same answer', async () => {
    const wrong = await call('POST', '/api/session', { body: { name: 'ann', password: 'wrong' }, address: '10.1.1.1' })
    const nobody = await call('POST', '/api/session', { body: { name: 'nobody', password: 'wrong' }, address: '10.1.1.1' })
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_credentials' })
    expect(nobody).toEqual(wrong)
  })
  test('a cookie set from outside never becomes a session, and signing in again ends the old one', async () => {
    const planted = `parley=${'ab'.repeat(32)}`
    const first = await call('POST', '/api/session', { body: { name: 'ann', password }, cookie: planted })
    expect(cookieOf(first.headers)).not.toBe(planted)
    expect((await call('GET', '/api/session', { cookie: planted })).status).toBe(401)
    const second = await call('POST', '/api/session', { body: { name: 'ann', password }, cookie: cookieOf(first.headers) })
    expect((await call('GET', '/api/session', { cookie: cookieOf(first.headers) })).status).toBe(401)
    const out = await call('DELETE', '/api/session', { cookie: cookieOf(second.headers) })
    expect(out).toMatchObject({ status: 204, body: undefined })
    expect(out.headers.get('set-cookie')).toStartWith('parley=; Path=/; Max-Age=0')
    expect((await call('GET', '/api/session', { cookie: cookieOf(second.headers) })).status).toBe(401)
  })
  test('the eleventh failure of a name from an address must wait; other names there and the same name elsewhere need not', async () => {
    const attempt = (name: string, address = '10.7.7.7') => call('POST', '/api/session', { body: { name, password: 'wrong' }, address })
    for (let n = 0; n < 10; n++) expect((await attempt('x')).status).toBe(401)
    expect(await attempt('x')).toMatchObject({ status: 429, code: 'too_many_attempts', retryAfter: 1 })
    expect((await attempt('y')).status).toBe(401)
    expect((await attempt('x', '10.7.7.8')).status).toBe(401)
  })
})

describe('who may do what', () => {
  const open = ['GET /api/status', 'POST /api/setup', 'POST /api/session']
  const own = [
    'GET /api/session',
    'DELETE /api/session',
    'PATCH /api/session/password',
    'GET /api/sessions',
    'DELETE /api/sessions/:id',
    'GET /api/groups',
    'GET /api/keys',
    'POST /api/keys',
    'GET /api/keys/:id',
    'PATCH /api/keys/:id',
    'POST /api/keys/:id/rotate',
    'DELETE /api/keys/:id',
    'GET /api/logs',
    'GET /api/logs/:requestId',
  ]
  const target = (route: Route) => route.path.replace(/:\w+/g, 'nothing')

  test('every route is one of the three kinds', () => {
    const names = routes.map(({ method, path }) => `${method} ${path}`)
    const rest = names.filter((name) => !open.includes(name) && !own.includes(name))
    expect(names).toEqual(expect.arrayContaining([...open, ...own]))
    expect(rest).toEqual([
      'GET /api/users',
      'GET /api/users/totals',
      'GET /api/users/:id',
      'POST /api/users',
      'PATCH /api/users/:id',
      'DELETE /api/users/:id',
      'GET /api/users/:id/entries',
      'POST /api/users/:id/credit',
      'POST /api/groups',
      'PATCH /api/groups/:name',
      'DELETE /api/groups/:name',
    ])
  })
  test('the matrix of roles and routes', async () => {
    const visitors = { nobody: undefined, garbage: 'parley=zzz', stale: `parley=${'0'.repeat(64)}`, ann, admin }
    for (const route of routes) {
      const name = `${route.method} ${route.path}`
      if (name === 'DELETE /api/session') continue
      for (const [who, cookie] of Object.entries(visitors)) {
        const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: {} }
        const { status } = await call(route.method, target(route), { cookie, ...body })
        const signedIn = who === 'ann' || who === 'admin'
        const wanted = open.includes(name) || (signedIn && own.includes(name)) || who === 'admin' ? 'passed' : signedIn ? 403 : 401
        const passed = name === 'POST /api/session' || (status !== 401 && status !== 403) ? 'passed' : status
        expect(`${name} as ${who}: ${passed}`).toBe(`${name} as ${who}: ${wanted}`)
      }
    }
  })
  test('every write refuses other sites and other types, and does nothing', async () => {
    const before = JSON.stringify([[...accounts.users.all()], (await call('GET', '/api/keys', { cookie: admin })).body])
    const foreign: Ask['headers'][] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    const types = [
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain; application/json',
      'application/jsonp',
      'application/vnd.api+json',
    ]
    for (const route of routes.filter(({ method }) => method !== 'GET')) {
      for (const headers of foreign) {
        expect(await call(route.method, target(route), { cookie: admin, body: { name: 'evil' }, headers: headers ?? {} })).toMatchObject({
          status: 403,
          code: 'bad_origin',
        })
      }
      for (const type of types) {
        const headers = { 'content-type': type, 'content-length': '15' }
        expect(await call(route.method, target(route), { cookie: admin, body: '{"name":"evil"}', headers })).toMatchObject({ status: 415 })
      }
    }
    expect(JSON.stringify([[...accounts.users.all()], (await call('GET', '/api/keys', { cookie: admin })).body])).toBe(before)
  })
  test('another’s key is not there, neither to see nor to change nor to rotate nor to delete', async () => {
    const { body: key } = await call('POST', '/api/keys', { cookie: ann, body: { name: 'mine' } })
    for (const query of ['all=true', 'user=ann']) {
      expect(await call('GET', `/api/keys?${query}`, { cookie: bob })).toMatchObject({ status: 403, code: 'not_permitted' })
    }
    {
      const cookie = bob
      expect((await call('GET', '/api/keys', { cookie })).body.data.map(({ id }: { id: string }) => id)).not.toContain(key.id)
      expect(await call('GET', `/api/keys/${key.id}`, { cookie })).toMatchObject({ status: 404, code: 'not_found' })
      expect(await call('POST', `/api/keys/${key.id}/rotate`, { cookie, body: { overlapHours: 1 } })).toMatchObject({ status: 404 })
      expect(await call('PATCH', `/api/keys/${key.id}`, { cookie, body: { enabled: false } })).toMatchObject({
        status: 404,
        code: 'not_found',
      })
      expect(await call('DELETE', `/api/keys/${key.id}`, { cookie })).toMatchObject({ status: 404, code: 'not_found' })
    }
    expect((await call('PATCH', `/api/keys/${key.id}`, { cookie: ann, body: { name: 'still mine' } })).body).toMatchObject({
      name: 'still mine',
      enabled: true,
    })
    expect((await call('DELETE', `/api/keys/${key.id}`, { cookie: ann })).status).toBe(204)
  })
})

describe('keys', () => {
  test('an administrator sees, creates, limits and deletes all keys; its own list has only its own', async () => {
    const { body: key } = await call('POST', '/api/keys', { cookie: admin, body: { name: 'for ann', user: 'ann', note: 'her laptop' } })
    expect(key).toMatchObject({ user: { id: annId, name: 'ann' }, note: 'her laptop' })
    const ids = async (query: string, cookie = admin) =>
      (await call('GET', `/api/keys?limit=200&${query}`, { cookie })).body.data.map(({ id }: { id: string }) => id)
    expect(await ids('')).not.toContain(key.id)
    expect(await ids('', ann)).toContain(key.id)
    for (const query of ['all=true', 'user=ann', `user=${annId}`, 'all=true&q=laptop', `all=true&q=${key.key}`, 'all=true&sort=-name']) {
      expect(await ids(query)).toContain(key.id)
    }
    expect(await ids('all=true&status=off')).not.toContain(key.id)
    const capped = await call('PATCH', `/api/keys/${key.id}`, { cookie: admin, body: { budget: { daily: '5' }, enabled: false } })
    expect(capped.body).toMatchObject({ budget: { daily: '5' }, enabled: false })
    expect(await ids('all=true&status=off')).toContain(key.id)
    expect((await call('DELETE', `/api/keys/${key.id}`, { cookie: admin })).status).toBe(204)
    expect(await call('POST', '/api/keys', { cookie: bob, body: { name: 'k', user: 'ann' } })).toMatchObject({ code: 'not_permitted' })
  })
  test('a rotated key has a new secret, and the old one until the overlap ends', async () => {
    const { body: first } = await call('POST', '/api/keys', { cookie: ann, body: { name: 'turning' } })
    const rotate = (overlapHours: number) => call('POST', `/api/keys/${first.id}/rotate`, { cookie: ann, body: { overlapHours } })
    const { body: second } = await rotate(24)
    expect(second).toMatchObject({ id: first.id, hint: `sk-...${second.key.slice(-4)}` })
    for (const { key } of [first, second]) expect(accounts.admitKey(key).key?.id).toBe(first.id)
    // The one before the last is gone at once, also where the last change leaves an overlap.
    const { body: third } = await rotate(24)
    expect(() => accounts.admitKey(first.key)).toThrow('API key')
    for (const { key } of [second, third]) expect(accounts.admitKey(key).key?.id).toBe(first.id)
    await clock.advance(24 * 3_600_000)
    expect(() => accounts.admitKey(second.key)).toThrow('API key')
    const { body: fourth } = await rotate(0)
    expect(() => accounts.admitKey(third.key)).toThrow('API key')
    expect(accounts.admitKey(fourth.key).key?.id).toBe(first.id)
    expect((await call('GET', `/api/keys/${first.id}`, { cookie: ann })).body.previousUntil).toBeNull()
  })
  test('a key for certain addresses works from these only, and says where it was used last', async () => {
    const body = { name: 'at home', addresses: ['203.0.113.7', '10.0.0.0/8', '2001:db8::/32'] }
    const { body: key } = await call('POST', '/api/keys', { cookie: ann, body })
    for (const address of ['203.0.113.7', '10.9.8.7', '::ffff:10.1.2.3', '2001:db8::1']) {
      await clock.advance(1_000)
      accounts.admitKey(key.key, { clientAddress: address })
    }
    expect((await call('GET', `/api/keys/${key.id}`, { cookie: ann })).body.lastUsedFrom).toBe('2001:db8::1')
    for (const address of ['203.0.113.8', '11.0.0.1', '2001:db9::1', '::1', '']) {
      expect(() => accounts.admitKey(key.key, { clientAddress: address })).toThrow('address')
    }
    expect(() => accounts.admitKey(key.key)).toThrow('address')
    const wrong = ['203.0.113', '10.0.0.0/33', 'example.com', '10.0.0.0/8/8', '::1/129', '10.0.0.0/-1', '1.2.3.4/']
    for (const entry of wrong) {
      expect(await call('PATCH', `/api/keys/${key.id}`, { cookie: ann, body: { addresses: [entry] } })).toMatchObject({
        param: 'addresses.0',
      })
    }
    await call('PATCH', `/api/keys/${key.id}`, { cookie: ann, body: { addresses: null } })
    expect(accounts.admitKey(key.key, { clientAddress: '198.51.100.1' }).key?.addresses).toBeNull()
  })
  test('the plain key is in one answer only', async () => {
    const made = await call('POST', '/api/keys', {
      cookie: ann,
      body: { name: 'k', models: ['a'], budget: { total: '1.5' }, limits: { rpm: 3 }, expiresAt: '2031-02-03T04:05:06+01:00' },
    })
    const { key, ...row } = made.body
    expect(made.status).toBe(201)
    expect(key).toMatch(/^sk-[0-9A-Za-z]{48}$/)
    expect(row).toMatchObject({
      name: 'k',
      group: null,
      models: ['a'],
      budget: { total: '1.5' },
      limits: { rpm: 3 },
      expiresAt: '2031-02-03T03:05:06.000Z',
      enabled: true,
      managed: 'console',
      lastUsedAt: null,
    })
    const rest = [
      await call('GET', '/api/keys', { cookie: ann }),
      await call('PATCH', `/api/keys/${row.id}`, { cookie: ann, body: { expiresAt: null } }),
    ]
    expect(JSON.stringify(rest)).not.toContain(key)
    expect(rest[1]?.body.expiresAt).toBeNull()
  })
  test('a group that the user may not use is refused', async () => {
    await call('POST', '/api/groups', { cookie: admin, body: { name: 'inner' } })
    for (const group of ['inner', 'none', '__proto__']) {
      expect(await call('POST', '/api/keys', { cookie: ann, body: { name: 'k', group } })).toMatchObject({
        status: 403,
        code: 'group_not_allowed',
      })
    }
  })
  test('lists come in pages that are whole and without repeats', async () => {
    for (let n = 0; n < 7; n++) await call('POST', '/api/keys', { cookie: bob, body: { name: `k${n}` } })
    const seen: string[] = []
    for (let after = ''; after !== null; ) {
      const { body } = await call('GET', `/api/keys?limit=3${after && `&after=${after}`}`, { cookie: bob })
      seen.push(...body.data.map(({ name }: { name: string }) => name))
      after = body.next
    }
    expect(seen.sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6'])
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=-1',
      'limit=1.5',
      'limit=1e1',
      'limit=',
      'limit=0x10',
      'limit=%20',
      'limit=Infinity',
      'limit=1&limit=2',
      'after=',
      'after=%00',
      'after=a&after=b',
      'after=!!!',
    ]) {
      expect(await call('GET', `/api/keys?${query}`, { cookie: bob })).toMatchObject({ status: 400, code: 'invalid_value' })
    }
  })
})

describe('bodies', () => {
  const columns = [
    'id',
    'userId',
    'user_id',
    'digest',
    'hint',
    'key',
    'managed',
    'createdAt',
    'created_at',
    'lastUsedAt',
    'passwordHash',
    'password_hash',
    'held',
    'signsIn',
    'ratio',
    '__proto__',
    'constructor',
    'isAdmin',
  ]
  const targets: [string, string, object][] = [
    ['POST', '/api/keys', { name: 'k' }],
    ['POST', '/api/users', { name: 'mass' }],
    ['PATCH', '/api/users/ANN', {}],
    ['POST', '/api/groups', { name: 'mass' }],
    ['PATCH', '/api/groups/inner', {}],
    ['POST', '/api/users/ANN/credit', { amount: '1', reason: 'r' }],
  ]
  test('no column can be set that the contract does not name', async () => {
    for (const [method, path, valid] of targets) {
      for (const column of columns.filter((name) => !(name === 'ratio' && path.includes('groups')))) {
        const body = JSON.stringify({ ...valid, '§': 1 }).replace('"§":1', `${JSON.stringify(column)}:"admin"`)
        const outcome = await call(method, path.replace('ANN', annId), { cookie: admin, body, headers: { 'idempotency-key': 'mass' } })
        expect(`${method} ${path} ${column}: ${outcome.code} ${outcome.param}`).toBe(`${method} ${path} ${column}: unknown_field ${column}`)
      }
    }
    for (const field of ['role', 'balance', 'groups']) {
      expect(await call('POST', '/api/keys', { cookie: ann, body: { name: 'k', [field]: 'admin' } })).toMatchObject({
        code: 'unknown_field',
        param: field,
      })
    }
  })
  test('numbers and texts outside their bounds are refused with the field’s path', async () => {
    const bad: [string, string, unknown][] = [
      ...[-1, 0, 1.5, 1e21, 2 ** 53, '5', '', null, [], {}, true].map((rpm): [string, string, unknown] => [
        '/api/keys',
        'limits.rpm',
        { name: 'k', limits: { rpm } },
      ]),
      ...['-1', '1e3', 'NaN', 'Infinity', '', ' 1', '1.', '.5', '01', '0x1', '1,5', '1.0000000001', '9'.repeat(20), 1, null].map(
        (total): [string, string, unknown] => ['/api/keys', 'budget.total', { name: 'k', budget: { total } }],
      ),
      ...['-1', '1.0000001', '100.000001', 1].map((ratio): [string, string, unknown] => ['/api/groups', 'ratio', { name: 'bad', ratio }]),
      ...['', 'a\nb', 'a\0b', 'x'.repeat(121), 5, '\ud800'].map((name): [string, string, unknown] => ['/api/keys', 'name', { name }]),
      ...[
        'tomorrow',
        '2030-13-01T00:00:00Z',
        '2030-02-30T00:00:00Z',
        '2030-01-01T00:00:00',
        '0000-01-01T00:00:00Z',
        '1969-12-31T00:00:00Z',
        1_900_000_000,
      ].map((expiresAt): [string, string, unknown] => ['/api/keys', 'expiresAt', { name: 'k', expiresAt }]),
      ['/api/groups', 'description', { name: 'bad', description: 'a\0b' }],
      ['/api/keys', 'budget.timezone', { name: 'k', budget: { timezone: 'Nowhere/At' } }],
      ['/api/keys', 'models.0', { name: 'k', models: [''] }],
      ['/api/users', 'role', { name: 'bad', role: 'root' }],
      ['/api/users', 'group', { name: 'bad', group: 'none' }],
      ['/api/users', 'groups', { name: 'bad', groups: ['default', 'none'] }],
      ['/api/users', 'balance', { name: 'bad', balance: '-1' }],
    ]
    for (const [path, param, body] of bad) {
      const text = JSON.stringify(body)
      const outcome = await call('POST', path, { cookie: admin, body: text })
      expect(`${text.slice(0, 80)}: ${outcome.status} ${outcome.code} ${outcome.param}`).toBe(
        `${text.slice(0, 80)}: 400 invalid_value ${param}`,
      )
    }
    expect(await call('POST', '/api/keys', { cookie: admin, body: {} })).toMatchObject({ code: 'missing_field', param: 'name' })
    expect(await call('POST', '/api/users', { cookie: admin, body: { name: 'ann' } })).toMatchObject({ status: 409, code: 'name_taken' })
  })
  test('what is no JSON object of sane depth and size is refused, and nothing of it is given back', async () => {
    const canary = 'sk-canary-value'
    const deep = (levels: number) => `{"name":"k","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    const bad: [string | Uint8Array, number, string][] = [
      ['', 400, 'invalid_json'],
      ['{', 400, 'invalid_json'],
      [`{"name":"${canary}"`, 400, 'invalid_json'],
      ['{"name":"k"}x', 400, 'invalid_json'],
      [deep(65), 400, 'invalid_json'],
      [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400, 'invalid_json'],
      [deep(64), 400, 'unknown_field'],
      ['null', 400, 'invalid_value'],
      ['[]', 400, 'invalid_value'],
      [`"${canary}"`, 400, 'invalid_value'],
      [`{"name":["${canary}"]}`, 400, 'invalid_value'],
      [`{"${canary} with spaces":1,"name":"k"}`, 400, 'unknown_field'],
      [new Uint8Array([0x7b, 0xff, 0x7d]), 400, 'invalid_json'],
      [`{"name":"${'x'.repeat(1024 * 1024)}"}`, 413, 'request_too_large'],
    ]
    for (const [body, status, code] of bad) {
      const outcome = await call('POST', '/api/keys', { cookie: ann, body })
      expect(outcome).toMatchObject({ status, code })
      expect(JSON.stringify(outcome)).not.toContain(canary)
    }
    const brackets = JSON.stringify({ name: '[{"\\'.repeat(20) })
    expect((await call('POST', '/api/keys', { cookie: ann, body: brackets })).status).toBe(201)
  })
})

describe('users and money', () => {
  // A day has passed since the administrator signed in, and money asks for a fresh proof: proofs.test.ts.
  beforeAll(async () => {
    admin = `parley=${await accounts.proved(admin.split('=')[1] ?? '')}`
  })

  test('a credit needs its key, happens once, and answers the user', async () => {
    const credit = (key: string | undefined, body: object) =>
      call('POST', `/api/users/${annId}/credit`, { cookie: admin, body, ...(key !== undefined && { headers: { 'idempotency-key': key } }) })
    expect(await credit(undefined, { amount: '1', reason: 'r' })).toMatchObject({
      status: 400,
      code: 'missing_field',
      param: 'Idempotency-Key',
    })
    expect(await credit('x'.repeat(201), { amount: '1', reason: 'r' })).toMatchObject({ status: 400, code: 'invalid_value' })
    for (const amount of ['0', '1e3', '', '--1', 1])
      expect(await credit('bad', { amount, reason: 'r' })).toMatchObject({ status: 400, param: 'amount' })
    expect(await credit('once', { amount: '12.5', reason: 'r' })).toMatchObject({ status: 200, body: { name: 'ann', balance: '12.5' } })
    expect(await credit('once', { amount: '12.5', reason: 'r' })).toMatchObject({ status: 200, body: { balance: '12.5' } })
    expect(await credit('once', { amount: '13', reason: 'r' })).toMatchObject({ status: 409, code: 'idempotency_conflict' })
  })
  test('the ledger is paged, filtered and a file, with the balance after each entry', async () => {
    const path = `/api/users/${annId}/entries`
    const [entry] = (await call('GET', `${path}?limit=1`, { cookie: admin })).body.data
    expect(entry).toMatchObject({ kind: 'credit', amount: '12.5', balance: '12.5', reason: 'r' })
    expect((await call('GET', `${path}?kind=usage`, { cookie: admin })).body).toEqual({ data: [], next: null })
    for (const [query, param] of [
      ['kind=money', 'kind'],
      ['q=', 'q'],
      ['from=yesterday', 'from'],
      ['after=12', 'after'],
      ['format=xml', 'format'],
    ] as const)
      expect(await call('GET', `${path}?${query}`, { cookie: admin })).toMatchObject({ status: 400, param })
  })
  test('the last administrator stays', async () => {
    const { id } = setupAnswer.body.user
    for (const body of [{ role: 'user' }, { enabled: false }])
      expect(await call('PATCH', `/api/users/${id}`, { cookie: admin, body })).toMatchObject({ status: 409 })
    expect((await call('DELETE', `/api/users/${id}`, { cookie: admin })).status).toBe(409)
  })
  test('no answer about users carries a hash', async () => {
    const answers = [
      await call('GET', '/api/users', { cookie: admin }),
      await call('PATCH', `/api/users/${annId}`, { cookie: admin, body: { limits: { rpm: 9 } } }),
    ]
    expect(JSON.stringify(answers)).not.toContain('argon2')
    expect(answers[1]?.body).toMatchObject({ name: 'ann', limits: { rpm: 9 }, signsIn: true })
  })
})

describe('groups', () => {
  test('everyone sees the ones they may use', async () => {
    const made = await call('POST', '/api/groups', { cookie: admin, body: { name: 'a/b', ratio: '0.25', description: 'Slash' } })
    expect(made).toMatchObject({ status: 201, body: { name: 'a/b', ratio: '0.25', description: 'Slash' } })
    expect((await call('GET', '/api/groups', { cookie: bob })).body).toEqual({
      data: [{ name: 'default', ratio: '1', description: '' }],
      next: null,
    })
    expect((await call('GET', '/api/groups', { cookie: admin })).body.data).toEqual([{ name: 'default', ratio: '1', description: '' }])
    const all = (await call('GET', '/api/groups?all=true', { cookie: admin })).body.data
    expect(all).toContainEqual(expect.objectContaining({ name: 'a/b', usable: false, enabled: true, budget: null, limits: null }))
    expect(await call('GET', '/api/groups?all=true', { cookie: bob })).toMatchObject({ status: 403, code: 'not_permitted' })
    expect(await call('GET', '/api/groups?all=1', { cookie: admin })).toMatchObject({ status: 400, param: 'all' })
    expect((await call('PATCH', '/api/groups/a%2Fb', { cookie: admin, body: { ratio: '0', enabled: false } })).body).toMatchObject({
      ...{ ratio: '0', enabled: false },
    })
    expect(await call('POST', '/api/groups', { cookie: admin, body: { name: 'a/b' } })).toMatchObject({ status: 409, code: 'name_taken' })
    expect((await call('DELETE', '/api/groups/a%2Fb', { cookie: admin })).status).toBe(204)
  })
})

describe('usage rows', () => {
  test('are one’s own, without what only administrators may see', async () => {
    const attempt = { channel: 'secret-channel', key: 'a', phase: 'done', status: 200, cause: null, ms: 4 } as const
    const hidden = { channel: 'secret-channel', upstreamModel: 'secret-model', attempts: [attempt] }
    for (const requestId of ['req_1', 'req_2']) {
      await putUsageRow(base.store, { requestId, at: new Date(clock.now()), userId: annId, cost: 1_500n, ...hidden })
    }
    const mine = await call('GET', '/api/logs?limit=1', { cookie: ann })
    expect(mine.body).toMatchObject({ data: [{ requestId: 'req_2', cost: '0.0000015', end: 'complete' }] })
    expect((await call('GET', `/api/logs?limit=1&after=${mine.body.next}`, { cookie: ann })).body).toMatchObject({
      data: [{ requestId: 'req_1' }],
      next: null,
    })
    expect(JSON.stringify([mine, await call('GET', '/api/logs/req_1', { cookie: ann })])).not.toContain('secret-')
    expect((await call('GET', '/api/logs', { cookie: bob })).body).toEqual({ data: [], next: null })
    expect(await call('GET', '/api/logs/req_1', { cookie: bob })).toMatchObject({ status: 404, code: 'not_found' })
    expect((await call('GET', '/api/logs/req_1', { cookie: admin })).body).toMatchObject({
      channel: 'secret-channel',
      upstreamModel: 'secret-model',
      attempts: [{ key: 'a' }],
    })
    expect(await call('GET', '/api/logs?after=nonsense', { cookie: ann })).toMatchObject({ status: 400 })
  })
})

test('a management key with the scope of users makes no administrator, and sets no password of one', async () => {
  const root = [...accounts.users.all()].find(({ name }) => name === 'root')
  if (!root) throw new Error('no administrator')
  const { secret } = await accounts.managementKeys.create({ ...root, requestId: 'req_1' }, { name: 'accounting', scopes: ['users'] })
  const headers = { authorization: `Bearer ${secret}` }
  const refused = { status: 403, code: 'not_permitted' }
  expect(await call('POST', '/api/users', { headers, body: { name: 'eve', role: 'admin' } })).toMatchObject(refused)
  expect(await call('PATCH', `/api/users/${root.id}`, { headers, body: { password: 'another horse' } })).toMatchObject(refused)
  expect(await call('PATCH', `/api/users/${annId}`, { headers, body: { role: 'admin' } })).toMatchObject(refused)
  expect(await call('POST', '/api/users', { headers, body: { name: 'dora', balance: '1', password } })).toMatchObject({ status: 201 })
  expect(await call('PATCH', `/api/users/${annId}`, { headers, body: { password } })).toMatchObject({ status: 200 })
})
