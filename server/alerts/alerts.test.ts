/** The outbox over a real database and real receivers on this machine. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type AddressInfo, createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { systemClock, systemRandom } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import type { NewAlertHook } from '#shared/console/alert'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { selfSigned } from '#testing/upstream/self-signed'
import { createAddressCheck } from '#upstream/addresses'
import { createHttpUpstream } from '#upstream/http'
import { type Alerts, createAlerts } from './alerts.ts'
import { createSend } from './send.ts'

const by = { id: 'admin', name: 'admin' }
const notice = (once: string) => ({ kind: 'breaker' as const, once, data: { text: `about ${once}`, link: null, subject: null, facts: {} } })

describe.each(sampledEngines(import.meta.file))('alerts on %s', (engine) => {
  let base: Throwaway
  let now = Date.UTC(2026, 4, 5, 12)
  let alerts: Alerts
  const heard: { id: string | null; text: string }[] = []
  let answers: (() => Response)[] = []
  const receiver = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      heard.push({ id: request.headers.get('webhook-id'), text: await request.text() })
      return (answers.shift() ?? (() => new Response('ok')))()
    },
  })
  const hook = (fields: Partial<NewAlertHook> = {}): NewAlertHook => ({
    name: 'ops',
    form: 'http',
    url: `${receiver.url}in?token=hush`,
    ...fields,
  })

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    const clock = { ...systemClock, now: () => now }
    const check = createAddressCheck({ clock: systemClock })
    const send = createSend({ upstream: createHttpUpstream(check, systemClock), check, clock })
    alerts = createAlerts({
      store: base.store,
      sealer: sealer('ab'.repeat(32)),
      clock,
      random: systemRandom,
      log: createLog('silent'),
      send,
    })
  }, 60_000)
  beforeEach(() => runSql(base.store, 'truncate alerts, alert_hooks cascade'))
  afterEach(() => {
    heard.length = 0
    answers = []
  })
  afterAll(async () => {
    await receiver.stop(true)
    await base.close()
  })

  test('sent once, however often and by whichever instance it is noticed', async () => {
    await alerts.create(by, hook())
    await Promise.all([alerts.note([notice('a')]), alerts.note([notice('a'), notice('b')]), alerts.note([notice('a')])])
    await alerts.note([notice('a')])
    expect(await alerts.deliver()).toBe(2)
    expect(await alerts.deliver()).toBe(0)
    expect(heard.map(({ text }) => JSON.parse(text).data.text).sort()).toEqual(['about a', 'about b'])
  })

  test('tried again until it is there, with the same id, and given up after the eighth time', async () => {
    await alerts.create(by, hook())
    answers = [() => new Response('', { status: 500 }), () => new Response('', { status: 302, headers: { location: '/' } })]
    await alerts.note([notice('a')])
    await alerts.deliver()
    expect(await alerts.deliver()).toBe(0)
    now += 5_000
    await alerts.deliver()
    now += 30_000
    await alerts.deliver()
    expect(new Set(heard.map(({ id }) => id)).size).toBe(1)
    expect((await alerts.page({ limit: 10 })).data).toMatchObject([{ state: 'sent', tries: 3, answer: 'HTTP 200' }])

    answers = Array.from({ length: 8 }, () => () => new Response('', { status: 503 }))
    await alerts.note([notice('b')])
    let tries = 0
    for (let step = 0; step < 12; step++) {
      tries += await alerts.deliver()
      now += 21_600_000
    }
    expect(tries).toBe(8)
    const { data } = await alerts.page({ limit: 10, state: 'dead' })
    expect(data).toMatchObject([{ state: 'dead', tries: 8, answer: 'HTTP 503', nextTryAt: null }])
    await alerts.retry(by, data[0]?.id ?? '')
    expect(alerts.retry(by, data[0]?.id ?? '')).rejects.toMatchObject({ code: 'not_found' })
    await alerts.deliver()
    expect((await alerts.page({ limit: 10, state: 'dead' })).data).toEqual([])
  })

  test('taken by one instance at a time; if that one dies, another takes it', async () => {
    await alerts.create(by, hook())
    const died = Promise.withResolvers<Response>()
    answers = [() => died.promise as unknown as Response]
    await alerts.note([notice('a')])
    const first = alerts.deliver()
    while (heard.length === 0) await Bun.sleep(5)
    expect(await alerts.deliver()).toBe(0)
    now += 60_001
    expect(await alerts.deliver()).toBe(1)
    died.resolve(new Response('', { status: 500 }))
    await first
    expect(heard).toHaveLength(2)
    expect(heard[0]?.id).toBe(heard[1]?.id ?? '')
  })

  test('a place gets only the kinds that it subscribed to, while it is on', async () => {
    await alerts.create(by, hook({ name: 'money', kinds: ['budget'] }))
    await alerts.create(by, hook({ name: 'off', enabled: false }))
    await alerts.note([notice('a')])
    expect(await alerts.deliver()).toBe(0)
  })

  test('secrets are not shown, and stay with the row', async () => {
    const { row, secret } = await alerts.create(by, hook())
    expect(secret).toStartWith('whsec_')
    expect(JSON.stringify([row, await alerts.hooks()])).not.toMatch(/hush|whsec/)
    expect(row.address).toBe(receiver.url.origin)
    expect(await alerts.test(row.id)).toEqual({ ok: true, answer: 'HTTP 200' })
    await alerts.change(by, row.id, { name: 'other', enabled: false })
    expect(await alerts.test(row.id)).toEqual({ ok: true, answer: 'HTTP 200' })
    await alerts.remove(by, row.id)
    expect(alerts.test(row.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each([
    [{ url: 'http://169.254.169.254/latest' }, 'url'],
    [{ url: 'http://[::ffff:169.254.169.254]/' }, 'url'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'http://user:pass@example.com/' }, 'url'],
    [{ form: 'smtp' as const, url: 'smtp://169.254.169.254:25', from: 'a@b.c', to: ['d@e.f'] }, 'url'],
    [{ form: 'smtp' as const, url: 'https://example.com', from: 'a@b.c', to: ['d@e.f'] }, 'url'],
    [{ form: 'smtp' as const, url: 'smtp://example.com', to: ['d@e.f'] }, 'from'],
    [{ to: ['d@e.f'] }, 'to'],
  ])('%j is refused', async (fields, param) => {
    expect(alerts.create(by, hook(fields))).rejects.toMatchObject({ code: 'invalid_value', param })
  })

  test('by mail, to a server that reports what it received', async () => {
    let received = ''
    const server = createServer((socket) => {
      let inData = false
      socket.write('220 here\r\n')
      socket
        .on('error', () => {})
        .on('data', (bytes) => {
          for (const line of bytes.toString().split('\r\n')) {
            if (inData) {
              if (line === '.') {
                inData = false
                socket.write('250 taken\r\n')
              } else received += `${line}\n`
            } else if (/^EHLO/.test(line)) socket.write('250 here\r\n')
            else if (/^DATA/.test(line)) {
              inData = true
              socket.write('354 go on\r\n')
            } else if (/^QUIT/.test(line)) socket.end('221 bye\r\n')
            else if (line !== '') {
              received += `${line}\n`
              socket.write('250 ok\r\n')
            }
          }
        })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const fields = { form: 'smtp' as const, url: `smtp://127.0.0.1:${port}`, from: 'parley@example.com', to: ['ops@example.com'] }
    const { row } = await alerts.create(by, hook(fields))
    expect(await alerts.test(row.id)).toEqual({ ok: true, answer: 'accepted' })
    expect(received).toContain('RCPT TO:<ops@example.com>')
    expect(received).toContain('Subject: Parley: This is a test of')
    // A password that a server without encryption would read is not sent.
    const { row: clear } = await alerts.create(by, hook({ ...fields, url: `smtp://user:hush@127.0.0.1:${port}` }))
    expect((await alerts.test(clear.id)).ok).toBe(false)
    expect(received).not.toContain('AUTH')
    server.close()
  })

  test('a mail server that is named by its address is asked by TLS, too, and what it lacks is said', async () => {
    const server = createTlsServer(selfSigned('mail.example.com'), (socket) => socket.on('error', () => {}).end('421 not now\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const fields = { form: 'smtp' as const, from: 'parley@example.com', to: ['ops@example.com'] }
    const { row } = await alerts.create(by, hook({ ...fields, url: `smtps://user:hush@127.0.0.1:${port}` }))
    expect(await alerts.test(row.id)).toEqual({
      ok: false,
      answer: 'The certificate of the mail server is not trusted (NODE_EXTRA_CA_CERTS).',
    })
    server.close()
    const { row: closed } = await alerts.create(by, hook({ ...fields, url: 'smtp://127.0.0.1:9' }))
    expect(await alerts.test(closed.id)).toEqual({ ok: false, answer: 'The mail server cannot be reached.' })
  })
})
