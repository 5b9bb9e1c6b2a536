/** Usage by real requests on a real database: visibility, refusals, and the file for spreadsheets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Accounts, createAccounts } from '#accounts/accounts'
import { createBudgetsLeft } from '#billing/ledger/budgets-left'
import { keyRoutes } from '#http/console/accounts/keys'
import { sessionRoutes } from '#http/console/accounts/session'
import { userRoutes } from '#http/console/accounts/users'
import { setupRoutes } from '#http/console/installation/setup'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { systemRandom } from '#runtime/clock'
import type { LogRow } from '#shared/console/log'
import type { UsageReportRow } from '#shared/console/usage'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { type HandClock, handClock } from '#testing/hand-clock'
import { noBodies } from '#testing/no-bodies'
import { putUsageRow } from '#testing/usage-row'
import { type Visitor, visitor } from '#testing/visits'
import { logRoutes } from './logs.ts'
import { usageRoutes } from './usage.ts'
import { csvLines } from './usage-csv.ts'

const password = 'correct horse'
const origin = 'http://127.0.0.1:3000'
const span = 'from=2026-03-01T00:00:00Z&to=2026-03-03T00:00:00Z'

let base: Throwaway
let clock: HandClock
let accounts: Accounts
let routes: Route[]
let call: Visitor
let admin: string
let ann: string
let annId: string
let keyId: string

const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';')[0] ?? ''

beforeAll(async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  clock = handClock(Date.parse('2026-03-31T09:00:00Z'))
  accounts = await createAccounts({ store: base.store, clock, random: systemRandom })
  const services: ConsoleServices = {
    accounts,
    budgetsLeft: createBudgetsLeft({ store: base.store, clock }),
    bodies: noBodies,
    clock,
    publicUrl: new URL(origin),
    answered: async () => undefined,
    version: '1.2.3',
    demo: () => true,
    banner: () => null,
    config: () => ({ state: 'ok', message: null, at: '2026-01-01T00:00:00.000Z' }),
  }
  routes = [setupRoutes, sessionRoutes, userRoutes, keyRoutes, logRoutes, usageRoutes].flatMap((make) => make(services))
  call = visitor(routes, origin)
  admin = cookieOf((await call('POST', '/api/setup', { body: { token: accounts.setupToken, name: 'root', password } })).headers)
  await call('POST', '/api/users', { cookie: admin, body: { name: 'ann', password } })
  ann = cookieOf((await call('POST', '/api/session', { body: { name: 'ann', password } })).headers)
  annId = (await call('GET', '/api/session', { cookie: ann })).body.user.id
  keyId = (await call('POST', '/api/keys', { cookie: ann, body: { name: '=cmd|calc' } })).body.id
  const row = { userId: annId, channel: 'secret-channel', cost: 1_500n, upstreamCost: 2_000n, upstreamModel: 'secret-model' }
  const at = (time: string) => ({ at: new Date(`2026-03-${time}Z`) })
  await putUsageRow(base.store, { requestId: 'r1', ...at('01T10:00:00'), ...row, keyId, key: '=cmd|calc', model: 'a,"b' })
  await putUsageRow(base.store, { requestId: 'r2', ...at('01T23:30:00'), ...row, upstreamCost: 500n })
  await putUsageRow(base.store, { requestId: 'r3', ...at('02T11:00:00'), ...row, userId: 'gone', end: 'error', upstreamCost: null })
}, 60_000)
afterAll(() => base.close())

const usage = async (query: string, cookie = admin): Promise<UsageReportRow[]> => {
  const answer = await call('GET', `/api/usage?${span}&${query}`, { cookie })
  expect([answer.status, answer.message]).toEqual([200, undefined])
  return answer.body.data
}

describe('who sees what', () => {
  test('administrators all, with the second book; the margin of those that have one', async () => {
    expect(await usage('by=user')).toMatchObject(
      [
        { user: { id: annId, name: 'ann' }, requests: 2, errors: 0, cost: '0.000003', upstreamCost: '0.0000025', margin: '0.0000005' },
        { user: { id: 'gone', name: null }, requests: 1, errors: 1, upstreamCost: null, margin: null },
      ].sort((a, b) => (a.user.id < b.user.id ? -1 : 1)),
    )
    expect(await usage('by=channel')).toMatchObject([{ channel: 'secret-channel', requests: 3 }])
  })
  test('everyone else their own, without it', async () => {
    const [own, ...more] = await usage('', ann)
    expect([own, more]).toMatchObject([{ requests: 2, cost: '0.000003', tokens: { in: { fresh: 0 } }, latency: { firstToken: null } }, []])
    expect(Object.keys(own ?? {})).not.toContain('margin')
    expect(JSON.stringify(await usage('by=key,hour&user=ann', ann))).not.toContain('secret-')
    for (const [query, param] of [
      ['by=channel', 'by'],
      ['channel=secret-channel', 'channel'],
      ['user=root', 'user'],
      ['user=gone', 'user'],
      ['upstreamModel=secret-model', 'upstreamModel'],
    ]) {
      const only = param === 'by' ? ['/api/usage'] : param === 'upstreamModel' ? ['/api/logs'] : ['/api/usage', '/api/logs']
      for (const path of only) {
        expect(await call('GET', `${path}?${query}`, { cookie: ann })).toMatchObject({ status: 403, code: 'not_permitted', param })
      }
    }
    expect(await call('GET', '/api/usage')).toMatchObject({ status: 401, code: 'not_signed_in' })
  })
  test('one usage row has its second book for administrators only', async () => {
    const own = await call('GET', '/api/logs/r1', { cookie: ann })
    expect(own.body).toMatchObject({ cost: '0.0000015', bill: null })
    expect(Object.keys(own.body)).not.toContain('upstreamCost')
    const all = await call('GET', '/api/logs/r1', { cookie: admin })
    expect(all.body).toMatchObject({ upstreamCost: '0.000002', margin: '-0.0000005', upstreamPrice: null, channel: 'secret-channel' })
  })
})

test('a row says how many refused requests it stands for', async () => {
  const error = { code: 'rate_limit_exceeded', message: 'No.' }
  const at = new Date('2025-05-01T10:00:00Z')
  const refused = { at, userId: annId, status: 429, end: 'error' as const }
  await putUsageRow(base.store, { ...refused, requestId: 'one', error })
  await putUsageRow(base.store, { ...refused, requestId: 'many', error: { ...error, count: 369 } })
  const rows = await call('GET', '/api/logs?from=2025-05-01T00:00:00Z&to=2025-05-02T00:00:00Z', { cookie: ann })
  expect(rows.body.data.map((row: LogRow) => [row.requestId, row.repeats])).toEqual([
    ['one', undefined],
    ['many', 369],
  ])
  expect((await call('GET', '/api/logs/many', { cookie: ann })).body).toMatchObject({ repeats: 369, error: { count: 369 } })
})

describe('what is asked', () => {
  test('filters take names and ids; unknown ones find nothing', async () => {
    for (const filter of ['user=ann', `user=${annId}`]) expect(await usage(filter)).toMatchObject([{ requests: 2 }])
    for (const filter of ['key=%3Dcmd%7Ccalc', `key=${keyId}`, 'model=a%2C%22b'])
      expect(await usage(filter)).toMatchObject([{ requests: 1 }])
    for (const filter of ['user=nobody', 'key=none', 'group=none', 'model=none', 'channel=none']) expect(await usage(filter)).toEqual([])
    const rows = await call('GET', `/api/logs?user=ann&key=${keyId}&${span}`, { cookie: admin })
    expect(rows.body).toMatchObject({ data: [{ requestId: 'r1' }], next: null })
    const answered = (name: string) => call('GET', `/api/logs?user=ann&upstreamModel=${name}&${span}`, { cookie: admin })
    expect((await answered('secret-model')).body.data).toMatchObject([{ requestId: 'r2' }, { requestId: 'r1' }])
    expect((await answered('none')).body.data).toEqual([])
    expect(await answered('%00')).toMatchObject({ status: 400, code: 'invalid_value', param: 'upstreamModel' })
  })
  test('days are those of the zone', async () => {
    expect((await usage('by=day')).map(({ day, requests }) => [day, requests])).toEqual([
      ['2026-03-01', 2],
      ['2026-03-02', 1],
    ])
    const berlin = await usage('by=day&timezone=Europe/Berlin')
    expect(berlin.map(({ day, requests }) => [day, requests])).toEqual([
      ['2026-03-01', 1],
      ['2026-03-02', 2],
    ])
    expect((await usage('by=hour,key')).map(({ hour, key }) => [hour, key?.name])).toEqual([
      ['2026-03-01T10:00:00Z', '=cmd|calc'],
      ['2026-03-01T23:00:00Z', undefined],
      ['2026-03-02T11:00:00Z', undefined],
    ])
  })
  test('of the last thirty days unless said', async () => {
    expect((await call('GET', '/api/usage', { cookie: admin })).body.data).toMatchObject([{ requests: 3 }])
    await clock.advance(3 * 86_400_000)
    expect((await call('GET', '/api/usage', { cookie: admin })).body.data).toEqual([])
  })
  test('pages bring every row once', async () => {
    const seen: string[] = []
    let next = ''
    do {
      const page = await call('GET', `/api/usage?${span}&by=model,hour&limit=1${next && `&after=${next}`}`, { cookie: admin })
      seen.push(...page.body.data.map((row: UsageReportRow) => `${row.model} ${row.hour}`))
      next = page.body.next
    } while (next)
    expect(seen).toEqual(['a,"b 2026-03-01T10:00:00Z', 'm 2026-03-01T23:00:00Z', 'm 2026-03-02T11:00:00Z'])
  })
  test.each([
    ['from=yesterday', 'from'],
    ['from=2026-03-01', 'from'],
    ['from=2026-03-01T00:00:00', 'from'],
    ['from=2026-13-01T00:00:00Z', 'from'],
    ['from=2026-02-30T00:00:00Z', 'from'],
    ['to=2026-03-01T24:00:00Z', 'to'],
    ['from=2026-03-01T00:00:00+02:00', 'from'],
    ['from=2026-03-01T00:00:00Z&from=2026-03-02T00:00:00Z', 'from'],
    ['from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z', 'to'],
    ['from=2024-03-02T00:00:00Z&to=2026-03-02T00:00:00Z', 'from'],
    ['by=colour', 'by'],
    ['by=model,key,user', 'by'],
    ['by=model,model', 'by'],
    ['timezone=Mars%2FBase', 'timezone'],
    ['timezone=%2B02%3A00', 'timezone'],
    ['model=', 'model'],
    ['model=%00', 'model'],
    [`model=${'m'.repeat(257)}`, 'model'],
    ['group=a&group=b', 'group'],
    ['format=xml', 'format'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['after=nonsense', 'after'],
    ['by=model&after=WyJhIiwiYiJd', 'after'],
    ['after=bm9uc2Vuc2U', 'after'],
  ])('%s is refused by name', async (query, param) => {
    expect(await call('GET', `/api/usage?${query}`, { cookie: admin })).toMatchObject({ status: 400, code: 'invalid_value', param })
  })
  test('a parameter that is not known is refused', async () => {
    expect(await call('GET', '/api/usage?form=csv', { cookie: admin })).toMatchObject({ status: 400, code: 'unknown_field', param: 'form' })
    expect(await call('GET', '/api/usage?%3Cscript%3E=1', { cookie: admin })).toMatchObject({ code: 'unknown_field', param: undefined })
  })
  test('a page of one question does not go on with another', async () => {
    const { next } = (await call('GET', `/api/usage?${span}&by=model,hour&limit=1`, { cookie: admin })).body
    expect(await call('GET', `/api/usage?${span}&by=model,day&limit=1&after=${next}`, { cookie: admin })).toMatchObject({
      status: 400,
      param: 'after',
    })
  })
})

describe('whoever was removed', () => {
  // Days have passed above, and removing a user asks for a fresh proof.
  beforeAll(async () => {
    admin = cookieOf((await call('POST', '/api/session', { body: { name: 'root', password } })).headers)
  })
  const removed = async (name: string, requestId: string) => {
    const { id } = (await call('POST', '/api/users', { cookie: admin, body: { name: `${name} before`, password } })).body
    await call('PATCH', `/api/users/${id}`, { cookie: admin, body: { name } })
    await putUsageRow(base.store, { requestId, at: new Date('2025-06-01T10:00:00Z'), userId: id, cost: 7n })
    expect((await call('DELETE', `/api/users/${id}`, { cookie: admin })).status).toBe(204)
    return id as string
  }
  const june = 'from=2025-06-01T00:00:00Z&to=2025-06-02T00:00:00Z'
  const asked = (query: string, path = 'usage') => call('GET', `/api/${path}?${june}&${query}`, { cookie: admin })

  test('keeps the last name, in usage and in filters', async () => {
    const id = await removed('zoe', 'z1')
    expect((await asked('by=user')).body.data).toMatchObject([{ user: { id, name: 'zoe' }, requests: 1 }])
    for (const filter of ['user=zoe', `user=${id}`]) {
      expect((await asked(filter)).body.data).toMatchObject([{ requests: 1, cost: '0.000000007' }])
      expect((await asked(filter, 'logs')).body.data).toMatchObject([{ requestId: 'z1' }])
    }
    expect((await asked('user=zoe+before')).body.data).toEqual([])
    expect(await call('GET', `/api/usage?${june}&user=zoe`, { cookie: ann })).toMatchObject({ status: 403, param: 'user' })
  })
  test('a name that several users had finds none of them; its present user comes first', async () => {
    const ids = [await removed('yan', 'y1'), await removed('yan', 'y2')]
    expect(await asked('user=yan')).toMatchObject({ status: 400, code: 'invalid_value', param: 'user' })
    expect((await asked(`user=${ids[1]}`, 'logs')).body.data).toMatchObject([{ requestId: 'y2' }])
    await call('POST', '/api/users', { cookie: admin, body: { name: 'yan', password } })
    expect((await asked('user=yan')).body.data).toEqual([])
  })
})

describe('as CSV', () => {
  const file = async (query: string, cookie: string, headers: Record<string, string> = {}) => {
    const url = new URL(`/api/usage?${span}&${query}`, origin)
    const visit = { request: new Request(url, { headers: { cookie, ...headers } }), url, params: {}, requestId: 'r', clientAddress: '' }
    const response = await routes.find(({ path }) => path === '/api/usage')?.handle(visit)
    expect(response?.headers.get('content-type')).toStartWith('text/csv')
    expect(response?.headers.get('content-disposition')).toBe('attachment; filename="usage.csv"')
    return (await response?.text()) ?? ''
  }
  test('quotes, defused formulas, figures as they are', async () => {
    const text = await file('by=key,model&format=csv', admin)
    const lines = text.split('\r\n')
    expect(lines).toHaveLength(4)
    expect(lines[0]).toStartWith('keyId,key,model,requests,errors,freshTokens,')
    expect(lines[0]).toEndWith(
      ',cost,charged,upstreamCost,margin,totalMsP50,totalMsP95,totalMsP99,firstTokenMsP50,firstTokenMsP95,firstTokenMsP99',
    )
    expect(lines[1]).toStartWith(',,m,2,1,0,')
    expect(lines[2]).toStartWith(`${keyId},'=cmd|calc,"a,""b",1,0,0,`)
    expect(lines[2]).toContain(',0.0000015,0,0.000002,-0.0000005,1,1,1,,,')
    expect(lines[3]).toBe('')
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })
  test('also by the header Accept; the second book is for administrators', async () => {
    const own = await file('by=day', ann, { accept: 'text/csv' })
    expect(own).toStartWith('day,requests,')
    expect(own).not.toContain('margin')
    expect(await file('by=day&model=none', ann, { accept: 'text/csv' })).toBe(`${own.split('\r\n')[0]}\r\n`)
  })
  test.each(['=1', '+1', '-1', '@a', '\tx', ' =1', '|x', '%x', '＝1'])('%j begins with an apostrophe', async (model) => {
    const [row] = await usage('')
    if (!row) throw new Error('no row')
    const [, line = ''] = [...csvLines([{ ...row, model }], ['model'], false)]
    expect(line.replace(/^"/, '')).toStartWith(`'${model}`)
  })
  test.each([
    ['a;=1', `"a;'=1"`],
    ['a;b', '"a;b"'],
    ['a\t@1;-2', `"a\t'@1;'-2"`],
    ['a; =1,+b', `"a;' =1,'+b"`],
    ['a-b=c', 'a-b=c'],
  ])('%j stays one cell, whatever divides cells', async (model, cell) => {
    const [row] = await usage('')
    if (!row) throw new Error('no row')
    const [, line = ''] = [...csvLines([{ ...row, model }], ['model'], false)]
    expect(line).toStartWith(`${cell},`)
  })
})
