/** The routes of channels, prices and models, through real requests, over real rows. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Group, User } from '#accounts/caller'
import { createPrices } from '#billing/pricing/prices'
import { resolveRates } from '#billing/pricing/rates'
import type { Route } from '#http/request/route'
import { createChannels } from '#routing/channels'
import { createHealth } from '#routing/health'
import type { Health } from '#routing/health-contract'
import { systemRandom } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { channelKey, testCandidate, testChannel } from '#testing/candidate'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { channelRoutes } from './channels.ts'
import { modelRoutes } from './models.ts'
import { priceRoutes } from './prices.ts'

const secret = 'sk-upstream-0123456789-Ab3d'
const plain = { name: 'main', vendor: 'openai', keys: [secret], models: ['gpt-5', 'unpriced'] }
const log: Log = { debug() {}, info() {}, warn() {}, error() {} }

const group = (name: string): Group => ({
  name,
  description: '',
  ratio: 1_000_000n,
  keepBodies: null,
  budget: null,
  limits: null,
  fallbacks: null,
  enabled: true,
  managed: 'console',
})
const user = (name: string, role: User['role'], groups: string[]): User => ({
  ...{
    id: name,
    name,
    role,
    group: 'default',
    groups,
    enabled: true,
    managed: 'console',
    createdAt: new Date(0),
    budget: null,
    limits: null,
  },
})
const users: Record<string, User> = { root: user('root', 'admin', ['default', 'vip']), ann: user('ann', 'user', ['default']) }

/** Stands in for the address policy, which has its own tests. */
function refuseMetadata(url: string): void {
  if (new URL(url).hostname === '169.254.169.254') throw new GatewayError('invalid_value', 'No.', { param: 'baseUrl' })
}

const tokenOf = (name: string) => Buffer.from(name).toString('hex').padEnd(64, '0')

let database: Throwaway
let routes: Route[]
let health: Health

beforeAll(async () => {
  database = await throwawayDatabase(sampledEngine(import.meta.file))
})
afterAll(() => database.close())

beforeEach(async () => {
  const { store } = database
  await runSql(store, `truncate channels, channel_keys, prices`)
  const clock = handClock()
  const rules = {
    assertAddress: refuseMetadata,
    assertProxy: () => undefined,
    assertTls: () => undefined,
    assertPrice: resolveRates,
    groupExists: (name: string) => ['default', 'vip'].includes(name),
  }
  const channels = await createChannels({ store, clock, random: systemRandom, log, sealer: sealer('ab'.repeat(32)), demo: 'auto', rules })
  const prices = await createPrices({ store, log, demo: channels.demo })
  const accounts = {
    managementKeys: {
      admit: () => {
        throw new Error('no test sends a management key')
      },
    },
    userEnrolling: () => undefined,
    isFresh: () => true,
    userOfSession: (token: string | undefined) => Object.values(users).find(({ name }) => tokenOf(name) === token),
    groupsOf: (user: User) => user.groups.map(group),
    payerFor: (asker: User, team?: string) =>
      team === undefined
        ? { user: asker, models: null }
        : { user: { ...user(team, 'user', ['vip']), group: 'vip' }, models: new Set(['gpt-5']) },
  }
  health = createHealth(clock)
  const deps = {
    accounts,
    channels,
    prices,
    health,
    publicUrl: new URL('http://127.0.0.1:3000'),
    clock,
    answered: async () => undefined,
  }
  routes = [...channelRoutes(deps), ...priceRoutes(deps), ...modelRoutes(deps)]
})

interface Answer {
  status: number
  code?: string
  param?: string | undefined
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  body: any
}

/** One call as the app makes it: the path matched, its parameter decoded once, a refusal as its code. */
async function call(who: string, method: string, target: string, body?: unknown): Promise<Answer> {
  const url = new URL(target, 'http://127.0.0.1:3000')
  const headers: Record<string, string> = { host: '127.0.0.1:3000', cookie: `parley=${tokenOf(who)}` }
  const text = body === undefined ? undefined : JSON.stringify(body)
  if (text !== undefined) Object.assign(headers, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) })
  const request = new Request(url, { method, headers, ...(text !== undefined && { body: text }) })
  const [, , kind = '', last, action, part] = url.pathname.split('/')
  const row = last === undefined ? '' : kind === 'prices' ? '/:model' : '/:id'
  const path = `/api/${kind}${row}${action === undefined ? '' : `/${action}`}${part === undefined ? '' : '/:key'}`
  const known = routes.filter((one) => one.method === method)
  const route = known.find((one) => one.path === url.pathname) ?? known.find((one) => one.path === path)
  if (!route) throw new Error(`no route ${method} ${path}`)
  const name = row.split(':')[1]
  const params: Record<string, string> = name === undefined ? {} : { [name]: decodeURIComponent(last ?? '') }
  try {
    const response = await route.handle({ request, url, params, requestId: 'req', clientAddress: '127.0.0.1' })
    const text = await response.text()
    return { status: response.status, text, body: text === '' ? undefined : JSON.parse(text) }
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return { status: thrown.status, code: thrown.code, param: thrown.param, text: thrown.message, body: undefined }
  }
}

test('who may: everyone signed in reads prices and models, administrators do the rest', async () => {
  for (const route of routes) {
    const target = route.path.replace(/:\w+/g, 'x')
    const forAll = route.method === 'GET' && ['/api/prices', '/api/models'].includes(route.path)
    expect([route.path, (await call('nobody', route.method, target)).status]).toEqual([route.path, 401])
    expect([route.path, (await call('ann', route.method, target)).status]).toEqual([route.path, forAll ? 200 : 403])
  }
})

describe('channels', () => {
  test('created, listed, read, changed, deleted; the key is in no answer', async () => {
    const made = await call('root', 'POST', '/api/channels', plain)
    expect(made.status).toBe(201)
    const at = `/api/channels/${made.body.id}`
    const answers = [
      made,
      await call('root', 'GET', '/api/channels'),
      await call('root', 'GET', at),
      await call('root', 'PATCH', at, { weight: 3, keys: [secret, 'sk-other-secret-Wxyz'] }),
      await call('root', 'PATCH', at, { baseUrl: 'https://elsewhere.example' }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([201, 200, 200, 200, 400])
    expect(answers[4]).toMatchObject({ code: 'key_required', param: 'keys' })
    expect(answers[1]?.body).toEqual({ data: [made.body], next: null })
    expect(answers[3]?.body).toMatchObject({ weight: 3, keys: [{ hint: 'sk-...Ab3d' }, { hint: 'sk-...Wxyz' }] })
    for (const answer of answers) expect(answer.text).not.toMatch(/0123456789|other-secret|sealed/)
    expect(await call('root', 'DELETE', at)).toMatchObject({ status: 204, text: '' })
    expect(await call('root', 'GET', at)).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('an answered row can be sent back as it came', async () => {
    const { body } = await call('root', 'POST', '/api/channels', {
      ...plain,
      costs: { 'gpt-5': { input: '1', output: '2' } },
      params: { set: { a: [1] } },
    })
    const { id, createdAt: _, managed: __, vendor: ___, keys: ____, systemPrompt: _____, ...fields } = body
    expect((await call('root', 'PATCH', `/api/channels/${id}`, fields)).body).toEqual(body)
  })

  test('two pages', async () => {
    for (const name of ['a', 'b', 'c']) await call('root', 'POST', '/api/channels', { ...plain, name })
    const first = await call('root', 'GET', '/api/channels?limit=2')
    const second = await call('root', 'GET', `/api/channels?limit=2&after=${first.body.next}`)
    expect([...first.body.data, ...second.body.data].map((row: { name: string }) => row.name).sort()).toEqual(['a', 'b', 'c'])
    expect(second.body.next).toBeNull()
  })

  test.each<[string, object, string, string | undefined]>([
    ['an unknown field', { ...plain, kind: 1 }, 'unknown_field', 'kind'],
    ['a column', { ...plain, managed: 'file' }, 'unknown_field', 'managed'],
    ['an id', { ...plain, id: 'x' }, 'unknown_field', 'id'],
    ['an unknown field of a model', { ...plain, models: [{ name: 'm', upsteam: 'x' }] }, 'unknown_field', 'models.0.upsteam'],
    ['a vendor that is none', { ...plain, vendor: 'nobody' }, 'invalid_value', 'vendor'],
    ['a vendor on the prototype', { ...plain, vendor: 'constructor' }, 'invalid_value', 'vendor'],
    ['no models', { ...plain, models: [] }, 'invalid_value', 'models'],
    ['a number as text', { ...plain, weight: '5' }, 'invalid_value', 'weight'],
    ['a fraction', { ...plain, priority: 1.5 }, 'invalid_value', 'priority'],
    ['a huge number', { ...plain, weight: 1e308 }, 'invalid_value', 'weight'],
    ['a negative cost', { ...plain, costs: { m: { input: '-1', output: '1' } } }, 'invalid_value', 'costs.m.input'],
    ['a key with a line break', { ...plain, keys: ['sk-a\r\nx: y'] }, 'invalid_value', 'keys.0'],
    ['a header name with a line break', { ...plain, headers: { 'a\r\nb': 'c' } }, 'unknown_field', 'headers'],
    ['a header value with a line break', { ...plain, headers: { a: 'b\r\nc: d' } }, 'invalid_value', 'headers.a'],
    ['a metadata address', { ...plain, baseUrl: 'http://169.254.169.254/v1' }, 'invalid_value', 'baseUrl'],
    ['a file address', { ...plain, baseUrl: 'file:///etc/passwd' }, 'invalid_value', 'baseUrl'],
    ['a group that is none', { ...plain, groups: ['nobody'] }, 'invalid_value', 'groups.0'],
  ])('%s is refused', async (_name, body, code, param) => {
    const answer = await call('root', 'POST', '/api/channels', body)
    expect(answer).toMatchObject({ status: 400, code, param })
    expect(answer.text).not.toContain(secret)
    expect((await call('root', 'GET', '/api/channels')).body.data.map((row: { id: string }) => row.id)).toEqual(['demo'])
  })

  test('the health of one key and model is reset by name, and what was met stays', async () => {
    const { id, keys } = (await call('root', 'POST', '/api/channels', plain)).body
    const channel = testChannel('main', { id, keys: [{ ...channelKey(keys[0].id), name: keys[0].name }] })
    for (let count = 0; count < 5; count++) health.failed(testCandidate(channel), new GatewayError('upstream_error', 'broken'))
    const key = keys[0].name
    expect((await call('root', 'GET', `/api/channels/${id}/health`)).body.data).toMatchObject([{ key, model: 'm', state: 'open' }])
    const reset = (body?: object) => call('root', 'POST', `/api/channels/${id}/reset`, body)
    expect((await reset({ key, model: null })).body.data).toHaveLength(1)
    expect((await reset({ key, model: 'm' })).body.data).toEqual([])
    expect(await reset({ key })).toMatchObject({ status: 400, code: 'missing_field', param: 'model' })
    expect((await reset()).status).toBe(200)
    const { sliceSeconds, data } = (await call('root', 'GET', `/api/channels/${id}/outcomes`)).body
    expect([sliceSeconds, data.length, data[0].key, data[0].model]).toEqual([150, 1, key, 'm'])
    expect(data[0].slices.at(-1)).toEqual({ attempts: 5, failed: 5 })
    expect((await call('ann', 'GET', `/api/channels/${id}/outcomes`)).status).toBe(403)

    // The same for all channels, by id: a renamed channel keeps its row, and one without attempts has none.
    await call('root', 'POST', '/api/channels', { ...plain, name: 'idle' })
    await call('root', 'PATCH', `/api/channels/${id}`, { name: 'renamed' })
    health.failed(
      testCandidate(testChannel('main', { id, keys: [{ ...channelKey('gone'), name: 'gone' }] })),
      new GatewayError('upstream_error', 'x'),
    )
    const all = (await call('root', 'GET', '/api/channels/outcomes')).body
    expect([all.sliceSeconds, all.next, all.data.map((row: { channelId: string }) => row.channelId)]).toEqual([150, null, [id]])
    expect([all.data[0].slices.length, all.data[0].slices.at(-1)]).toEqual([24, { attempts: 5, failed: 5 }])
    expect((await call('ann', 'GET', '/api/channels/outcomes')).status).toBe(403)
  })

  test('the built-in demo channel is read-only and makes way', async () => {
    expect((await call('root', 'GET', '/api/channels/demo')).body).toMatchObject({ managed: 'file', vendor: 'demo' })
    expect(await call('root', 'PATCH', '/api/channels/demo', { weight: 2 })).toMatchObject({ status: 409, code: 'managed_by_file' })
    expect(await call('root', 'DELETE', '/api/channels/demo')).toMatchObject({ status: 409 })
    await call('root', 'POST', '/api/channels', plain)
    expect(await call('root', 'GET', '/api/channels/demo')).toMatchObject({ status: 404 })
  })
})

describe('prices', () => {
  test('set, replaced, listed, deleted; names with slashes', async () => {
    const at = '/api/prices/vendor%2Fmodel%3A1'
    expect(await call('root', 'PUT', at, { input: '0.1', output: '2' })).toMatchObject({
      status: 200,
      body: { model: 'vendor/model:1', managed: 'console', input: '0.1', output: '2' },
    })
    expect((await call('root', 'PUT', at, { request: '0.01' })).body).toEqual({
      model: 'vendor/model:1',
      managed: 'console',
      request: '0.01',
    })
    const listed = async (who: string): Promise<{ model: string }[]> => (await call(who, 'GET', '/api/prices')).body.data
    const prices = await listed('root')
    // No channel of her groups has it.
    expect((await listed('ann')).map(({ model }) => model)).not.toContain('vendor/model:1')
    expect(prices.filter(({ model }) => !model.startsWith('parley-demo-'))).toEqual([
      expect.objectContaining({ model: 'parley-demo', managed: 'file', input: '1', output: '2' }),
      expect.objectContaining({ model: 'vendor/model:1', managed: 'console', request: '0.01' }),
    ])
    expect(await call('root', 'DELETE', at)).toMatchObject({ status: 204 })
    expect(await call('root', 'DELETE', at)).toMatchObject({ status: 404 })
  })

  test.each<[object, string, string | undefined]>([
    [{}, 'missing_field', undefined],
    [{ output: '1' }, 'missing_field', 'input'],
    [{ input: 1, output: '1' }, 'invalid_value', 'input'],
    [{ input: '-1', output: '1' }, 'invalid_value', 'input'],
    [{ input: '1e3', output: '1' }, 'invalid_value', 'input'],
    [{ input: '1', output: '0.0000000001' }, 'invalid_value', 'output'],
    [{ input: '10000.000000001', output: '1' }, 'invalid_value', 'input'],
    [{ request: '10001' }, 'invalid_value', 'request'],
    [{ input: '1', output: '1', tiers: [{ above: 1, output: '9999999999999' }] }, 'invalid_value', 'tiers.0.output'],
    [{ input: '1', output: '1', model: 'x' }, 'unknown_field', 'model'],
    [{ input: '1', output: '1', managed: 'file' }, 'unknown_field', 'managed'],
    [{ input: '1', output: '1', tiers: [{ above: 0, input: '1' }] }, 'invalid_value', 'tiers.0.above'],
  ])('%j is refused', async (fields, code, param) => {
    expect(await call('root', 'PUT', '/api/prices/m', fields)).toMatchObject({ status: 400, code, param })
  })

  test('the refusal names the maximum, and the maximum itself is accepted', async () => {
    expect(await call('root', 'PUT', '/api/prices/dear', { input: '10000.5', output: '1' })).toMatchObject({
      text: 'input: Expected a decimal number of USD from 0 to 10000, with up to 9 places.',
    })
    const most = { input: '10000', output: '10000.000', request: '9999.999999999' }
    expect((await call('root', 'PUT', '/api/prices/dear', most)).status).toBe(200)
    const costs = { m: { input: '10001', output: '1' } }
    expect(await call('root', 'POST', '/api/channels', { ...plain, name: 'dear', costs })).toMatchObject({
      code: 'invalid_value',
      param: 'costs.m.input',
    })
    await call('root', 'DELETE', '/api/prices/dear')
  })
})

describe('models', () => {
  test('the priced models of the group, with what is known of them', async () => {
    const demo: Record<string, unknown>[] = (await call('ann', 'GET', '/api/models')).body.data
    expect(demo.filter(({ id }) => id === 'parley-demo')).toEqual([
      {
        id: 'parley-demo',
        operations: ['generate'],
        // A channel that speaks Chat serves every dialect by conversion.
        dialects: ['chat', 'completions', 'responses', 'messages', 'gemini'],
        price: { input: '1', output: '2' },
        priceChangedAt: null,
        contextTokens: 128_000,
        maxOutputTokens: 4096,
        capabilities: { vision: true, tools: true, reasoning: true },
      },
    ])
    await call('root', 'POST', '/api/channels', plain)
    await call('root', 'POST', '/api/channels', { ...plain, name: 'second', groups: ['vip'], models: ['only-vip'] })
    await call('root', 'PUT', '/api/prices/gpt-5', { input: '1.25', output: '10' })
    await call('root', 'PUT', '/api/prices/only-vip', { request: '1' })
    const ids = async (who: string, query = '') =>
      (await call(who, 'GET', `/api/models${query}`)).body.data.map((row: { id: string }) => row.id)
    expect(await ids('ann')).toEqual(['gpt-5'])
    const priced = async (who: string) =>
      (await call(who, 'GET', '/api/prices?limit=200')).body.data
        .map((row: { model: string }) => row.model)
        .filter((model: string) => !model.startsWith('parley-demo'))
    expect(await priced('ann')).toEqual(['gpt-5'])
    expect(await priced('root')).toEqual(['gpt-5', 'only-vip'])
    expect(await ids('root', '?group=vip')).toEqual(['only-vip'])
    // A team has groups and models of its own.
    expect(await call('ann', 'GET', '/api/models?team=apps&group=default')).toMatchObject({ status: 403, code: 'group_not_allowed' })
    expect(await ids('ann', '?team=apps')).toEqual([])
    await call('root', 'POST', '/api/channels', { ...plain, name: 'third', groups: ['vip'], models: ['gpt-5', 'gpt-6'] })
    await call('root', 'PUT', '/api/prices/gpt-6', { request: '1' })
    expect(await ids('ann', '?team=apps&group=vip')).toEqual(['gpt-5'])
  })

  test('what the models of channels can do, without a price too, for administrators', async () => {
    const made = await call('root', 'POST', '/api/channels', { ...plain, models: [{ name: 'seer', capabilities: { vision: true } }] })
    await call('root', 'POST', '/api/channels', { ...plain, name: 'first', priority: 9, models: ['seer', 'other'] })
    const rows = async (query = '') => (await call('root', 'GET', `/api/capabilities${query}`)).body.data as { model: string }[]
    const seer = async (query = '') => (await rows(query)).find(({ model }) => model === 'seer')
    expect((await rows()).map(({ model }) => model)).toEqual(expect.arrayContaining(['other', 'seer']))
    expect(await seer(`?channel=${made.body.id}`)).toMatchObject({ capabilities: { vision: true }, contextTokens: null })
    expect(await seer()).not.toMatchObject({ capabilities: { vision: true } })
    expect(await call('root', 'GET', '/api/capabilities?channel=none')).toMatchObject({ status: 404 })
    expect(await call('ann', 'GET', '/api/capabilities')).toMatchObject({ status: 403 })
  })

  test.each(['vip', 'nobody', '', 'toString'])('group %j is not hers', async (name) => {
    expect(await call('ann', 'GET', `/api/models?group=${name}`)).toMatchObject({ status: 403, code: 'group_not_allowed', param: 'group' })
  })
})
