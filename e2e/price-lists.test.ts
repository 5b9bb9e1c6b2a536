/**
 * The lists of models and prices, with ten thousand models: found, ordered and paged by the server; what a price would have meant, and who
 * changed it.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CatalogueRow, CatalogueTotals } from '#shared/console/inspection/catalogue'
import type { CostAnswer } from '#shared/console/inspection/cost'
import type { Bill } from '#shared/console/log'
import type { ModelRow, Page } from '#shared/console/model'
import type { PriceChange, PriceEffects, PriceRow } from '#shared/console/price'
import type { UsageReportRow } from '#shared/console/usage'
import { formatUsd, parseUsd } from '#shared/money'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

const many = 10_000
const nameOf = (n: number) => `model-${String(n).padStart(5, '0')}`
let gateway: Gateway
let upstream: ScriptedUpstream
const folder = mkdtempSync(join(tmpdir(), 'parley-prices-'))

beforeAll(async () => {
  upstream = await scriptedUpstream()
  upstream.answer((exchange) => {
    const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 }
    const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }]
    return respondJson(200, { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage })(exchange)
  })
  const all = Array.from({ length: many }, (_, n) => nameOf(n))
  // Every hundredth has no price; inputs fall while names rise.
  const prices = all.flatMap((name, n) => (n % 100 === 0 ? [] : [`  ${name}: { input: "${(many - n) / 1000}", output: 2 }`]))
  const models = (from: number, to: number) => JSON.stringify(all.slice(from, to))
  const channel = (name: string, group: string, listed: string) =>
    `  - { name: ${name}, vendor: openai-compatible, baseUrl: "${upstream.url}/v1", keys: [sk-vendor], groups: [${group}], models: ${listed} }`
  const config = join(folder, 'parley.yaml')
  writeFileSync(
    config,
    [
      ...[
        'groups:',
        '  half: { ratio: 0.5 }',
        'channels:',
        channel('first', 'default, half', models(0, many)),
        channel('second', 'half', models(0, 10)),
      ],
      ...['prices:', ...prices, '  no-channel: { input: 1, output: 1 }'],
    ].join('\n'),
  )
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_CONFIG: config, PARLEY_DEMO: 'off' } })
  await gateway.price('model-00100', { input: '1', output: '3' })
}, 120_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
  rmSync(folder, { recursive: true, force: true })
})

const page = <Row>(path: string) => gateway.admin.call<Page<Row>>('GET', path)
async function pagesOf<Row>(path: string, count: number): Promise<Row[]> {
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
const isSorted = (figures: readonly (number | undefined)[], down: boolean) => {
  const known = figures.flatMap((one) => one ?? [])
  expect(known).toEqual(known.toSorted((a, b) => (down ? b - a : a - b)))
  // What has no figure comes last.
  expect(figures.slice(known.length).every((one) => one === undefined)).toBe(true)
}

/** Asks a model in a group that many times, with a new key. */
async function ask(model: string, group: string, times: number): Promise<void> {
  const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/keys', { name: `${model} ${group}`, group })
  for (let n = 0; n < times; n++) {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect([answer.status, await answer.text()]).toMatchObject([200, expect.any(String)])
  }
}

test('the catalogue comes in pages, whatever the order; what needs a price first, what has no figure last', async () => {
  for (const sort of ['model', 'input', 'output', 'cacheRead', 'channels', 'requests', 'charged', 'margin'].flatMap((name) => [
    name,
    `-${name}`,
  ])) {
    const rows = await pagesOf<CatalogueRow>(`/api/catalogue?limit=200&sort=${sort}`, 2)
    expect([sort, rows.length, new Set(rows.map(({ model }) => model)).size]).toEqual([sort, 400, 400])
    expect(rows.slice(0, 99).every(({ state }) => state === 'unpriced')).toBe(true)
    const priced = rows.slice(99)
    expect(priced.every(({ state }) => state === 'priced' || state === 'unoffered')).toBe(true)
    if (sort.endsWith('input'))
      isSorted(
        priced.map(({ price }) => Number(price?.input)),
        sort.startsWith('-'),
      )
    if (sort.endsWith('channels'))
      isSorted(
        priced.map(({ channels }) => channels.length),
        sort.startsWith('-'),
      )
    if (sort.endsWith('model')) expect(priced[0]?.model).toBe(sort === 'model' ? 'model-00001' : 'no-channel')
  }
}, 120_000)

test('every model of the catalogue stands in it once, read to its end, and the totals say how many', async () => {
  const rows = await pagesOf<CatalogueRow>('/api/catalogue?limit=200&sort=-input', 60)
  expect(rows.length).toBe(many + 1)
  expect(new Set(rows.map(({ model }) => model)).size).toBe(many + 1)
  const totals = await gateway.admin.call<CatalogueTotals>('GET', '/api/catalogue/totals')
  expect(totals).toMatchObject({ models: many + 1, unpriced: many / 100 - 1 })
}, 60_000)

test('the catalogue is found by name, channel, vendor and what it lacks; a cursor is good for its own order only', async () => {
  const names = async (query: string) => (await page<CatalogueRow>(`/api/catalogue?${query}`)).data.map(({ model }) => model)
  expect(await names('q=MODEL-0012')).toEqual(Array.from({ length: 10 }, (_, n) => `model-0012${n}`))
  expect(await names('q=second&limit=200')).toEqual(['model-00000', ...Array.from({ length: 9 }, (_, n) => `model-0000${n + 1}`)])
  expect(await names('model=model-00012')).toEqual(['model-00012'])
  expect(await names('status=unoffered')).toEqual(['no-channel'])
  expect(await names('status=unpriced&limit=2')).toEqual(['model-00000', 'model-00200'])
  expect(await names('status=losing')).toEqual([])
  expect(await names('vendor=anthropic')).toEqual([])
  expect((await names('vendor=openai-compatible&limit=3')).length).toBe(3)
  const [row] = (await page<CatalogueRow>('/api/catalogue?model=model-00001')).data
  expect(row).toMatchObject({ state: 'priced', price: { managed: 'file', output: '2' }, week: null })
  expect(row?.channels.map(({ name, vendor }) => [name, vendor])).toEqual([
    ['first', 'openai-compatible'],
    ['second', 'openai-compatible'],
  ])
  const { next } = await page<CatalogueRow>('/api/catalogue?sort=-input')
  expect(await refusal(`/api/catalogue?sort=input&after=${next}`)).toEqual([400, 'invalid_value', 'after'])
  expect(await refusal('/api/catalogue?sort=size')).toEqual([400, 'invalid_value', 'sort'])
  expect(await refusal('/api/catalogue?status=gone')).toEqual([400, 'invalid_value', 'status'])
  expect(await refusal('/api/catalogue?vendor=acme')).toEqual([400, 'invalid_value', 'vendor'])
  const { session } = await gateway.user('curious', '1')
  expect((await session.raw('GET', '/api/catalogue')).status).toBe(403)
})

test('models of a group and prices are lists of the same kind; asked without more they are what they were', async () => {
  const all = await pagesOf<ModelRow>('/api/models?group=default&limit=200', 100)
  expect(all.length).toBe(many - many / 100 + 1)
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted())
  const sorted = await pagesOf<ModelRow>('/api/models?group=default&limit=200&sort=-input', 3)
  isSorted(
    sorted.map(({ price }) => Number(price.input)),
    true,
  )
  const found = (await page<ModelRow>('/api/models?group=default&q=model-0012&operation=generate&sort=input')).data
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, n) => `model-0012${9 - n}`))
  expect((await page<ModelRow>('/api/models?operation=video')).data).toEqual([])
  expect((await page<ModelRow>('/api/models?can=vision,tools')).data.every((one) => one.capabilities.vision === true)).toBe(true)
  expect(await refusal('/api/models?can=flying')).toEqual([400, 'invalid_value', 'can'])
  expect(await refusal('/api/models?sort=name')).toEqual([400, 'invalid_value', 'sort'])
  const prices = await pagesOf<PriceRow>('/api/prices?limit=200', 100)
  expect(prices.length).toBe(many - many / 100 + 2)
  const cheap = (await page<PriceRow>('/api/prices?sort=input&limit=2&q=model-')).data
  expect(cheap.map(({ model }) => model)).toEqual(['model-09999', 'model-09998'])
}, 60_000)

test('the week of a model is its usage, and an effect is what these requests would cost, group by group', async () => {
  const { user } = await gateway.admin.call<{ user: { id: string } }>('GET', '/api/session')
  await gateway.admin.call('PATCH', `/api/users/${user.id}`, { groups: ['default', 'half'] })
  await ask('model-00100', 'default', 2)
  await ask('model-00100', 'half', 1)
  const [report] = (await page<UsageReportRow>('/api/usage?by=model&model=model-00100')).data
  const [row] = (await page<CatalogueRow>('/api/catalogue?sort=-charged&status=priced')).data
  expect([row?.model, row?.week?.charged, row?.week?.requests]).toEqual(['model-00100', report?.charged, 3])
  const answer = await gateway.admin.call<PriceEffects>('POST', '/api/prices/effect', {
    prices: { 'model-00100': { input: '2', output: '3', request: '0.5' }, 'model-00011': { input: '0', output: '0' } },
  })
  // 1,000 tokens in and 500 out: (0.002 + 0.0015 + 0.5) for each, half of it in the other group.
  const each = parseUsd('0.5035')
  expect(answer.data).toEqual([
    {
      ...{ model: 'model-00100', requests: 3, basis: 'requests', sessions: 0 },
      ...{ before: report?.charged ?? '', after: formatUsd(2n * each + each / 2n), cost: report?.cost ?? '' },
    },
    { ...{ model: 'model-00011', requests: 0, basis: 'requests', sessions: 0 }, before: '0', after: '0', cost: '0' },
  ])
  const wrong = await gateway.admin.raw('POST', '/api/prices/effect', { prices: { 'model-00100': { output: '1' } } })
  expect([wrong.status, ((await wrong.json()) as { error: { param: string } }).error.param]).toEqual([400, 'prices.model-00100.input'])
  // Nothing was set.
  expect((await page<PriceRow>('/api/prices?q=model-00100')).data).toEqual([
    { model: 'model-00100', managed: 'console', input: '1', output: '3' },
  ])
})

test('what a request would cost is what it costs, for whoever may use the model', async () => {
  const ask = (body: object) => gateway.admin.raw('POST', '/api/prices/cost', body)
  const question = { model: 'model-00100', group: 'half', amounts: { input: 1000, output: 500 } }
  const { bill } = await gateway.admin.call<CostAnswer>('POST', '/api/prices/cost', question)
  const { data } = await page<{ requestId: string }>('/api/logs?model=model-00100&group=half')
  const row = await gateway.admin.call<{ bill: Bill }>('GET', `/api/logs/${data[0]?.requestId}`)
  expect(bill).toEqual(row.bill)
  expect(bill.lines.map(({ unit, amount }) => [unit, amount])).toEqual([
    ['input', 1000],
    ['output', 500],
  ])
  const refused = async (body: object) => {
    const answer = await ask(body)
    const { error } = (await answer.json()) as { error: { code: string; param: string | null } }
    return [answer.status, error.code, error.param]
  }
  expect(await refused({ ...question, model: 'model-00000' })).toEqual([404, 'model_not_found', 'model'])
  expect(await refused({ ...question, group: 'nowhere' })).toEqual([403, 'group_not_allowed', 'group'])
  expect(await refused({ ...question, amounts: { input: -1 } })).toEqual([400, 'invalid_value', 'amounts.input'])
  expect(await refused({ ...question, amounts: { inputs: 1 } })).toEqual([400, 'unknown_field', 'amounts.inputs'])
  // Callers who may not use the group do not see its prices.
  const { session } = await gateway.user('outsider', '1')
  expect((await session.raw('POST', '/api/prices/cost', question)).status).toBe(403)
  expect((await session.raw('POST', '/api/prices/cost', { ...question, group: 'default' })).status).toBe(200)
})

test('a price says when it was last changed, and lists are ordered by it', async () => {
  const before = Date.now()
  await gateway.price('model-00100', { input: '1', output: '3.5' })
  const [row] = (await page<CatalogueRow>('/api/catalogue?sort=-priceChangedAt&status=priced&limit=1')).data
  expect(row?.model).toBe('model-00100')
  // The clock is the database's.
  expect(Math.abs(Date.parse(row?.priceChangedAt ?? '') - before)).toBeLessThan(60_000)
  const [model] = (await page<ModelRow>('/api/models?group=default&q=model-00100')).data
  expect(model?.priceChangedAt).toBe(row?.priceChangedAt ?? null)
  // The same price again is no change.
  await gateway.price('model-00100', { input: '1', output: '3.5' })
  expect((await page<CatalogueRow>('/api/catalogue?model=model-00100')).data[0]?.priceChangedAt).toBe(row?.priceChangedAt ?? null)
  await gateway.price('model-00100', { input: '1', output: '3' })
})

test('the history of a price says who changed what, the file too', async () => {
  await gateway.price('model-00100', { input: '1', output: '4' })
  const history = (await page<PriceChange>('/api/prices/model-00100/history')).data
  expect(history.map(({ actorName, before, after }) => [actorName, before, after] as unknown[])).toEqual([
    ['admin', { output: '3' }, { output: '4' }],
    ['admin', { output: '3.5' }, { output: '3' }],
    ['admin', { output: '3' }, { output: '3.5' }],
    ['admin', null, { input: '1', output: '3' }],
  ])
  const declared = (await page<PriceChange>('/api/prices/model-00001/history')).data
  expect(declared.map(({ actor }) => actor)).toEqual(['file'])
  expect((await page<PriceChange>('/api/prices/nothing/history')).data).toEqual([])
})
