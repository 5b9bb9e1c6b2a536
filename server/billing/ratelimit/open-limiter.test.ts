/** The limiter of a real database: none needed where the process is alone, PostgreSQL in earnest where it is not. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import type { Limits } from '#shared/console/limits'
import { GatewayError } from '#shared/errors'
import { openStore } from '#store/engine/open'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { type Cuttable, cuttable } from '#testing/upstream/cuttable'
import type { Ticket } from './limits.ts'
import { type OpenLimiter, openLimiter } from './open-limiter.ts'

const log = createLog('silent')

test('embedded: never waits, and asks no database', async () => {
  const base = await throwawayDatabase('embedded')
  const limiter = openLimiter({ store: base.store, clock, random, log })
  await base.close()
  const taken = limiter.take([{ id: 'key:a', limits: { rpm: 1 } }], 5)
  expect(taken).not.toBeInstanceOf(Promise)
  expect(() => limiter.take([{ id: 'key:a', limits: { rpm: 1 } }], 5)).toThrow('Too many requests')
  await limiter.close()
}, 60_000)

describe.if(engines.includes('postgres'))('on PostgreSQL', () => {
  let base: Throwaway
  let way: Cuttable
  let folders = 0
  let keys = 0
  const undo: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    base = await throwawayDatabase('postgres')
    way = await cuttable(base.databaseUrl ?? '')
  }, 60_000)
  afterEach(async () => {
    await way.mend()
    for (const step of undo.splice(0).reverse()) await step()
  }, 30_000)
  afterAll(async () => {
    await way.cut()
    await base.close()
  })

  async function begin({ writeOffMs = 30_000, databaseUrl = base.databaseUrl ?? '' } = {}): Promise<OpenLimiter> {
    const store = await openStore({ databaseUrl, dataFolder: join(base.folder, `instance-${++folders}`), clock, random })
    undo.push(() => store.close())
    const limiter = openLimiter({ store, clock, random, log, writeOffMs })
    undo.push(() => limiter.close())
    return limiter
  }
  const newKey = () => `key:${++keys}`

  async function codeOf(limiter: OpenLimiter, id: string, limits: Limits): Promise<string> {
    try {
      await limiter.take([{ id, limits }], 10)
      return 'ok'
    } catch (thrown) {
      return thrown instanceof GatewayError ? thrown.code : String(thrown)
    }
  }

  test('four take what they can at once: the limit, exactly', async () => {
    const all = await Promise.all([begin(), begin(), begin(), begin()])
    for (const limits of [{ rpm: 100 }, { concurrency: 100 }, { tpm: 1009 }]) {
      const id = newKey()
      const codes = await Promise.all(Array.from({ length: 200 }, (_, n) => codeOf(all[n % 4] ?? all[0], id, limits)))
      expect(codes.filter((code) => code === 'ok').length).toBe(100)
      expect(codes.filter((code) => code === 'rate_limit_exceeded').length).toBe(100)
    }
  }, 30_000)

  test('one that closes leaves all of its places, and what it had taken ahead', async () => {
    const [one, two] = [await begin(), await begin()]
    const id = newKey()
    const limits = { concurrency: 4, rpm: 1000 }
    for (let n = 0; n < 4; n++) expect(await codeOf(one, id, limits)).toBe('ok')
    await one.close()
    for (let n = 0; n < 4; n++) expect(await codeOf(two, id, limits)).toBe('ok')
    const { left } = await two.take([{ id, limits: { rpm: 1000 } }], 1)
    expect(left.requests?.remaining).toBe(991)
  }, 30_000)

  test('the last of what another keeps ahead is had within the wait', async () => {
    const [one, two] = [await begin(), await begin()]
    const id = newKey()
    for (let n = 0; n < 30; n++) {
      expect(await codeOf(one, id, { rpm: 60 })).toBe('ok')
      await clock.sleep(5)
    }
    const codes: string[] = []
    for (let n = 0; n < 40; n++) codes.push(await codeOf(two, id, { rpm: 60 }))
    expect(codes.filter((code) => code === 'ok').length).toBe(30)
  }, 30_000)

  test('without the database: within what was taken ahead, then books_unavailable, then as before', async () => {
    const limiter = await begin({ databaseUrl: way.url })
    const [id, cold] = [newKey(), newKey()]
    const limits = { rpm: 10_000, concurrency: 1_000 }
    for (let n = 0; n < 200; n++) {
      const ticket: Ticket = await limiter.take([{ id, limits }], 1)
      ticket.done(1)
      if (n % 20 === 0) await clock.sleep(5)
    }
    await way.cut()
    let served = 0
    let code = 'ok'
    while (code === 'ok' && served < 10_000) {
      code = await codeOf(limiter, id, { rpm: 10_000 })
      served += 1
    }
    expect(served).toBeGreaterThan(20)
    expect(code).toBe('books_unavailable')
    expect(await codeOf(limiter, cold, limits)).toBe('books_unavailable')
    await way.mend()
    for (let tries = 0; tries < 100 && code !== 'ok'; tries++) {
      code = await codeOf(limiter, id, { rpm: 10_000 })
      await clock.sleep(50)
    }
    expect(code).toBe('ok')
    expect(await codeOf(limiter, cold, limits)).toBe('ok')
  }, 30_000)

  test('an instance that is cut off loses its places after the time of the write-off, and has no more than its turn when it is back', async () => {
    const writeOffMs = 1_500
    const [lost, other] = [await begin({ writeOffMs, databaseUrl: way.url }), await begin({ writeOffMs })]
    const id = newKey()
    const limits = { concurrency: 2 }
    expect(await codeOf(lost, id, limits)).toBe('ok')
    // Long enough that an unseen instance must be gone.
    await clock.sleep(writeOffMs + 100)
    expect(await codeOf(other, id, limits)).toBe('ok')
    expect(await codeOf(other, id, limits)).toBe('rate_limit_exceeded')
    await way.cut()
    const cutAt = clock.monotonic()
    while ((await codeOf(other, id, limits)) !== 'ok' && clock.monotonic() - cutAt < 20 * writeOffMs) await clock.sleep(50)
    console.log(`places came back after ${Math.round(clock.monotonic() - cutAt)} ms with a write-off of ${writeOffMs} ms`)
    expect(clock.monotonic() - cutAt).toBeLessThan(20 * writeOffMs)
    expect(await codeOf(lost, id, limits)).toBe('books_unavailable')
    await way.mend()
    let code = 'books_unavailable'
    for (let tries = 0; tries < 100 && code === 'books_unavailable'; tries++) {
      code = await codeOf(lost, id, limits)
      await clock.sleep(50)
    }
    expect(code).toBe('rate_limit_exceeded')
  }, 60_000)
})
