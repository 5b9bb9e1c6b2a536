/** `/metrics` as Prometheus reads it: on a separate address, behind a token, and disabled by default. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

const engine = sampledEngine(import.meta.file)
const token = 'a-token-for-prometheus'
const gateways: Gateway[] = []
let gateway: Gateway
let key: string
let session: Session
let upstream: ScriptedUpstream

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'on', PARLEY_METRICS: '127.0.0.1:0' } })
  gateways.push(gateway)
  ;({ key, session } = await gateway.user('ann', '1'))
}, 60_000)
afterAll(async () => {
  for (const each of gateways) await each.close()
  await upstream?.close()
})

/** The address of the metrics, on a separate port. */
const metricsUrl = () => /^Metrics on (\S+)$/m.exec(gateway.program.output())?.[1] ?? ''

const ask = (body: object) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then(async (answer) => ({ status: answer.status, body: (await answer.json()) as Record<string, never> }))

/** Values by name and labels, as written. */
async function scrape(url: string, init?: RequestInit): Promise<Map<string, number>> {
  const answer = await fetch(url, init)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')])
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

test('what was asked is counted as the row says', async () => {
  const messages = [{ role: 'user', content: 'Hello' }]
  expect((await ask({ model: 'parley-demo', messages })).status).toBe(200)
  expect((await ask({ model: 'parley-demo', messages })).status).toBe(200)
  expect((await ask({ model: 'no-such-model', messages })).status).toBe(404)
  const { data: rows } = await session.call<{ data: Row[] }>('GET', '/api/logs')
  const answered = rows.filter(({ model }) => model === 'parley-demo')
  expect(answered).toHaveLength(2)

  const url = metricsUrl()
  const values = await scrape(url)
  const place = 'model="parley-demo",channel="demo",group="default"'
  const labels = `operation="generate",dialect="chat",${place},status="200"`
  expect(values.get(`parley_requests_total{${labels}}`)).toBe(2)
  const unknown = 'operation="generate",dialect="chat",model="",channel="",group="default",status="404"'
  expect(values.get(`parley_requests_total{${unknown}}`)).toBe(1)
  expect(values.get('parley_errors_total{operation="generate",code="model_not_found"}')).toBe(1)
  const sum = (of: (usage: Usage) => number) => answered.reduce((total, { usage }) => total + (usage ? of(usage) : 0), 0)
  expect(values.get(`parley_tokens_total{${place},kind="input"}`)).toBe(sum((usage) => usage.in.fresh))
  expect(values.get(`parley_tokens_total{${place},kind="output"}`)).toBe(sum((usage) => usage.out.total))
  const cost = answered.reduce((total, row) => total + Number(row.cost), 0)
  expect(values.get(`parley_cost_usd_total{${place}}`)).toBeCloseTo(cost, 9)
  expect(values.get('parley_request_duration_seconds_count{operation="generate",stream="false"}')).toBe(3)
  expect(values.get('parley_charged_usd_total')).toBeCloseTo(cost, 9)
  for (const name of ['requests', 'streams', 'holds']) expect([name, values.get(`parley_open_${name}`)]).toEqual([name, 0])
  expect([values.get('parley_waiting_holds'), values.get('parley_held_usd{account="wallet"}')]).toEqual([0, 0])
  expect(values.get('parley_leases{account="wallet"}')).toBeGreaterThan(0)
  expect(values.get('parley_leased_usd{account="wallet"}')).toBeGreaterThan(0)
  for (const kind of ['worker', 'query']) expect(values.get(`parley_database_call_seconds_count{kind="${kind}"}`)).toBeGreaterThan(0)
  expect(values.get('parley_backup_interval_seconds')).toBe(0)
  expect(values.get('parley_books_serving')).toBe(1)
  expect(values.get('parley_journal_waiting_ratio')).toBeWithin(0, 0.5)
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000)

  expect((await fetch(new URL('/v1/models', url))).status).toBe(404)
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404)
})

test('streams and sessions are open while they run, and no longer', async () => {
  const open = async () => (await scrape(metricsUrl())).get('parley_open_streams')
  const until = async (left: number) => {
    while ((await open()) !== left) await Bun.sleep(10)
  }
  await gateway.channel('held', `${upstream.url}/v1`)
  await gateway.price(testModel)
  const end = Promise.withResolvers<void>()
  upstream.answer(async (exchange) => {
    await exchange.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' })
    await exchange.chunk('data: {"choices":[{"index":0,"delta":{"content":"one"},"finish_reason":null}]}\n\n')
    await Promise.race([end.promise, exchange.gone])
    await exchange.chunk('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    await exchange.lastChunk()
  })
  const leaving = new AbortController()
  const stream = (signal?: AbortSignal) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: testModel, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
      ...(signal && { signal }),
    })
  const [whole] = [await stream(), await stream(leaving.signal)]
  const client = await realtimeClient(`${gateway.url}/v1/realtime?model=parley-demo-realtime`, [], {
    authorization: `Bearer ${gateway.key}`,
  })
  expect(await open()).toBe(3)
  client.socket.close()
  await until(2)
  leaving.abort()
  await until(1)
  end.resolve()
  expect(await whole.text()).toEndWith('data: [DONE]\n\n')
  await until(0)
})

test('the dashboard and the alert rules ask for metrics and labels that are there', async () => {
  const text = await (await fetch(metricsUrl())).text()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  const file = (path: string) => Bun.file(new URL(`../deploy/${path}`, import.meta.url)).text()
  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(await file('grafana/parley.json'))
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const { groups } = Bun.YAML.parse(await file('prometheus/parley.rules.yaml')) as { groups: { rules: { expr: string }[] }[] }
  const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
  expect([shown.length > 20, alerts.length > 5]).toEqual([true, true])
  for (const expression of [...shown, ...alerts]) {
    for (const [name] of expression.matchAll(/\b(?:parley|process)_\w+/g)) {
      const base = name.replace(/_(bucket|count)$/, '')
      expect([name, types.get(base)]).toEqual([name, name === base ? expect.stringMatching(/^(counter|gauge)$/) : 'histogram'])
      // What only goes up says something as a rate.
      if (types.get(base) === 'counter') expect(expression).toMatch(new RegExp(`(rate|increase)\\(${name}\\b`))
    }
    const used = [...expression.matchAll(/\bby \(([^)]*)\)|(\w+)=~?"/g)].flatMap(([, by, label]) => (by ?? label ?? '').split(/, */))
    const known = /^(instance|job|le|operation|dialect|model|channel|group|status|kind|key|code|cause|stream|account)$/
    expect(used.filter((label) => !known.test(label))).toEqual([])
  }
})

test('behind a token on the main port', async () => {
  const other = await startGateway(engine, { env: { PARLEY_METRICS: `token:${token}` } })
  gateways.push(other)
  const url = `${other.url}/metrics`
  for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${token}` }]) {
    expect((await fetch(url, { headers })).status).toBe(401)
  }
  const values = await scrape(url, { headers: { authorization: `Bearer ${token}` } })
  expect(values.get('parley_open_requests')).toBe(0)
}, 60_000)

test('no other method on the separate port, with or without a body', async () => {
  for (const body of [undefined, '{}']) {
    const answer = await fetch(metricsUrl(), { method: 'POST', ...(body !== undefined && { body }) })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  }
})

interface Row {
  cost: string
  model: string
  usage: Usage | null
}

interface Usage {
  in: { fresh: number }
  out: { total: number }
}
