/**
 * The bytes of bodies in progress have a budget by key, at any endpoint and with or without a declared length: endless bodies are refused
 * when together they exceed the budget of a key, and smaller ones are served meanwhile.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { sampledEngine } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream(chatVendor())
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('main', `${upstream.url}/v1`)
  await gateway.price(testModel)
}, 60_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const mebibyte = 1024 * 1024
const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(mebibyte, 'x'), Buffer.from('\r\n')])

/** A chunked body of so many MiB without an end; `answer` is its status line, as soon as there is one. */
function endless(path: string, who: Record<string, string>, start: string, mebibytes: number) {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const headers = { host: `${hostname}:${port}`, 'transfer-encoding': 'chunked', ...who }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${start.length.toString(16)}\r\n${start}\r\n`)
  for (let sent = 0; sent < mebibytes; sent++) socket.write(chunk)
  const answer = new Promise<string>((resolve, reject) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
      if (text.includes('\r\n')) resolve(text.slice(0, text.indexOf('\r\n')))
    })
    // A client that is still sending may lose the answer: the connection is closed with unread bytes.
    socket.on('error', () => reject(new Error('broken')))
    socket.on('close', () => reject(new Error('closed')))
  })
  return { answer, close: () => socket.destroy() }
}

const json = { 'content-type': 'application/json' }
const key = () => ({ authorization: `Bearer ${gateway.key}`, 'anthropic-version': '2023-06-01' })
const session = () => ({ cookie: gateway.admin.cookie, origin: gateway.url })
const says = `{"model":"${testModel}","messages":[{"role":"user","content":"`
const form = 'multipart/form-data; boundary=X'
const part = '--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'

const endpoints: [path: string, who: () => Record<string, string>, start: string, mebibytes: number, bodies: number][] = [
  ['/v1/chat/completions', () => ({ ...key(), ...json }), says, 24, 5],
  ['/v1/messages/count_tokens', () => ({ ...key(), ...json }), says, 24, 5],
  ['/v1/responses', () => ({ ...key(), ...json }), `{"model":"${testModel}","input":"`, 24, 5],
  ['/pg/chat/completions', () => ({ ...session(), ...json }), says, 24, 5],
  ['/pg/preview/gemini', () => ({ ...session(), ...json }), says, 24, 5],
  ['/v1/files', () => ({ ...key(), 'content-type': form }), part, 20, 27],
  ['/v1/audio/transcriptions', () => ({ ...key(), 'content-type': form }), part, 20, 27],
]

test.each(endpoints)(
  '%s',
  async (path, who, start, mebibytes, bodies) => {
    const sent = Array.from({ length: bodies }, () => endless(path, who(), start, mebibytes))
    try {
      expect(await Promise.any(sent.map(({ answer }) => answer))).toContain(' 429')
      const small = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...key(), ...json },
        body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }] }),
      })
      expect(small.status).toBe(200)
    } finally {
      for (const { close } of sent) close()
    }
    // Disconnected clients free their share.
    const again = endless(path, who(), start, mebibytes)
    expect(await Promise.race([again.answer, Bun.sleep(500).then(() => 'read')])).toBe('read')
    again.close()
  },
  60_000,
)
