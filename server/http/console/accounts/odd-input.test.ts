/** Typos and malicious input: parameters, cursors, names and amounts that are nearly right. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Accounts, createAccounts } from '#accounts/accounts'
import { createBudgetsLeft } from '#billing/ledger/budgets-left'
import { setupRoutes } from '#http/console/installation/setup'
import type { ConsoleServices } from '#http/console/route/services'
import { logRoutes } from '#http/console/usage/logs'
import { systemRandom } from '#runtime/clock'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { handClock } from '#testing/hand-clock'
import { noBodies } from '#testing/no-bodies'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { putUsageRow } from '#testing/usage-row'
import { type Visitor, visitor } from '#testing/visits'
import { auditRoutes } from './audit.ts'
import type { Serving } from './group-list.ts'
import { groupRoutes } from './groups.ts'
import { keyRoutes } from './keys.ts'
import { sessionRoutes } from './session.ts'
import { userRoutes } from './users.ts'

afterAll(makePasswordsCheap())

const password = 'correct horse'
const origin = 'http://127.0.0.1:3000'

let base: Throwaway
let accounts: Accounts
let send: Visitor
let cookie: string

const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  send(method, path, { cookie, headers, ...(body && { body }) })

beforeAll(async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  const clock = handClock()
  accounts = await createAccounts({ store: base.store, clock, random: systemRandom })
  const budgetsLeft = createBudgetsLeft({ store: base.store, clock })
  const inForce = { state: 'ok', message: null, at: '2026-01-01T00:00:00.000Z' } as const
  const services: ConsoleServices & { channels: Serving } = {
    channels: { all: () => [] },
    accounts,
    budgetsLeft,
    bodies: noBodies,
    clock,
    publicUrl: new URL(origin),
    answered: async () => undefined,
    version: '1',
    demo: () => true,
    banner: () => null,
    config: () => inForce,
  }
  const routes = [setupRoutes, sessionRoutes, userRoutes, groupRoutes, keyRoutes, logRoutes, auditRoutes].flatMap((make) => make(services))
  send = visitor(routes, origin)
  const made = await send('POST', '/api/setup', { body: { token: accounts.setupToken, name: 'root', password } })
  cookie = made.headers.get('set-cookie')?.split(';')[0] ?? ''
  for (const n of [1, 2, 3]) {
    await call('POST', '/api/keys', { name: `k${n}` })
    await call('POST', '/api/users', { name: `u${n}` })
    await call('POST', '/api/groups', { name: `g${n}` })
    await putUsageRow(base.store, { requestId: `r${n}`, at: new Date(clock.now()), userId: 'u' })
  }
}, 60_000)
afterAll(() => base.close())

const lists = ['/api/keys', '/api/users', '/api/groups?all=true', '/api/logs', '/api/audit']
const asking = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

test('a parameter that a call does not know is refused by name', async () => {
  for (const path of [...lists, '/api/session', '/api/logs/r1']) {
    expect([path, await call('GET', asking(path, 'modle=x'))]).toMatchObject([path, { status: 400, code: 'unknown_field', param: 'modle' }])
  }
  expect(await call('PATCH', '/api/groups/g1?dry=1', { ratio: '2' })).toMatchObject({ status: 400, code: 'unknown_field', param: 'dry' })
  expect(await send('GET', '/api/users?modle=x')).toMatchObject({ status: 401 })
})

test('a cursor goes on in its own list only', async () => {
  const nexts = new Map<string, string>()
  for (const path of lists) nexts.set(path, (await call('GET', asking(path, 'limit=1'))).body.next)
  for (const path of lists) {
    for (const [from, next] of nexts) {
      const wanted = path === from ? 200 : 400
      expect([path, from, (await call('GET', asking(path, `limit=1&after=${next}`))).status]).toEqual([path, from, wanted])
    }
  }
})

test('a name that turns the direction of the text around it is refused', async () => {
  for (const path of ['/api/users', '/api/groups', '/api/keys'])
    for (const sign of ['\u202e', '\u2066'])
      expect([path, await call('POST', path, { name: `admin${sign}` })]).toMatchObject([path, { status: 400, param: 'name' }])
})

test('cursors beyond every time and number are refused', async () => {
  for (const after of ['999999999999999.abc', '8640000000000001.a', '253402300800000.a', '-1.a', '1.', '.a']) {
    expect([after, await call('GET', `/api/logs?after=${after}`)]).toMatchObject([
      after,
      { status: 400, code: 'invalid_value', param: 'after' },
    ])
  }
  expect((await call('GET', '/api/logs?after=99999999999999.a')).status).toBe(200)
  for (const after of ['9999999999999999999', '1e3', '-1']) {
    expect([after, await call('GET', `/api/audit?after=${after}`)]).toMatchObject([after, { status: 400, param: 'after' }])
  }
})

test('a wallet takes as much as it can hold', async () => {
  const { id } = (await call('POST', '/api/users', { name: 'rich', balance: '1000000000' })).body
  const credit = (n: number) =>
    call('POST', `/api/users/${id}/credit`, { amount: '1000000000', reason: 'r' }, { 'idempotency-key': `rich${n}` })
  for (let n = 2; n <= 9; n++) expect((await credit(n)).body.balance).toBe(`${n}000000000`)
  expect(await credit(10)).toMatchObject({ status: 400, code: 'invalid_value', param: 'amount' })
  const found = (await call('GET', '/api/users?limit=200')).body.data.find((user: { id: string }) => user.id === id)
  expect(found.balance).toBe('9000000000')
})

test('a credit has a reason', async () => {
  const { id } = (await call('POST', '/api/users', { name: 'poor' })).body
  for (const reason of ['', ' \t']) {
    const refused = await call('POST', `/api/users/${id}/credit`, { amount: '1', reason }, { 'idempotency-key': 'p' })
    expect(refused).toMatchObject({ status: 400, code: 'invalid_value', param: 'reason' })
  }
})

test('a group has a name that an address can carry', async () => {
  for (const name of ['.', '..']) expect(await call('POST', '/api/groups', { name })).toMatchObject({ status: 400, param: 'name' })
  for (const name of ['...', '.a', 'a..', '. .']) expect((await call('POST', '/api/groups', { name })).status).toBe(201)
})

test('a key takes null for its group and its models, as rows have them', async () => {
  const made = await call('POST', '/api/keys', { name: 'open', group: null, models: null })
  expect(made).toMatchObject({ status: 201, body: { group: null, models: null } })
  const at = `/api/keys/${made.body.id}`
  const bound = { group: 'default', models: ['m'] }
  expect(await call('PATCH', at, bound)).toMatchObject({ status: 200, body: bound })
  expect(await call('PATCH', at, { group: null })).toMatchObject({ status: 200, body: { group: null, models: ['m'] } })
  expect(await call('PATCH', at, { models: null })).toMatchObject({ status: 200, body: { group: null, models: null } })
  expect(accounts.admitKey(made.body.key)).toMatchObject({ group: { name: 'default' }, models: null })
})
