/** A listening connection that dies silently: its instance notices, and listens again. */
import { expect, test } from 'bun:test'
import { createServer, connect as dial } from 'node:net'
import postgres from 'postgres'
import { systemClock } from '#runtime/clock'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { handClock } from '#testing/hand-clock'
import { listenTo, pulseMs } from './listening.ts'

/** A way to the server on which connections that listen can be made silent: they stay open, and nothing passes. */
async function silenceable(target: string) {
  const { hostname, port } = new URL(target)
  const listening: { silent: boolean }[] = []
  const server = createServer((client) => {
    const mine = { silent: false }
    const through = dial(Number(port), hostname)
    for (const [from, to] of [
      [client, through],
      [through, client],
    ] as const) {
      from.on('data', (bytes) => {
        if (bytes.toString('latin1').toLowerCase().includes('listen "')) listening.push(mine)
        if (!mine.silent) to.write(bytes)
      })
      from.on('error', () => {}).on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: `${own}` }).href,
    listening,
    close: () => server.close(),
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (isSo()) return
    await systemClock.sleep(25)
  }
  throw new Error('it never came')
}

test.if(engines.includes('postgres'))(
  'is replaced within two pulses, and what was missed is asked for',
  async () => {
    const database = await newPostgresDatabase()
    const way = await silenceable(database.url)
    const client = postgres(database.url, { max: 1, onnotice: () => {} })
    const clock = handClock()
    const received: string[] = []
    let missed = 0
    let pulses = 0
    const listening = await listenTo({
      ...{ clock, url: way.url, name: 'test', channel: 'parley', pulse: 'me:pulse:' },
      received: (payload) => void received.push(payload),
      missed() {
        missed += 1
      },
      async notify(payload) {
        await client.notify('parley', payload)
        pulses += 1
      },
    })
    try {
      await client.notify('parley', 'one')
      await until(() => received.length === 1)
      // A connection that receives its pulses is kept.
      for (let n = 1; n <= 3; n++) {
        await clock.advance(pulseMs)
        await until(() => pulses === n)
        await client.notify('parley', `after ${n}`)
        await until(() => received.length === 1 + n)
      }
      expect([missed, way.listening.length]).toEqual([0, 1])

      for (const each of way.listening) each.silent = true
      await client.notify('parley', 'lost')
      await clock.advance(pulseMs)
      await until(() => pulses === 4)
      await clock.advance(pulseMs)
      await until(() => missed === 1)
      expect(way.listening).toHaveLength(2)
      await client.notify('parley', 'two')
      await until(() => received.includes('two'))
      expect(received).not.toContain('lost')
    } finally {
      await listening.close()
      await client.end({ timeout: 1 })
      way.close()
      await database.drop()
    }
    expect(clock.pending()).toBe(0)
  },
  60_000,
)
