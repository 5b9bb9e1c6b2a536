/**
 * Parley on Deno: one start, and the first steps of a visitor and an operator. docs/runtimes.md lists what differs on Deno; its address
 * rules for outgoing HTTP are tested in server/runtime/deno.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

const demoModel = 'parley-demo'
const realtimeModel = 'gpt-realtime'
const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`

let gateway: Gateway
let upstream: ScriptedUpstream
let vendor: RealtimeVendor

beforeAll(async () => {
  upstream = await scriptedUpstream()
  vendor = realtimeVendor()
  // A proxy that nothing listens on: whatever went through it would fail.
  gateway = await startGateway('embedded', {
    runtime: 'deno',
    env: { PARLEY_DEMO: 'on', PARLEY_MAX_IDLE: '2s', http_proxy: 'http://127.0.0.1:9' },
  })
  await gateway.channel('upstream', upstream.url)
  await gateway.channel('realtime', vendor.url, { models: [realtimeModel] })
  await gateway.price(testModel)
  await gateway.price(realtimeModel, { input: '4', output: '16', cacheRead: '0.4', audioIn: '32', audioOut: '64' })
}, 150_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
  await vendor?.close()
})

const ask = (model: string, streams: boolean, signal?: AbortSignal) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: streams, messages: [{ role: 'user', content: 'hi' }] }),
    ...(signal && { signal }),
  })

test('it is ready, and knows its administrator by a password that Deno hashed', async () => {
  const ready = await fetch(`${gateway.url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])
  expect(gateway.admin.cookie).not.toBe('')
  expect(gateway.program.output()).not.toContain('BUN_CONFIG_MAX_HTTP_REQUESTS')
})

test('the demo model answers whole and in a stream, and both are in the books', async () => {
  const whole = await ask(demoModel, false)
  const { choices } = (await whole.json()) as { choices: { message: { content: string } }[] }
  expect([whole.status, choices[0]?.message.content.length]).toEqual([200, expect.any(Number)])
  const streamed = await ask(demoModel, true)
  const text = await streamed.text()
  expect(text).toContain('data: {')
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  for (const answer of [whole, streamed]) {
    expect(await gateway.log(answer.headers.get('x-request-id') ?? '')).toMatchObject({ model: demoModel, end: 'complete', status: 200 })
  }
}, 60_000)

test('the demo model converses over a WebSocket', async () => {
  const client = await realtimeClient(`${gateway.url}/v1/realtime?model=parley-demo-realtime`, [
    'realtime',
    `openai-insecure-api-key.${gateway.key}`,
  ])
  client.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
  })
  client.send({ type: 'response.create' })
  await client.event('response.done')
  expect(client.events('response.output_text.delta').length).toBeGreaterThan(0)
  client.socket.close(1000)
  expect((await client.closed).code).toBe(1000)
}, 60_000)

test('an upstream is reached, whole and streamed, by no proxy of the environment', async () => {
  upstream.answer(respondJson(200, chatAnswer({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 })))
  const whole = await ask(testModel, false)
  await whole.text()
  expect(await gateway.log(whole.headers.get('x-request-id') ?? '')).toMatchObject({ status: 200, end: 'complete', cost: '0.00012' })
  upstream.answer(stream([piece('one '), piece('two'), end], { everyMs: 50 }))
  const text = await (await ask(testModel, true)).text()
  expect([text.includes('one '), text.includes('two'), text.endsWith('data: [DONE]\n\n')]).toEqual([true, true, true])
}, 60_000)

test('an upstream converses over a WebSocket', async () => {
  const client = await realtimeClient(`${gateway.url}/v1/realtime?model=${realtimeModel}`, [], { authorization: `Bearer ${gateway.key}` })
  client.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] },
  })
  client.send({ type: 'response.create' })
  await client.event('response.done')
  client.socket.close(1000)
  await client.closed
}, 60_000)

test('a client that leaves takes its upstream with it', async () => {
  let left = false
  upstream.answer(async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    await exchange.chunk(piece('one '))
    await exchange.gone
    left = true
  })
  const leaving = new AbortController()
  const answer = await ask(testModel, true, leaving.signal)
  await answer.body?.getReader().read()
  leaving.abort()
  for (let tries = 0; tries < 500 && !left; tries++) await Bun.sleep(20)
  expect(left).toBe(true)
}, 60_000)

test('an answer of which its client takes nothing is given up, and its upstream with it', async () => {
  let left = false
  upstream.answer(async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    void exchange.gone.then(() => {
      left = true
    })
    while (!left) await exchange.chunk(piece('x'.repeat(64 * 1024)))
  })
  const body = JSON.stringify({ model: testModel, stream: true, messages: [{ role: 'user', content: 'hi' }] })
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname, () => {
    const head = ['POST /v1/chat/completions HTTP/1.1', `host: ${hostname}:${port}`, `authorization: Bearer ${gateway.key}`]
    socket.write([...head, 'content-type: application/json', `content-length: ${body.length}`, '', body].join('\r\n'))
  })
  socket.on('error', () => undefined).pause()
  for (let tries = 0; tries < 1_500 && !left; tries++) await Bun.sleep(20)
  socket.destroy()
  expect(left).toBe(true)
}, 60_000)

test('SIGTERM lets an open stream finish, then the process ends in order', async () => {
  upstream.answer(stream([piece('one '), piece('two'), end], { everyMs: 300 }))
  const answer = await ask(testModel, true)
  const text = answer.text()
  const exit = gateway.program.stop()
  expect(await text).toContain('two')
  expect((await exit).code).toBe(0)
}, 60_000)
