/** Traces and metrics as a collector gets them, and nothing of them where none is named. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor, vendorFailed } from '#testing/vendors/chat-vendor'
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from '#testing/vendors/otlp-receiver'
import { type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

const engine = sampledEngine(import.meta.file)
const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'

let collector: OtlpReceiver
let broken: ScriptedUpstream
let vendor: ScriptedUpstream
let talking: RealtimeVendor
let gateway: Gateway

beforeAll(async () => {
  collector = otlpReceiver()
  broken = await scriptedUpstream(vendorFailed(500))
  vendor = await scriptedUpstream(chatVendor())
  talking = realtimeVendor()
  gateway = await startGateway(engine, {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=4711',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  })
  await gateway.channel('first', `${broken.url}/v1`, { priority: 1 })
  await gateway.channel('second', `${vendor.url}/v1`)
  await gateway.channel('talking', talking.url, { vendor: 'openai', models: ['gpt-realtime'] })
  for (const model of [testModel, 'gpt-realtime']) await gateway.price(model)
}, 60_000)
afterAll(async () => {
  await gateway?.close()
  for (const one of [broken, vendor, talking, collector]) await one?.close()
})

async function ask(body: object, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'a secret question' }], ...body }),
  })
  await answer.text()
  expect(answer.status).toBe(200)
  return answer.headers.get('x-request-id') ?? ''
}

/** The spans of a request, its own first, as soon as they are there. */
async function spansOf(requestId: string): Promise<ReceivedSpan[]> {
  for (;;) {
    const own = collector.spans.find(({ attributes }) => attributes['parley.request_id'] === requestId)
    if (own !== undefined) return [own, ...collector.spans.filter(({ parentSpanId }) => parentSpanId === own.spanId)]
    await wait(20)
  }
}

test('a request is a span and each attempt another one, in the trace of the caller', async () => {
  const headers = { traceparent: `00-${callersTrace}-${callersSpan}-01`, tracestate: 'theirs=1' }
  const before = Date.now()
  const requestId = await ask({ stream: true }, headers)
  const [own, ...attempts] = await spansOf(requestId)
  expect(own).toMatchObject({ traceId: callersTrace, parentSpanId: callersSpan, kind: 2, name: `chat ${testModel}`, status: 0 })
  expect(own?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai-compatible',
    'gen_ai.request.model': testModel,
    'http.response.status_code': 200,
    'parley.channel': 'second',
    'parley.stream': true,
  })
  const row = await gateway.log<{ usage: { in: { fresh: number }; out: { total: number } }; firstTokenMs: number; cost: string }>(requestId)
  expect(own?.attributes['gen_ai.usage.output_tokens']).toBe(row.usage.out.total)
  expect(own?.attributes['gen_ai.usage.input_tokens']).toBe(row.usage.in.fresh)
  expect(own?.attributes['parley.cost_usd']).toBeCloseTo(Number(row.cost), 9)
  const first = own?.events.find(({ name }) => name === 'gen_ai.first_token')
  expect(Number(((first?.at ?? 0n) - (own?.start ?? 0n)) / 1_000_000n)).toBe(row.firstTokenMs)

  expect(attempts.every(({ traceId, kind }) => traceId === callersTrace && kind === 3)).toBe(true)
  const failed = attempts.filter(({ attributes }) => attributes['parley.channel'] === 'first')
  const [served] = attempts.filter(({ attributes }) => attributes['parley.channel'] === 'second')
  expect(failed.length).toBeGreaterThan(0)
  expect(failed[0]).toMatchObject({ status: 2, attributes: { 'http.response.status_code': 500, 'error.type': 'upstream_error' } })
  expect(served).toMatchObject({ status: 0, attributes: { 'http.response.status_code': 200 } })
  for (const span of [own, ...attempts]) {
    expect(Number((span?.start ?? 0n) / 1_000_000n)).toBeGreaterThanOrEqual(before - 1)
    expect(span?.end ?? 0n).toBeGreaterThanOrEqual(span?.start ?? 0n)
  }

  // Each upstream got its own attempt's id.
  const told = (upstream: ScriptedUpstream) => upstream.requests.map((request) => request.header('traceparent'))
  expect(told(vendor)).toEqual([`00-${callersTrace}-${served?.spanId}-01`])
  expect(told(broken)).toEqual(failed.map(({ spanId }) => `00-${callersTrace}-${spanId}-01`))
  expect(vendor.requests[0]?.header('tracestate')).toBe('theirs=1')
}, 30_000)

test('without a caller’s trace a new one begins; what the caller does not sample is not collected, but passed on', async () => {
  const [own] = await spansOf(await ask({}))
  expect(own?.parentSpanId).toBeUndefined()
  expect(own?.traceId).not.toBe(callersTrace)
  const silent = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
  await ask({}, { traceparent: `00-${silent}-${callersSpan}-00` })
  await spansOf(await ask({}))
  expect(collector.spans.filter(({ traceId }) => traceId === silent)).toEqual([])
  expect(vendor.requests.at(-2)?.header('traceparent')).toMatch(new RegExp(`^00-${silent}-[0-9a-f]{16}-00$`))
}, 30_000)

test('losses are events, and an error is the status', async () => {
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ model: testModel, max_tokens: 50, top_k: 3, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
  const [own] = await spansOf(answer.headers.get('x-request-id') ?? '')
  expect(own?.events.find(({ name }) => name === 'parley.loss')?.attributes).toMatchObject({ field: 'sampling.topK', what: 'dropped' })
  const refused = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'no-such-model', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  const [error] = await spansOf(refused.headers.get('x-request-id') ?? '')
  expect(error).toMatchObject({ status: 2, attributes: { 'error.type': 'model_not_found', 'http.response.status_code': 404 } })
}, 30_000)

test('a realtime session is in the trace of its caller, too', async () => {
  const client = await realtimeClient(`${gateway.url}/v1/realtime?model=gpt-realtime`, [], {
    authorization: `Bearer ${gateway.key}`,
    traceparent: `00-${callersTrace}-${callersSpan}-01`,
  })
  client.socket.close()
  await client.closed
  const find = () => collector.spans.find(({ attributes }) => attributes['gen_ai.operation.name'] === 'realtime')
  while (find() === undefined) await wait(20)
  expect(find()).toMatchObject({ traceId: callersTrace })
  expect(talking.asked[0]?.headers.get('traceparent')).toMatch(new RegExp(`^00-${callersTrace}-[0-9a-f]{16}-01$`))
}, 30_000)

test('metrics say the same, and the collector is content', async () => {
  const requests = () => (collector.metrics.get('gen_ai.server.request.duration') ?? []).reduce((sum, { count = 0 }) => sum + count, 0)
  while (requests() < 7) await wait(50)
  const tokens = collector.metrics.get('gen_ai.client.token.usage') ?? []
  const output = tokens.filter(({ attributes }) => attributes['gen_ai.token.type'] === 'output')
  const { data } = await gateway.admin.call<{ data: { usage: { out: { total: number } } | null }[] }>('GET', '/api/logs')
  expect(output.reduce((sum, point) => sum + (point.sum ?? 0), 0)).toBe(data.reduce((sum, { usage }) => sum + (usage?.out.total ?? 0), 0))
  expect(collector.metrics.get('parley.failed_attempts')?.[0]?.attributes).toMatchObject({ 'parley.channel': 'first' })
  expect(collector.faults).toEqual([])
  expect(new Set(collector.headers.map((headers) => headers.get('x-collector-key')))).toEqual(new Set(['4711']))
  expect(collector.spans[0]?.resource).toMatchObject({ 'service.name': 'parley', 'deployment.environment.name': 'test' })
  const everything = JSON.stringify(collector.spans, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  for (const secret of ['a secret question', gateway.key, 'sk-vendor']) expect(everything).not.toContain(secret)
}, 30_000)

test('a collector that is away costs no request, and is complained of', async () => {
  collector.answer(400)
  for (let times = 0; times < 3; times += 1) await ask({})
  while (!gateway.program.output().includes('the OpenTelemetry collector does not accept')) await wait(20)
  await ask({})
  collector.answer(200)
}, 30_000)

test('without a collector nothing of a trace is passed on', async () => {
  const plain = await startGateway(engine)
  try {
    await plain.channel('only', `${vendor.url}/v1`)
    await plain.price(testModel)
    const answer = await fetch(`${plain.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${plain.key}`,
        'content-type': 'application/json',
        traceparent: `00-${callersTrace}-${callersSpan}-01`,
      },
      body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
    expect(vendor.requests.at(-1)?.header('traceparent')).toBeUndefined()
  } finally {
    await plain.close()
  }
}, 60_000)
