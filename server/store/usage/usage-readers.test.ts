/** Reports end when their client disconnects, and on the embedded engine the accounts do not wait for them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { systemClock as clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { returned } from '#store/engine/rows'
import { inReport } from '#store/ledger/report'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { workerProbe as module } from '#testing/database/worker-probe'
import { addUpUsage } from './usage.ts'

const month = { from: new Date('2026-03-01'), to: new Date('2026-04-01'), timezone: 'UTC', filter: {}, limit: 200 } as const

/** Not `expect(work).rejects`, which would hold this thread until then. */
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (thrown) => (thrown instanceof GatewayError ? thrown.code : thrown),
  )

describe.if(engines.includes('postgres'))('on PostgreSQL', () => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase('postgres')
  }, 60_000)
  afterAll(() => base.close())

  test('the statement of a report is cancelled when its reader leaves', async () => {
    const { db } = base.store
    const waiting = async () => returned(await db.execute(sql`select pid from pg_locks where not granted`)).length
    const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = db.transaction(async (tx) => {
      await tx.execute(sql`lock table logs in access exclusive mode`)
      locked.resolve()
      await over.promise
    })
    await locked.promise
    const reader = new AbortController()
    const ended = codeOf(addUpUsage(base.store, { ...month, by: ['model'] }, reader.signal))
    while ((await waiting()) === 0) await clock.sleep(5)
    reader.abort()
    expect(await ended).toBe('client_closed_request')
    expect(await waiting()).toBe(0)
    over.resolve()
    await holding
    expect(await addUpUsage(base.store, { ...month, by: ['model'] }, new AbortController().signal)).toEqual([])
  })

  test('one that takes too long ends, and says so', async () => {
    const slow = inReport(base.store, undefined, async (tx) => {
      await tx.execute(sql`set local statement_timeout = '20ms'`)
      return tx.execute(sql`select pg_sleep(60)`)
    })
    expect(await codeOf(slow)).toBe('overloaded')
  })
})

describe('on the embedded engine', () => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase('embedded')
    // An hour whose rows are many, and some in every other hour of a month: nothing has been added up yet.
    await base.store.db.execute(sql`
      insert into logs (request_id, at, user_id, "group", model, operation, dialect, stream, status, "end", cost, charged, losses, total_ms)
      select 'r' || n, '2026-03-10T10:00:00Z'::timestamptz + n * interval '0.7 seconds', 'u' || n % 3, 'g', 'm', 'generate', 'chat', true, 200, 'complete',
        n, n, '[]'::jsonb, n % 1000 from generate_series(1, 5000) n
      union all
      select 's' || n, '2026-03-01T00:30:00Z'::timestamptz + n * interval '1 hour', 'u' || n % 3, 'g', 'm', 'generate', 'chat', true, 200, 'complete',
        n, n, '[]', n % 1000 from generate_series(1, 600) n`)
  }, 60_000)
  afterAll(() => base.close())

  test('a report goes in pieces: what the accounts ask meanwhile comes in between', async () => {
    const { worker } = base.store
    const ask = async () => worker?.call({ module, name: 'run', payload: 'select 1' })
    await ask()
    const events: string[] = []
    const report = addUpUsage(base.store, { ...month, by: ['day'] }).then(() => void events.push('reported'))
    for (let n = 0; n < 3; n++) await ask().then(() => void events.push('accounts'))
    await report
    expect(events).toEqual(['accounts', 'accounts', 'accounts', 'reported'])
  }, 60_000)

  test('it ends between two pieces when its reader leaves', async () => {
    const reader = new AbortController()
    const ended = codeOf(addUpUsage(base.store, { ...month, by: ['day'] }, reader.signal))
    reader.abort()
    expect(await ended).toBe('client_closed_request')
  })

  test('its pieces add up to what the rows say', async () => {
    const [all] = await addUpUsage(base.store, { ...month, by: [] })
    expect([all?.cost, all?.figures.requests]).toEqual([BigInt((5000 * 5001 + 600 * 601) / 2), 5600])
    expect(all?.totalMs?.p50).toBeGreaterThan(400)
    const users = await addUpUsage(base.store, { ...month, by: ['user'] })
    expect(users.map(({ keys, figures }) => [keys, figures.requests])).toEqual([
      [['u0'], 1866],
      [['u1'], 1867],
      [['u2'], 1867],
    ])
    const hour = { from: new Date('2026-03-10T10:20:00Z'), to: new Date('2026-03-10T10:40:00Z') }
    const [cut] = await addUpUsage(base.store, { ...month, ...hour, by: [] })
    // Rows 1715 to 3428 are 0.7 seconds apart; the other of that hour comes at half past.
    expect(cut?.figures.requests).toBe(3428 - 1715 + 1 + 1)
  }, 60_000)
})
