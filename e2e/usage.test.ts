/** Usage reports against the ledger: the cost formula of a request, channel costs and margins, and sums that equal what was charged. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { LogRow } from '#shared/console/log'
import type { UsageReportRow } from '#shared/console/usage'
import { formatUsd, parseUsd } from '#shared/money'
import { sampledEngines } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const answer = (prompt: number, cached: number, completion: number) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: testModel,
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
  },
})

const sum = (rows: readonly UsageReportRow[], field: 'cost' | 'charged') => rows.reduce((total, row) => total + parseUsd(row[field]), 0n)

describe.each(sampledEngines(import.meta.file))('usage on %s', (engine) => {
  let upstream: ScriptedUpstream
  let gateway: Gateway

  beforeAll(async () => {
    upstream = await scriptedUpstream()
    gateway = await startGateway(engine)
    await gateway.admin.call('POST', '/api/groups', { name: 'dear', ratio: '1.234567' })
    const costs = { [testModel]: { input: '0.333333333', output: '0.5', tiers: [{ above: 1000, input: '0.7' }] } }
    await gateway.channel('vendor', upstream.url, { groups: ['default', 'dear'], costs })
    await gateway.channel('unknown-cost', upstream.url, { groups: ['default'], priority: -1 })
    const price = { input: '1', output: '2', cacheRead: '0.1', tiers: [{ above: 1000, input: '1.5' }] }
    await gateway.admin.call('PUT', `/api/prices/${testModel}`, price)
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })

  const ask = (key: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 }),
    })

  test('a row shows its cost as a formula, and the administrator what it earned', async () => {
    const { session, key } = await gateway.user(`formula-${engine}`, '1')
    upstream.answer(respondJson(200, answer(1500, 300, 7)))
    const id = (await ask(key)).headers.get('x-request-id') ?? ''
    const own = await session.call<LogRow>('GET', `/api/logs/${id}`)
    expect(own.bill).toEqual({
      lines: [
        { unit: 'input', amount: 1200, price: '1.5', per: 1_000_000, tier: 1000 },
        { unit: 'cacheRead', amount: 300, price: '0.1', per: 1_000_000, tier: 1000 },
        { unit: 'output', amount: 7, price: '2', per: 1_000_000, tier: 1000 },
      ],
      sum: '0.001844',
      ratio: '1',
      rounding: '0',
      cost: '0.001844',
    })
    expect(own).not.toContainKeys(['upstreamCost', 'margin', 'upstreamPrice'])
    // 1,500 at 0.7 and 7 at 0.5 USD per million: the tier of the channel, and its ratio is one.
    expect(await gateway.log(id)).toMatchObject({ upstreamCost: '0.0010535', margin: '0.0007905', upstreamPrice: { output: '0.5' } })
    expect((await session.call<{ data: LogRow[] }>('GET', '/api/logs')).data[0]).not.toContainKey('bill')
  })

  test('sums are what wallets lost, to the nano-dollar, by whatever they are made', async () => {
    const [ann, bob] = [await gateway.user(`ann-${engine}`, '1'), await gateway.user(`bob-${engine}`, '1')]
    await gateway.admin.call('PATCH', `/api/users/${bob.id}`, { group: 'dear', groups: ['dear'] })
    for (const [n, { key }] of [ann, bob, bob, ann, bob, ann].entries()) {
      upstream.answer(n === 3 ? respondJson(400, { error: { message: 'no' } }) : respondJson(200, answer(901 + n * 37, n * 11, n + 1)))
      expect((await ask(key)).status).toBe(n === 3 ? 400 : 200)
    }
    for (const { id, session } of [ann, bob]) {
      const { user } = await session.call<{ user: { balance: string } }>('GET', '/api/session')
      const lost = parseUsd('1') - parseUsd(user.balance)
      for (const by of ['', 'model', 'key,day', 'hour', 'group']) {
        const { data } = await session.call<{ data: UsageReportRow[] }>('GET', `/api/usage?by=${by}&timezone=Asia/Kolkata`)
        expect([by, sum(data, 'charged'), sum(data, 'cost')]).toEqual([by, lost, lost])
      }
      const { data } = await gateway.admin.call<{ data: UsageReportRow[] }>('GET', `/api/usage?by=channel&user=${id}`)
      expect(sum(data, 'charged')).toBe(lost)
    }
    const { data } = await gateway.admin.call<{ data: UsageReportRow[] }>('GET', `/api/usage?by=user&model=${testModel}`)
    const row = data.find(({ user }) => user?.id === ann.id)
    expect(row).toMatchObject({ requests: 3, errors: 1, user: { name: `ann-${engine}` } })
    expect(row?.tokens).toMatchObject({ in: { fresh: 901 + 901 + 185 - 55, cacheRead: 55 }, out: { total: 7 } })
    expect(row?.latency.total?.p50).toBeGreaterThan(0)
  })

  test('a channel that does not say what it costs has no margin; a total has that of the others', async () => {
    const { session, key, id } = await gateway.user(`margin-${engine}`, '1')
    const total = async () => (await gateway.admin.call<{ data: UsageReportRow[] }>('GET', `/api/usage?user=${id}`)).data[0]
    const channels = await gateway.admin.call<{ data: { id: string; name: string }[] }>('GET', '/api/channels?limit=200')
    const vendor = channels.data.find(({ name }) => name === 'vendor')
    upstream.answer(respondJson(200, answer(100, 0, 10)))
    await ask(key)
    const known = await total()
    expect(known).toMatchObject({ cost: '0.00012', upstreamCost: '0.000038334', margin: '0.000081666' })
    await gateway.admin.call('PATCH', `/api/channels/${vendor?.id}`, { enabled: false })
    await ask(key)
    await gateway.admin.call('PATCH', `/api/channels/${vendor?.id}`, { enabled: true })
    expect(await total()).toMatchObject({ requests: 2, cost: '0.00024', upstreamCost: '0.000038334', margin: '0.000081666' })
    const rows = await session.call<{ data: LogRow[] }>('GET', `/api/logs?model=${testModel}&limit=1`)
    expect(await gateway.log(rows.data[0]?.requestId ?? '')).toMatchObject({ channel: 'unknown-cost', upstreamCost: null, margin: null })
  })

  test('the file for spreadsheets says the same', async () => {
    const { data } = await gateway.admin.call<{ data: UsageReportRow[] }>('GET', '/api/usage?by=user,model')
    const answer = await gateway.admin.raw('GET', '/api/usage?by=user,model', undefined, { accept: 'text/csv' })
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const text = await answer.text()
    const [head = '', ...lines] = text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','))
    const charged = lines.reduce((total, cells) => total + parseUsd(cells[head.indexOf('charged')] ?? ''), 0n)
    expect(lines).toHaveLength(data.length)
    expect(formatUsd(charged)).toBe(formatUsd(sum(data, 'charged')))
  })
})
