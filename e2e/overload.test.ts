/** Requests beyond the concurrency limit are refused quickly with a clear error, while everything an operator needs stays reachable. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { administrator, administratorPassword } from '#testing/program/program'
import { respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const most = 3
const json = { 'content-type': 'application/json' }
const answer = chatAnswer()

let upstream: ScriptedUpstream
let gateway: Gateway
let release: () => void

beforeAll(async () => {
  const released = Promise.withResolvers<void>()
  release = released.resolve
  upstream = await scriptedUpstream(async (exchange) => {
    await released.promise
    await respondJson(200, answer)(exchange)
  })
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_MAX_OPEN: String(most) } })
  await gateway.channel('only', upstream.url)
  await gateway.price(testModel)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const post = (path: string, headers: Record<string, string>, body: object) =>
  fetch(gateway.url + path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
const turns = [{ role: 'user', content: 'hi' }]
const chat = () => post('/v1/chat/completions', { authorization: `Bearer ${gateway.key}` }, { model: testModel, messages: turns })

test('above the limit: 503 with Retry-After in each dialect, at once; below it again: served', async () => {
  const accepted = Array.from({ length: most }, chat)
  await upstream.received(most - 1)

  const started = performance.now()
  const refusals: [Response, number, string][] = [
    [await chat(), 503, '"code":"overloaded"'],
    [
      await post(
        '/v1/messages',
        { 'x-api-key': gateway.key, 'anthropic-version': '2023-06-01' },
        { model: testModel, max_tokens: 9, messages: turns },
      ),
      529,
      'overloaded_error',
    ],
    [
      await post(
        `/v1beta/models/${testModel}:generateContent`,
        { 'x-goog-api-key': gateway.key },
        { contents: [{ parts: [{ text: 'hi' }] }] },
      ),
      503,
      'UNAVAILABLE',
    ],
    [await gateway.admin.raw('POST', '/pg/chat/completions', { model: testModel, messages: turns }), 503, '"code":"overloaded"'],
  ]
  const ms = (performance.now() - started) / refusals.length
  console.log(`refused in ${ms.toFixed(1)} ms`)
  // At once: some 5 ms on a quiet machine.
  expect(ms).toBeLessThan(2_000)
  for (const [refused, status, word] of refusals) {
    expect(refused.status).toBe(status)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.text()).toContain(word)
  }

  for (const path of ['/healthz', '/readyz', '/api/status', '/v1/models']) {
    const headers = { authorization: `Bearer ${gateway.key}` }
    expect([path, (await fetch(gateway.url + path, { headers })).status]).toEqual([path, 200])
  }
  const session = await gateway.signIn(administrator.PARLEY_ADMIN_USER, administratorPassword)
  expect((await session.raw('GET', '/api/channels')).status).toBe(200)

  release()
  for (const open of accepted) expect((await open).status).toBe(200)
  for (let tries = 0; tries < 100 && (await chat()).status !== 200; tries++) await wait(20)
  expect((await chat()).status).toBe(200)
})
