/** A large body is not read for a caller who would be refused anyway: what the headers tell is asked first. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const bytes = 20 * 1024 * 1024

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(200, chatAnswer()))
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('only', upstream.url)
  await gateway.price(testModel)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

/** Sends the head of a large request and nothing of its body; resolves with the answer that comes all the same. */
function answeredToHead(key: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(Number(port), hostname, () => {
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${key}`,
      'content-type: application/json',
    ]
    socket.write(`${[...head, `content-length: ${bytes}`].join('\r\n')}\r\n\r\n{`)
  })
  let text = ''
  socket.on('error', reject).on('data', (chunk) => {
    text += chunk
    if (!text.includes('"code"')) return
    resolve(text)
    socket.destroy()
  })
  return promise
}

const ask = (key: string, content: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content }] }),
  })

test('without money', async () => {
  const { key } = await gateway.user('poor', '0')
  const answer = await answeredToHead(key)
  expect(answer).toStartWith('HTTP/1.1 429')
  expect(answer).toContain('"code":"insufficient_quota"')
  expect((await gateway.log(/x-request-id: (\S+)/i.exec(answer)?.[1] ?? '')) as object).toMatchObject({ end: 'error', cost: '0' })
})

test('beyond a limit', async () => {
  const { session } = await gateway.user('limited', '10')
  const { key } = await session.call<{ key: string }>('POST', '/api/keys', { name: 'slow', limits: { rpm: 1 } })
  expect((await ask(key, 'hi')).status).toBe(200)
  const answer = await answeredToHead(key)
  expect(answer).toStartWith('HTTP/1.1 429')
  expect(answer).toContain('"code":"rate_limit_exceeded"')
})

test('a client that sends all of it gets the same answer, and others are served', async () => {
  const { key } = await gateway.user('broke', '0')
  const refused = await ask(key, 'x'.repeat(bytes))
  expect(refused.status).toBe(429)
  expect(await refused.text()).toContain('insufficient_quota')
  expect((await ask(gateway.key, 'x'.repeat(200_000))).status).toBe(200)
})
