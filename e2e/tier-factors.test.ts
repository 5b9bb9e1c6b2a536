/**
 * A price may have factors for a tier, a speed or a place: then the field passes, and the answer is charged by the tier that the upstream
 * reports, or by the requested one if it reports none; a cheaper tier only if the upstream reports it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { PriceEffects } from '#shared/console/price'
import { formatUsd, parseUsd } from '#shared/money'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway

const models = { chat: 'chat-model', responses: 'responses-model', messages: 'claude-model' } as const
type Endpoint = keyof typeof models

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file), {
    config: `
prices:
  chat-model:
    { input: 1, output: 2, factors: { service_tier: { priority: 2, flex: 0.5 } } }
`,
  })
  await gateway.channel('chat', upstream.url, { speaks: ['chat'], models: [models.chat] })
  await gateway.channel('responses', upstream.url, { speaks: ['responses'], models: [models.responses] })
  await gateway.channel('messages', upstream.url, { vendor: 'anthropic', models: [models.messages] })
  const price = { input: '1', output: '2' }
  await put(models.responses, { ...price, factors: { service_tier: { priority: '2', flex: '0.5' } } })
  await put(models.messages, {
    ...price,
    factors: { service_tier: { priority: '1.5' }, speed: { fast: '6' }, inference_geo: { us: '1.1' } },
  })
}, 60_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const put = (model: string, price: unknown) => gateway.admin.call('PUT', `/api/prices/${model}`, price)

type Json = Record<string, unknown>
const event = (type: string, data: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

/** A thousand tokens in and a thousand out: 0.003 USD. `told` is the tier that the answer reports. */
const answers: Record<Endpoint, (told: Json, isStream: boolean) => Script> = {
  chat(told, isStream) {
    const head = { id: 'c', created: 1, model: 'up', ...told }
    const usage = { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 }
    if (!isStream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }]
      return respondJson(200, { ...head, object: 'chat.completion', choices, usage })
    }
    const chunk = (choices: unknown[], more: Json = {}) =>
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`
    return stream([
      chunk([{ index: 0, delta: { role: 'assistant', content: 'ok' }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage }),
      'data: [DONE]\n\n',
    ])
  },
  responses(told, isStream) {
    const content = [{ type: 'output_text', text: 'ok', annotations: [] }]
    const item = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content }
    const usage = { input_tokens: 1000, output_tokens: 1000, total_tokens: 2000 }
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'up', ...told }
    const done = { ...response, status: 'completed', output: [item], usage }
    if (!isStream) return respondJson(200, done)
    return stream([
      event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
      event('response.output_text.delta', { output_index: 0, content_index: 0, item_id: 'm', delta: 'ok' }),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response: done }),
    ])
  },
  messages(told, isStream) {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up' }
    const usage = { input_tokens: 1000, ...told }
    if (!isStream) {
      const content = [{ type: 'text', text: 'ok' }]
      return respondJson(200, {
        ...message,
        content,
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1000 },
      })
    }
    return stream([
      event('message_start', { message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'ok' } }),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1000 } }),
      event('message_stop', {}),
    ])
  },
}

const hi = { role: 'user', content: 'hi' }
const endpoints: Record<Endpoint, [path: string, body: Json]> = {
  chat: ['/v1/chat/completions', { messages: [hi] }],
  responses: ['/v1/responses', { input: 'hi', store: false }],
  messages: ['/v1/messages', { messages: [hi], max_tokens: 2000 }],
}

interface Row {
  cost: string
  charged: string
  usage: { servedAs?: Json }
  bill: { lines: { unit: string; factor?: string }[] }
}

async function rowOf(endpoint: Endpoint, model: string, asked: Json, script: Script, isStream: boolean): Promise<Row> {
  const [path, body] = endpoints[endpoint]
  upstream.next(script)
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model, ...body, ...asked, ...(isStream && { stream: true }) }),
  })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('ok')])
  return gateway.log<Row>(answer.headers.get('x-request-id') ?? '')
}

/** The request, the reported tier, the cost, and the factor. */
const cases: [Endpoint, asked: Json, told: Json, cost: string, factor: string | undefined][] = [
  ...(['chat', 'responses'] as const).flatMap((endpoint): (typeof cases)[number][] => [
    [endpoint, { service_tier: 'priority' }, { service_tier: 'priority' }, '0.006', '2'],
    [endpoint, { service_tier: 'priority' }, { service_tier: 'default' }, '0.003', undefined],
    [endpoint, { service_tier: 'priority' }, {}, '0.006', '2'],
    [endpoint, { service_tier: 'flex' }, { service_tier: 'flex' }, '0.0015', '0.5'],
    [endpoint, { service_tier: 'flex' }, {}, '0.003', undefined],
    [endpoint, {}, { service_tier: 'priority' }, '0.006', '2'],
    [endpoint, {}, { service_tier: 'scale' }, '0.003', undefined],
  ]),
  ['messages', { speed: 'fast' }, { speed: 'fast', service_tier: 'standard' }, '0.018', '6'],
  ['messages', { speed: 'fast' }, { speed: 'standard', service_tier: 'standard' }, '0.003', undefined],
  ['messages', { speed: 'fast' }, {}, '0.018', '6'],
  ['messages', {}, { service_tier: 'priority' }, '0.0045', '1.5'],
  ['messages', { inference_geo: 'us', speed: 'fast' }, { inference_geo: 'us' }, '0.0198', '6.6'],
]

describe.each([false, true])('streamed: %j', (isStream) => {
  test.each(cases)('%s: asked %j, told %j: %s USD', async (endpoint, asked, told, cost, factor) => {
    const row = await rowOf(endpoint, models[endpoint], asked, answers[endpoint](told, isStream), isStream)
    expect([row.cost, row.charged]).toEqual([cost, cost])
    expect(row.bill.lines.map((line) => [line.unit, line.factor])).toEqual([
      ['input', factor],
      ['output', factor],
    ])
  })

  test('an upstream of another dialect says it too', async () => {
    const { cost } = await rowOf(
      'chat',
      models.responses,
      { service_tier: 'priority' },
      answers.responses({ service_tier: 'priority' }, isStream),
      isStream,
    )
    expect(cost).toBe('0.006')
    const fast = await rowOf('chat', models.messages, {}, answers.messages({ speed: 'fast' }, isStream), isStream)
    expect([fast.cost, fast.usage.servedAs]).toEqual(['0.018', { speed: 'fast' }])
  })
})

test('what is held covers the dearer tier', async () => {
  const { key } = await gateway.user('poor', '0.003')
  const ask = (asked: Json) =>
    fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: models.messages, messages: [hi], max_tokens: 1000, ...asked }),
    }).then(({ status }) => status)
  expect(await ask({ speed: 'fast' })).toBe(402)
  upstream.next(answers.messages({}, false))
  expect(await ask({})).toBe(200)
})

test('a word without a factor is refused as before, and so is a factor that is no decimal', async () => {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: models.chat, messages: [hi], service_tier: 'scale' }),
  })
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('unpriced_field')])
  for (const factor of ['-1', '1e3', '1000', '1.0000001', 'x']) {
    const refused = await gateway.admin.raw('PUT', '/api/prices/other', { input: '1', output: '1', factors: { speed: { fast: factor } } })
    expect([factor, refused.status]).toEqual([factor, 400])
  }
})

test('what another price would have charged for these answers counts their factors, too', async () => {
  const plain = { input: '1', output: '2' }
  const factors = { service_tier: { priority: '3' }, speed: { fast: '6' } }
  const { data: rows } = await gateway.admin.call<{ data: Row[] }>('GET', `/api/logs?model=${models.messages}&status=200&limit=200`)
  const effect = async (price: object) => {
    const { data } = await gateway.admin.call<PriceEffects>('POST', '/api/prices/effect', { prices: { [models.messages]: price } })
    return data[0]
  }
  const cost = formatUsd(rows.reduce((all, row) => all + parseUsd(row.cost), 0n))
  const without = await effect(plain)
  expect(without).toMatchObject({ basis: 'requests', before: cost, cost, after: formatUsd(BigInt(rows.length) * parseUsd('0.003')) })
  const times = rows.map(({ usage: { servedAs: as } }) => (as?.service_tier === 'priority' ? 3n : 1n) * (as?.speed === 'fast' ? 6n : 1n))
  expect(new Set(times).size).toBe(3)
  expect((await effect({ ...plain, factors }))?.after).toBe(formatUsd(times.reduce((all, one) => all + one * parseUsd('0.003'), 0n)))
})
