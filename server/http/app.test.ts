import { expect, test } from 'bun:test'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { createApp } from './app.ts'
import type { Envelope } from './request/route.ts'

const paths = { '/v1/chat/completions': 'chat', '/v1/messages': 'messages' } as const satisfies Record<string, Envelope>

/** An app that accepts nothing, and a peer that counts calls. */
function full() {
  const asked: string[] = []
  const app = createApp({
    routes: Object.entries(paths).map(([path, envelope]) => ({
      ...{ method: 'POST' as const, path, envelope, slow: true },
      handle: () => Promise.reject(new Error('a refused request was handled')),
    })),
    hosts: { publicUrl: new URL('http://127.0.0.1:3000'), allowedHosts: new Set() },
    isTrustedProxy: () => false,
    ...{ clock, random, log: createLog('silent') },
    fallback: async () => undefined,
    load: { work: { taken: true }, open: { count: 0 }, lagMeter: { isTooMuch: () => true }, maxOpen: 0 },
  })
  const peer = {
    get address() {
      asked.push('address')
      return '127.0.0.1'
    },
    suspendIdleLimit: () => void asked.push('suspendIdleLimit'),
    limitIdle: () => void asked.push('limitIdle'),
    upgrade: () => false,
  }
  const ask = (path: string) =>
    app(new Request(`http://127.0.0.1:3000${path}`, { method: 'POST', headers: { host: '127.0.0.1:3000' }, body: '{}' }), peer)
  return { ask, asked }
}

test('what is too much is refused without a question to its connection, each under its own id', async () => {
  const { ask, asked } = full()
  const answers = await Promise.all([ask('/v1/messages'), ask('/v1/messages')])
  expect(asked).toEqual([])
  const ids = answers.map(({ headers }) => headers.get('request-id'))
  expect(new Set(ids).size).toBe(2)
  for (const [n, answer] of answers.entries()) {
    expect(answer.status).toBe(529)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toMatchObject({ type: 'error', request_id: ids[n] })
  }
})

test("it is refused in the caller's own envelope", async () => {
  const { ask } = full()
  expect(await (await ask('/v1/chat/completions')).json()).toMatchObject({ error: { code: 'overloaded', param: null } })
  expect(await (await ask('/v1/messages')).json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } })
})
