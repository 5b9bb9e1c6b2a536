/** Findings at the newest endpoints; known failures are marked until they are fixed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { sampledEngine } from '#testing/database/database'
import { type LoopWatch, loopWatch } from '#testing/program/loop-watch'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { type Gateway, startGateway, testModel } from '../support/gateway.ts'
import { heldBy, mostHeldMs } from '../support/heavy/held.ts'

let loop: LoopWatch
let upstream: ScriptedUpstream
let gateway: Gateway
let poor: { key: string }

beforeAll(async () => {
  upstream = await scriptedUpstream(chatVendor())
  loop = loopWatch()
  gateway = await startGateway(sampledEngine(import.meta.file), { env: loop.env })
  await gateway.channel('main', `${upstream.url}/v1`)
  await gateway.price(testModel)
  poor = await gateway.user('poor', '0')
}, 60_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
  loop?.close()
})

const mebibyte = 1024 * 1024
const json = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
const key = () => ({ authorization: `Bearer ${gateway.key}`, ...json })

/** A body that never ends; its status line, as soon as there is one. */
function endless(path: string, headers: Record<string, string>, start: string, chunks: number, length?: number, filler = 'x') {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const framing: Record<string, string> = length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${length}` }
  const lines = Object.entries({ host: `${hostname}:${port}`, ...framing, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(length === undefined ? `${start.length.toString(16)}\r\n${start}\r\n` : start)
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(mebibyte, filler), Buffer.from('\r\n')])
  for (let sent = 0; sent < chunks; sent++) socket.write(chunk)
  const answer = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
      if (text.includes('\r\n')) resolve(text.slice(0, text.indexOf('\r\n')))
    })
    socket.on('error', () => resolve('broken'))
    socket.on('close', () => resolve('closed'))
  })
  return { answer, close: () => socket.destroy() }
}

describe('the event loop', () => {
  const held = (work: () => Promise<Response>) => heldBy(loop, gateway.url, async () => (await work()).text())
  const batch = (body: string) => fetch(`${gateway.url}/v1/messages/batches`, { method: 'POST', headers: key(), body })

  test('is not held by a long text beside the requests of a batch', async () => {
    expect(await held(() => batch(`{"x":"${'x'.repeat(31 * mebibyte)}","requests":[]}`))).toBeLessThan(mostHeldMs)
  }, 60_000)

  test('is not held by a request of a batch with many values', async () => {
    const messages = `[${'{"role":"user","content":"x"},'.repeat(30_000)}{"role":"user","content":"x"}]`
    const params = `{"model":"${testModel}","max_tokens":1,"messages":${messages}}`
    expect(await held(() => batch(`{"requests":[{"custom_id":"a","params":${params}}]}`))).toBeLessThan(mostHeldMs)
  }, 60_000)
})

test('a batch of who has no money is refused before it is read', async () => {
  const start = `{"requests":[{"custom_id":"a","params":{"model":"${testModel}","max_tokens":1,"messages":[`
  const sent = endless('/v1/messages/batches', { authorization: `Bearer ${poor.key}`, ...json }, start, 0, 20 * mebibyte)
  try {
    expect(await Promise.race([sent.answer, Bun.sleep(2_000).then(() => 'it waits for the rest')])).toContain(' 402')
  } finally {
    sent.close()
  }
}, 20_000)

describe('bodies that are being read have room', () => {
  test.each([
    ['/v1/conversations', '{"items":[{"role":"user","content":"', 'x'],
    ['/v1/realtime/client_secrets', '{"session":{"instructions":"', 'x'],
    ['/v1/batches', '{"metadata":{"a":"', 'x'],
    [
      `/v1beta/models/${testModel}:batchGenerateContent`,
      '{"batch":{"inputConfig":{"requests":{"requests":[',
      `{"request":"${'x'.repeat(1009)}"},`,
    ],
  ])(
    '%s',
    async (path, start, filler) => {
      const sent = Array.from({ length: 5 }, () => endless(path, key(), start, 24, undefined, filler))
      try {
        expect(await Promise.race([...sent.map(({ answer }) => answer), Bun.sleep(20_000).then(() => 'all are kept in memory')])).toContain(
          ' 429',
        )
      } finally {
        for (const { close } of sent) close()
      }
    },
    60_000,
  )
})

test('invitations of one person have a number', async () => {
  const boss = await gateway.user('boss', '0')
  const team = await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'team', balance: '1' })
  await gateway.admin.call('POST', `/api/teams/${team.id}/members`, { user: boss.id, role: 'owner' })
  const statuses = new Set<number>()
  for (let made = 0; made < 1_100 && !statuses.has(403); made += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => boss.session.raw('POST', '/api/invitations', { team: team.id })))
    for (const { status } of answers) statuses.add(status)
  }
  expect([...statuses]).toContain(403)
}, 60_000)
