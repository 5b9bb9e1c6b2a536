/**
 * An upstream's rate limit headers steer routing and are not forwarded to callers; an address that drops packets costs one connect timeout.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type BlackHole, blackHole } from '#testing/upstream/black-hole'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { goodStream, truth, wires } from './support/faults/wires.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const body = JSON.parse(wires.chat.whole(truth))
const limited = { error: { message: 'slow', type: 'requests', code: 'rate_limit_exceeded' } }
const spent = { 'x-ratelimit-limit-requests': '5000', 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '2s' }

let first: ScriptedUpstream
let other: ScriptedUpstream
let hole: BlackHole
let gateway: Gateway

beforeAll(async () => {
  first = await scriptedUpstream()
  other = await scriptedUpstream()
  hole = await blackHole()
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  await gateway.channel('first', first.url, { priority: 2 })
  await gateway.channel('other', other.url, { priority: 1 })
  await gateway.channel('hole', hole.url, { models: ['lost', 'found'], priority: 2, timeouts: { connect: 0.5 } })
  await gateway.channel('beside', other.url, { models: ['found'] })
  for (const model of [testModel, 'lost', 'found']) await gateway.price(model)
}, 90_000)

beforeEach(async () => {
  await gateway.heal()
  first.answer(respondJson(200, body))
  other.answer(respondJson(200, body))
})

afterAll(async () => {
  await gateway?.close()
  hole?.close()
  await first?.close()
  await other?.close()
})

const ask = (model = testModel, fields: object = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Well?' }], ...fields }),
  })

interface Row {
  channel: string | null
  attempts: { channel: string; phase: string; status: number | null; cause: string | null; ms: number }[]
}

async function asked(...request: Parameters<typeof ask>) {
  const answer = await ask(...request)
  const text = await answer.text()
  return { answer, text, row: await gateway.log<Row>(answer.headers.get('x-request-id') ?? '') }
}

test('a key with next to nothing left is passed over until its reset, and the tenant sees none of it', async () => {
  first.answer(respondJson(200, body, { ...spent, 'anthropic-ratelimit-requests-remaining': '1', 'x-request-id': 'theirs' }))
  const { answer, row } = await asked()
  expect([answer.status, row.channel]).toEqual([200, 'first'])
  const theirs = [...answer.headers].filter(([name, value]) => /ratelimit/.test(name) && ['5000', '3', '2s', '1'].includes(value))
  expect([theirs, answer.headers.get('x-request-id') === 'theirs']).toEqual([[], false])
  expect((await asked()).row).toMatchObject({ channel: 'other', attempts: [{ channel: 'other', phase: 'done' }] })
  await Bun.sleep(2_100)
  expect((await asked()).row.channel).toBe('first')
})

test('when nobody else is left it is asked all the same', async () => {
  first.answer(respondJson(200, body, spent))
  await asked()
  other.answer(respondJson(500, { error: { message: 'no' } }))
  expect((await asked()).row).toMatchObject({ channel: 'first', attempts: [{ channel: 'other' }, { channel: 'first', phase: 'done' }] })
})

test('a stream tells it as well', async () => {
  first.answer(stream(goodStream(wires.chat), { headers: spent }))
  expect((await asked(testModel, { stream: true })).row.channel).toBe('first')
  expect((await asked()).row.channel).toBe('other')
})

test('R-UP-13: without Retry-After the reset of the limit that is used up is the time to wait', async () => {
  const headers = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '17.2s' }
  for (const upstream of [first, other]) upstream.answer(respondJson(429, limited, headers))
  const { answer } = await asked()
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '18'])
})

test.each([false, true])(
  'R-UP-1: an address that swallows packets ends with the connect limit, in that phase; streamed: %p',
  async (isStream) => {
    const { answer, row } = await asked('lost', { stream: isStream })
    expect(answer.status).toBe(504)
    expect(row.attempts).toMatchObject([{ channel: 'hole', phase: 'connect', status: null, cause: 'upstream_timeout' }])
    const ms = row.attempts[0]?.ms ?? 0
    console.log(`${ms} ms for a limit of 500`)
    expect([ms > 450, ms < 10_000]).toEqual([true, true])
  },
)

test('R-UP-1: and the next channel is asked', async () => {
  const { answer, row } = await asked('found')
  expect(answer.status).toBe(200)
  expect(row.attempts).toMatchObject([
    { channel: 'hole', phase: 'connect' },
    { channel: 'beside', phase: 'done' },
  ])
})

test('R-UP-3: silence of a connection that stands is another phase', async () => {
  await gateway.channel('mute', first.url, { models: ['mute'], timeouts: { connect: 0.2, firstEvent: 1 } })
  await gateway.price('mute')
  first.answer(() => undefined)
  const { answer, row } = await asked('mute')
  expect(answer.status).toBe(504)
  expect(row.attempts).toMatchObject([{ phase: 'first-event', cause: 'upstream_timeout' }])
  expect(row.attempts[0]?.ms).toBeGreaterThan(900)
})
