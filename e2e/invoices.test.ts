/** An upstream's invoice against the upstream costs of rows: unknown billed lines are shown, with the requests behind the rest. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { InvoiceReport } from '#shared/console/books'
import type { LogRow } from '#shared/console/log'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway
beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(200, chatAnswer({ prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 })))
  gateway = await startGateway(sampledEngine(import.meta.file))
  const models = [{ name: 'fast', upstream: 'gpt-5-mini' }]
  await gateway.channel('paid', upstream.url, {
    vendor: 'openai',
    speaks: ['chat'],
    models,
    costs: { fast: { input: '10000', output: '500' } },
  })
  await gateway.price('fast', { input: '2', output: '20' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const day = new Date().toISOString().slice(0, 10)
const check = (csv: string, more = {}) => gateway.admin.raw('POST', '/api/invoices/check', { vendor: 'openai', csv, ...more })
/** As the cost export of OpenAI's dashboard. */
const bill = (...lines: readonly (readonly [usd: string, item: string])[]) =>
  [
    'start_time_iso,amount_value,amount_currency,line_item',
    ...lines.map(([usd, item]) => `${day}T00:00:00+00:00,${usd},usd,"${item}"`),
  ].join('\n')

test('what fits, what was billed beyond it, and the page with the requests', async () => {
  for (let n = 0; n < 2; n++) {
    const body = JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'hi' }], max_tokens: 1_000 })
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
    expect((await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })).status).toBe(200)
  }
  // Two requests of 0.1 USD of input and 0.5 USD of output each, as far as is known.
  const right: InvoiceReport = await (
    await check(bill(['0.2', 'gpt-5-mini-2025-08-07, input'], ['1', 'gpt-5-mini-2025-08-07, output']))
  ).json()
  const requests = { day, model: 'gpt-5-mini', requests: 2, logged: '1.2' }
  expect(right).toMatchObject({
    from: day,
    to: day,
    channels: ['paid'],
    billed: '1.2',
    logged: '1.2',
    difference: '0',
    fits: true,
    rows: [requests],
  })

  const wrong: InvoiceReport = await (await check(bill(['7.7', 'gpt-5-mini, output'], ['3', 'gpt-5-pro, output']))).json()
  expect(wrong).toMatchObject({
    fits: false,
    difference: '9.5',
    rows: [
      { ...requests, billed: '7.7', difference: '6.5', fits: false },
      { day, model: 'gpt-5-pro', billed: '3', logged: null, requests: 0, pages: [] },
    ],
  })
  // The page of the console asks with the parameters of its address.
  const [page = ''] = wrong.rows[0]?.pages ?? []
  const { data } = await gateway.admin.call<{ data: LogRow[] }>('GET', page.replace('/requests', '/api/logs'))
  expect(data.map(({ model, channel }) => [model, channel])).toEqual([
    ['fast', 'paid'],
    ['fast', 'paid'],
  ])
})

test('refuses what it cannot read, channels that are not there, and whoever is no administrator', async () => {
  const refusal = async (answer: Response) => [answer.status, ((await answer.json()) as { error: { code: string; param: string } }).error]
  expect(await refusal(await check('a,b\n1,2'))).toMatchObject([400, { code: 'invalid_value', param: 'csv' }])
  expect(await refusal(await check(bill(['1', 'x']), { vendor: 'amazon' }))).toMatchObject([400, { param: 'vendor' }])
  expect(await refusal(await check(bill(['1', 'x']), { channel: 'none' }))).toMatchObject([400, { param: 'channel' }])
  expect((await check('x'.repeat(1_100_000))).status).toBe(413)
  const { session } = await gateway.user('ann', '1')
  expect((await session.raw('POST', '/api/invoices/check', { vendor: 'openai', csv: bill(['1', 'x']) })).status).toBe(403)
})
