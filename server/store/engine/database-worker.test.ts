import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { settings } from '#db/schema'
import { systemClock as clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { workerProbe as module } from '#testing/database/worker-probe'
import { returned } from './rows.ts'
import { sqlState } from './sql-state.ts'

/** Nothing else of this thread runs for so many milliseconds. */
const block = (ms: number) => {
  for (const until = clock.monotonic() + ms; clock.monotonic() < until; );
}
const failure = (work: Promise<unknown> | undefined) =>
  Promise.resolve(work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe.each([...engines])('the worker beside the engine %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  const call = (name: string, payload?: unknown, more: { withinMs?: number; transfer?: ArrayBuffer[] } = {}) =>
    base.store.worker?.call({ module, name, payload, ...more })
  /** Again, until a worker that has died is there again. */
  async function recovered(): Promise<unknown> {
    for (;;) {
      const answer = await call('echo', 'again')?.catch((thrown: unknown) => expect(thrown).toBeInstanceOf(GatewayError))
      if (answer !== undefined) return answer
      await clock.sleep(20)
    }
  }

  test('answers calls in their order, with everything that plain data can be', async () => {
    const payloads = [1n, 'ü', new Date(1), new Map([['a', { b: -5n }]]), undefined, [null]]
    const answers = await Promise.all(payloads.map((payload) => call('echo', payload)))
    for (const [n, payload] of payloads.entries()) expect(answers[n]).toEqual({ payload, seen: payloads.slice(0, n + 1), engine })
  })

  test('hands buffers over', async () => {
    const bytes = new Uint8Array(1_000_000).fill(1).buffer
    expect(await call('sum', bytes, { transfer: [bytes] })).toBe(1_000_000)
    expect(bytes.byteLength).toBe(0)
  })

  test('tells what went wrong by SQLSTATE', async () => {
    expect(sqlState(await failure(call('run', 'select 1/0')))).toBe('22012')
    expect(String(await failure(call('nothing')))).toContain('there is no nothing in the module')
  })

  test('commits and rolls back', async () => {
    await call('twice', `insert into settings (name, value) values (gen_random_uuid()::text, '"twice"')`)
    const failed = await failure(call('twice', `insert into settings (name, value) values ('once', '"twice"')`))
    expect(sqlState(failed)).toBe('23505')
    expect(await call('run', `select count(*)::int as n from settings where value = '"twice"'`)).toEqual([{ n: 2 }])
  })

  test('says so when the database does not answer in time', async () => {
    const failed = await failure(call('wait', 200, { withinMs: 20 }))
    expect(failed).toMatchObject({ code: 'books_unavailable', cause: { message: 'no answer within 20 ms' } })
    expect(await call('echo', 'next', { withinMs: 1_000 })).toMatchObject({ payload: 'next' })
  })

  test('does not take a busy main thread for a database that is away', async () => {
    const answers = Promise.all([call('wait', 10, { withinMs: 500 }), call('echo', 'busy', { withinMs: 500 })])
    block(1_500)
    expect(await answers).toMatchObject([undefined, { payload: 'busy' }])
  })

  test('never gets into a transaction of the main thread, and does not count its time', async () => {
    const found = `select count(*)::int as n from settings where name = 'in between'`
    const { db } = base.store
    let answer: unknown
    await db.transaction(async (tx) => {
      await tx.insert(settings).values({ name: 'in between', value: 1 })
      const asked = call('run', found, { withinMs: 400 })
      block(600)
      // On PostgreSQL the worker has connections of its own.
      if (engine === 'postgres') answer = await asked
      else void asked?.then((rows) => (answer = rows))
      await tx.delete(settings)
      await tx.insert(settings).values({ name: 'in between', value: 2 })
      if (engine === 'embedded') expect(answer).toBeUndefined()
    })
    await call('echo', '')
    expect(answer).toEqual([{ n: engine === 'postgres' ? 0 : 1 }])
  })

  test('goes before what waits', async () => {
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    const queries = Array.from({ length: 20 }, () => base.store.db.execute(sql`select pg_sleep(0.01)`).then(note('query')))
    await Promise.resolve()
    await Promise.all([...queries, call('echo', 'first')?.then(note('call'))])
    expect(order.indexOf('call')).toBeLessThan(5)
  })

  test('that dies is a database that does not answer, and is started again', async () => {
    await call('run', `insert into settings (name, value) values ('kept', '1')`)
    await call('dieAfter', 50)
    expect(await failure(call('wait', 60_000))).toMatchObject({ code: 'books_unavailable' })
    expect(await recovered()).toEqual({ payload: 'again', seen: ['again'], engine })
    expect(returned<{ n: number }>(await base.store.db.execute(sql`select count(*)::int as n from settings where name = 'kept'`))).toEqual([
      { n: 1 },
    ])
  })

  if (engine === 'embedded') {
    test('that dies ends a transaction of the main thread, whose rest is never run', async () => {
      const { db } = base.store
      await call('dieAfter', 100)
      const lost = db.transaction(async (tx) => {
        while ((await failure(tx.insert(settings).values({ name: crypto.randomUUID(), value: 'lost' }))) === undefined);
        await recovered()
        await tx.insert(settings).values({ name: 'rest', value: 'lost' })
      })
      expect(await failure(lost)).toMatchObject({ code: 'books_unavailable' })
      expect(await db.select().from(settings).where(eq(settings.value, 'lost'))).toEqual([])
    })
  }

  test('rejects everything once the store is closed', async () => {
    await base.store.close()
    expect(await failure(call('echo'))).toMatchObject({ code: 'books_unavailable' })
  })
})
