/** The load generator against itself, and against servers that lose events, break off or refuse. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bodyFile } from './bodies.ts'
import { type ClientOptions, runClient, startProvider } from './load.ts'

// Without a compiler the bench cannot run either: it says how to get one.
const compiler = Bun.which('cc') !== null
const folder = mkdtempSync(join(tmpdir(), 'parley-load-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ask = (port: number, more: Partial<ClientOptions>) => {
  const body = bodyFile(folder, { dialect: 'chat', model: 'bench', stream: (more.events ?? 1) > 1, characters: 300 })
  const options = { port, path: '/v1/chat/completions', body, headers: ['authorization: Bearer x'], connections: 3, seconds: 1, events: 1 }
  return runClient({ ...options, once: true, ...more })
}

describe.if(compiler)('the load generator', () => {
  test('whole answers and streams of every dialect arrive complete', async () => {
    const provider = await startProvider()
    try {
      for (const path of ['/v1/chat/completions', '/v1/messages', '/v1beta/models/x:streamGenerateContent']) {
        for (const pace of [0, 5]) {
          await provider.set({ events: 20, pace })
          const streamed = await ask(provider.port, { path, events: 20 })
          expect(streamed).toMatchObject({ ok: 3, broken: 0, failed: 0, unanswered: 0, statuses: { 200: 3 } })
          expect(streamed.late.longest).toBeLessThan(60_000_000)
        }
      }
      expect(await ask(provider.port, { path: '/v1/messages' })).toMatchObject({ ok: 3, broken: 0 })
      expect(await provider.counts()).toEqual({ requests: 21, active: 0, events: 360 })
    } finally {
      provider.end()
    }
  })

  const stamp = '@0000000000000001@'
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const answers: [name: string, answer: string, expected: object][] = [
    ['every byte may arrive alone', `${head}${chunk(`x@1@${stamp}`)}${chunk(stamp)}0\r\n\r\n`, { ok: 3, broken: 0, failed: 0 }],
    ['an event may be split over chunks', `${head}${chunk(stamp + stamp.slice(0, 5))}${chunk(stamp.slice(5))}0\r\n\r\n`, { ok: 3 }],
    ['an answer without a length ends with the connection', `HTTP/1.1 200 OK\r\n\r\n${stamp}${stamp}`, { ok: 3, broken: 0, failed: 0 }],
    ['an answer that lacks an event is broken', `HTTP/1.1 200 OK\r\ncontent-length: 18\r\n\r\n${stamp}`, { ok: 0, broken: 3, failed: 0 }],
    ['a stream that breaks off has failed', head + chunk(stamp), { ok: 0, broken: 0, failed: 3, statuses: {} }],
    [
      'a refusal is told apart',
      'HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n',
      { named: 0, ok: 0, broken: 0, failed: 0, statuses: { 503: 3 } },
    ],
  ]
  test.each(answers)('%s', async (_, answer, expected) => {
    const server = answering(answer)
    try {
      expect(await ask(server.port, { events: 2 })).toMatchObject(expected)
    } finally {
      server.stop(true)
    }
  })
})

/** A server that answers each connection with these bytes, one by one, and then closes it. */
function answering(answer: string) {
  return Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async data(socket) {
        for (const byte of answer) {
          socket.write(byte)
          await new Promise((resolve) => setImmediate(resolve))
        }
        socket.end()
      },
    },
  })
}
