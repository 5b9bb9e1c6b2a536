/**
 * The lists of users, keys, groups and channels, with ten thousand users and keys: found, ordered and paged by the server, a page at a
 * time; and the sessions of others.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelRow, ChannelTotals } from '#shared/console/channel'
import type { ManagedGroupRow } from '#shared/console/group'
import type { KeyRow } from '#shared/console/key'
import type { Page } from '#shared/console/model'
import type { SessionRow } from '#shared/console/session'
import type { UsageReportRow } from '#shared/console/usage'
import type { AccountRow, UserTotals } from '#shared/console/user'
import { sampledEngine } from '#testing/database/database'
import { administrator, administratorPassword } from '#testing/program/program'
import { type Gateway, startGateway } from './support/gateway.ts'

const many = 10_000
const nameOf = (n: number) => `user-${String(n).padStart(5, '0')}`
let gateway: Gateway
const folder = mkdtempSync(join(tmpdir(), 'parley-lists-'))

beforeAll(async () => {
  const config = join(folder, 'parley.yaml')
  const all = Array.from({ length: many }, (_, n) => n)
  const users = all.map((n) => `  - { name: ${nameOf(n)}, balance: ${n % 100}, group: ${n % 10 === 0 ? 'tenth' : 'default'} }`)
  const keys = all.map((n) => `  - { name: key-${n}, user: ${nameOf(n)}, key: sk-list-${String(n).padStart(8, '0')} }`)
  writeFileSync(config, ['groups:', '  tenth: { ratio: 0.5 }', 'users:', ...users, 'keys:', ...keys].join('\n'))
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_CONFIG: config, PARLEY_DEMO: 'on' } })
}, 120_000)
afterAll(async () => {
  await gateway?.close()
  rmSync(folder, { recursive: true, force: true })
})

const page = <Row>(path: string) => gateway.admin.call<Page<Row>>('GET', path)
const pagesOf = async <Row>(path: string, count: number): Promise<Row[]> => {
  const rows: Row[] = []
  let after = ''
  for (let n = 0; n < count; n++) {
    const { data, next } = await page<Row>(`${path}${after}`)
    rows.push(...data)
    if (next === null) break
    after = `&after=${encodeURIComponent(next)}`
  }
  return rows
}
const refusal = async (path: string) => {
  const answer = await gateway.admin.raw('GET', path)
  const { error } = (await answer.json()) as { error: { code: string; param: string | null } }
  return [answer.status, error.code, error.param] as (string | number | null)[]
}

describe('ten thousand users', () => {
  test('a page is a page, whatever the order', async () => {
    for (const sort of ['name', 'created', 'balance', 'held', 'spent', 'lastSeen'].flatMap((field) => [field, `-${field}`])) {
      const rows = await pagesOf<AccountRow>(`/api/users?limit=200&sort=${sort}`, 3)
      expect([sort, rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([sort, 600, 600])
      if (!sort.includes('balance')) continue
      const balances = rows.map(({ balance }) => Number(balance))
      expect(balances).toEqual(balances.toSorted((a, b) => (sort.startsWith('-') ? b - a : a - b)))
    }
  }, 60_000)

  test('are found by name, id, role, group and state; a cursor is good for its own order only', async () => {
    expect((await page<AccountRow>('/api/users?q=USER-0012')).data.map(({ name }) => name)).toEqual(
      Array.from({ length: 10 }, (_, n) => `user-0012${n}`),
    )
    const [one] = (await page<AccountRow>('/api/users?q=user-09999')).data
    expect((await page<AccountRow>(`/api/users?q=${one?.id}`)).data).toEqual([one] as AccountRow[])
    expect(await gateway.admin.call('GET', `/api/users/${one?.id}`)).toEqual(one as never)
    expect((await page<AccountRow>('/api/users?role=admin')).data.map(({ role }) => role)).toEqual(['admin'])
    const tenth = await pagesOf<AccountRow>('/api/users?group=tenth&limit=200', 50)
    expect(tenth.length).toBe(many / 10)
    await gateway.admin.call('POST', '/api/users', { name: 'off' })
    const [off] = (await page<AccountRow>('/api/users?q=off')).data
    await gateway.admin.call('PATCH', `/api/users/${off?.id}`, { enabled: false })
    expect((await page<AccountRow>('/api/users?status=off')).data.map(({ name }) => name)).toEqual(['off'])
    const { next } = await page<AccountRow>('/api/users?sort=-balance')
    expect(await refusal(`/api/users?sort=balance&after=${next}`)).toEqual([400, 'invalid_value', 'after'])
    expect(await refusal('/api/users?sort=size')).toEqual([400, 'invalid_value', 'sort'])
    expect(await refusal('/api/users?status=gone')).toEqual([400, 'invalid_value', 'status'])
    expect(await refusal('/api/users/nobody')).toEqual([404, 'not_found', null])
  }, 60_000)

  test('have totals that equal the sum of all rows', async () => {
    const rows = await pagesOf<AccountRow>('/api/users?limit=200', 100)
    const totals = await gateway.admin.call<UserTotals>('GET', '/api/users/totals')
    const sum = rows.reduce((all, { balance }) => all + Number(balance), 0)
    expect([totals.users, totals.enabled, Number(totals.balance)]).toEqual([rows.length, rows.filter(({ enabled }) => enabled).length, sum])
    expect(totals.low).toBe(rows.filter(({ enabled, balance }) => enabled && Number(balance) < Number(totals.lowBelow)).length)
  }, 60_000)
})

test('ten thousand keys are found by the group in which they act, whoever says it', async () => {
  const inTenth = await pagesOf<KeyRow>('/api/keys?all=true&group=tenth&limit=200', 50)
  expect(inTenth.length).toBe(many / 10)
  expect(inTenth.every(({ group }) => group === null)).toBe(true)
  const byName = await page<KeyRow>('/api/keys?all=true&sort=-name&limit=2')
  expect(byName.data.map(({ name }) => name)).toEqual(['key-9999', 'key-9998'])
}, 60_000)

test('groups say how much is in them, and are ordered by it', async () => {
  const rows = (await page<ManagedGroupRow>('/api/groups?all=true&sort=-users')).data
  expect(rows.map(({ name }) => name)).toEqual(['default', 'tenth'])
  expect(rows[1]?.contents).toEqual({ users: many / 10, teams: 0, keys: many / 10, channels: 0, models: 0 })
  expect(rows[0]?.contents.channels).toBe(1)
  expect((await page<ManagedGroupRow>('/api/groups?all=true&q=TEN&status=on')).data.map(({ name }) => name)).toEqual(['tenth'])
  expect((await page<ManagedGroupRow>('/api/groups?all=true&status=off')).data).toEqual([])
})

test('usage of the rows of a page is read in one question', async () => {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-list-00000099', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
  const { data: users } = await page<AccountRow>('/api/users?q=user-0009&limit=200')
  const { data: keys } = await page<KeyRow>('/api/keys?all=true&q=key-9&limit=200')
  const spent = await page<UsageReportRow>(`/api/usage?by=user&users=${users.map(({ id }) => id).join(',')}`)
  expect(spent.data.map(({ user, requests }) => [user?.name, requests])).toEqual([['user-00099', 1]])
  const used = await page<UsageReportRow>(`/api/usage?by=key,day&keys=${keys.map(({ id }) => id).join(',')}`)
  expect(used.data.map(({ key, requests }) => [key?.name, requests])).toEqual([['key-99', 1]])
  const others = await page<UsageReportRow>(`/api/usage?by=key&keys=${keys.find(({ name }) => name === 'key-98')?.id}`)
  expect(others.data).toEqual([])
  const [most] = (await page<AccountRow>('/api/users?sort=-spent&limit=1')).data
  expect(most?.name).toBe('user-00099')
  expect(await refusal('/api/usage?users=')).toEqual([400, 'invalid_value', 'users'])
  const { session } = await gateway.user('curious', '1')
  expect((await session.raw('GET', `/api/usage?users=${users[0]?.id}`)).status).toBe(403)
  expect(await session.call<Page<UsageReportRow>>('GET', `/api/usage?by=key&keys=${keys.map(({ id }) => id).join(',')}`)).toEqual({
    data: [],
    next: null,
  })
}, 60_000)

test('channels are found by what they are, and those that rest come first where that is asked for', async () => {
  const make = (name: string, fields: Record<string, unknown>) => gateway.channel(name, 'http://127.0.0.1:9', fields)
  await make('west', { models: ['a', 'b'], tags: ['fast'], priority: 5 })
  const { id: east } = await make('east', { models: ['b'], groups: ['tenth'], priority: -5 })
  await make('north', { models: ['c'], enabled: false })
  await gateway.price('b')
  const names = async (query: string) => (await page<ChannelRow>(`/api/channels?${query}`)).data.map(({ name }) => name)
  expect(await names('group=tenth')).toEqual(['east'])
  expect(await names('model=b&sort=-priority')).toEqual(['west', 'east'])
  expect(await names('tag=fast')).toEqual(['west'])
  expect(await names('status=off')).toEqual(['north'])
  expect(await names('q=EAS')).toEqual(['east'])
  expect(await names('vendor=demo')).toEqual(['demo'])
  expect(await refusal('/api/channels?vendor=acme')).toEqual([400, 'invalid_value', 'vendor'])
  const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/keys', { name: 'tenth', user: 'user-00010' })
  for (let n = 0; n < 5; n++) {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'b', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBeGreaterThanOrEqual(500)
  }
  expect(await names('status=open')).toEqual(['east'])
  expect((await names('sort=status'))[0]).toBe('east')
  expect(await gateway.admin.call<ChannelTotals>('GET', '/api/channels/totals')).toEqual({
    ...{ channels: 4, healthy: 2, degraded: 0, open: 1, off: 1 },
    vendors: ['demo', 'openai-compatible'],
    tags: ['fast'],
  })
  await gateway.admin.call('POST', `/api/channels/${east}/reset`)
  expect(await names('status=open')).toEqual([])
}, 60_000)

describe('sessions of others', () => {
  const sessionsOf = (id: string) => page<SessionRow>(`/api/users/${id}/sessions`)

  test('are listed and ended by administrators, with their names in the audit trail', async () => {
    const { session, id } = await gateway.user('wanderer', '1')
    const second = await gateway.signIn('wanderer', 'password of wanderer')
    const { data } = await sessionsOf(id)
    expect(data.map(({ current }) => current)).toEqual([false, false])
    expect((await session.raw('GET', `/api/users/${id}/sessions`)).status).toBe(403)
    const own = await session.call<Page<SessionRow>>('GET', '/api/sessions')
    const mine = own.data.find(({ current }) => current)?.id ?? ''
    expect((await gateway.admin.raw('DELETE', `/api/users/${id}/sessions/${mine}`)).status).toBe(204)
    expect((await session.raw('GET', '/api/session')).status).toBe(401)
    expect((await second.raw('GET', '/api/session')).status).toBe(200)
    expect((await gateway.admin.raw('DELETE', `/api/users/${id}/sessions/${mine}`)).status).toBe(404)
    expect((await gateway.admin.raw('DELETE', `/api/users/${id}/sessions`)).status).toBe(204)
    expect((await second.raw('GET', '/api/session')).status).toBe(401)
    expect((await sessionsOf(id)).data).toEqual([])
    const trail = await page<{ actorName: string; targetName: string }>(`/api/audit?action=session.end&target=${id}`)
    expect(trail.data.map(({ actorName, targetName }) => [actorName, targetName])).toEqual([
      ['admin', 'wanderer'],
      ['admin', 'wanderer'],
    ])
  })

  test('who ends all of their own keeps the one that asks', async () => {
    const { user } = await gateway.admin.call<{ user: { id: string } }>('GET', '/api/session')
    await gateway.signIn(administrator.PARLEY_ADMIN_USER, administratorPassword)
    expect((await gateway.admin.raw('DELETE', `/api/users/${user.id}/sessions`)).status).toBe(204)
    expect((await sessionsOf(user.id)).data.map(({ current }) => current)).toEqual([true])
  })
})
