/** Months of usage rows: made ahead, made late, made by several at once; and a database from before there were any. */
import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { openStore } from '#store/engine/open'
import { returned } from '#store/engine/rows'
import { lockNotAvailable, sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { engines, sampledEngine, sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { putUsageRow } from '#testing/usage-row'
import { addMonths, dropMonths } from './log-months.ts'
import { findLog, pageLogs } from './logs.ts'
import { addUpUsage } from './usage.ts'

/** How long money waits for one call, in milliseconds. */
const callMs = 2_000

let base: Throwaway
afterEach(() => base?.close())

/** Names of the partitions, with how many rows lie in each. */
async function months({ db }: Store): Promise<Record<string, number>> {
  const rows = returned<{ name: string; n: number }>(
    await db.execute(sql`
      select c.relname as name, (select count(*)::int from logs where logs.tableoid = c.oid) as n
      from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'logs'::regclass order by 1`),
  )
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

const put = (store: Store, requestId: string, at: string) => putUsageRow(store, { requestId, at: new Date(at), userId: 'u' })

describe.each(sampledEngines(import.meta.file))('months of usage rows on %s', (engine) => {
  test('rows find their month, or the default until it is made', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    expect(await months(store)).toEqual({ logs_default: 0 })
    await put(store, 'early', '2025-11-30T23:59:59.999Z')
    await put(store, 'first', '2025-12-01T00:00:00Z')
    await put(store, 'last', '2026-02-28T23:59:59.999Z')
    await put(store, 'later', '2026-03-01T00:00:00Z')
    expect(await months(store)).toEqual({ logs_default: 4 })
    await addMonths(store, new Date('2025-12-31T23:00:00Z'))
    const made = { logs_2025_12: 1, logs_2026_01: 0, logs_2026_02: 1, logs_default: 2 }
    expect(await months(store)).toEqual(made)
    await addMonths(store, new Date('2025-12-01T00:00:00Z'))
    expect(await months(store)).toEqual(made)
    await put(store, 'now', '2026-01-15T12:00:00Z')
    expect(await months(store)).toEqual({ ...made, logs_2026_01: 1 })
    expect((await pageLogs(store, { limit: 9 })).rows.map((row) => row.requestId)).toEqual(['later', 'last', 'now', 'first', 'early'])
    const first = await pageLogs(store, { limit: 2 })
    expect((await pageLogs(store, { limit: 2, after: first.next ?? '' })).rows.map((row) => row.requestId)).toEqual(['now', 'first'])
    expect((await findLog(store, 'first'))?.at.toISOString()).toBe('2025-12-01T00:00:00.000Z')
  }, 60_000)

  test('made by several at once, under writes, they are made once and no row is lost', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const write = (n: number) => put(store, `r${n}`, `2026-0${(n % 3) + 1}-10T00:00:00Z`)
    const make = () => addMonths(store, new Date('2026-01-10T00:00:00Z'))
    await Promise.all([0, 1, 2, 3].map(write))
    await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 30 === 10 ? make() : write(n))))
    const found = await pageLogs(store, { limit: 200 })
    expect(found.rows.length).toBe(97)
    expect(await months(store)).toEqual({ logs_2026_01: 34, logs_2026_02: 30, logs_2026_03: 33, logs_default: 0 })
  }, 60_000)
})

/** The statements of one migration. */
const statements = (tag: string) =>
  readFileSync(`${import.meta.dirname}/../../../db/migrations/${tag}.sql`, 'utf8').split('--> statement-breakpoint')

test.if(engines.includes('postgres'))(
  'old months that a report is reading are left for later, and nobody who settles waits for it',
  async () => {
    base = await throwawayDatabase('postgres')
    const { store } = base
    await addMonths(store, new Date('2025-01-10T00:00:00Z'))
    const reading = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    const report = store.db.transaction(async (tx) => {
      await tx.execute(sql`select count(*) from logs`)
      reading.resolve()
      await over.promise
    })
    await reading.promise
    const dropped = dropMonths(store, new Date('2026-01-01T00:00:00Z')).then(() => 'dropped', sqlState)
    // The lock is requested: later statements wait behind it.
    const asked = () => store.db.execute(sql`select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'`)
    while (returned(await asked()).length === 0);
    const started = clock.monotonic()
    await put(store, 'settled', '2026-01-15T12:00:00Z')
    expect(clock.monotonic() - started).toBeLessThan(callMs / 2)
    expect(await dropped).toBe(lockNotAvailable)
    over.resolve()
    await report
    expect(await dropMonths(store, new Date('2026-01-01T00:00:00Z'))).toBe(true)
  },
  60_000,
)

test.if(engines.includes('postgres'))(
  'a row is found while its month is being made',
  async () => {
    base = await throwawayDatabase('postgres')
    const { store } = base
    const at = '2026-01-15T12:00:00Z'
    await put(store, 'moved', at)
    let found: ReturnType<typeof findLog> | undefined
    await store.db.transaction(async (tx) => {
      await tx.execute(sql`select logs_add_month(${at}::timestamptz)`)
      found = findLog(store, 'moved')
      const waiting = () =>
        tx.execute(
          sql`select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
        )
      while (returned(await waiting()).length === 0);
    })
    expect((await found)?.requestId).toBe('moved')
  },
  60_000,
)

test('rows from before there were months are all there, in theirs', async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  const { store } = base
  const before = statements('0000_first').find((text) => text.includes('CREATE TABLE "logs"')) ?? ''
  await store.db.execute(sql`drop table logs, usage_hours, usage_marks`)
  await store.db.execute(sql`drop function logs_mark_hours, logs_mark_gone, logs_add_month`)
  await store.db.execute(sql.raw(before))
  await store.db.execute(sql`create index logs_at on logs (at)`)
  await store.db.execute(sql`create index logs_user_at on logs (user_id)`)
  await store.db.execute(sql`
    insert into logs (request_id, at, user_id, "group", model, operation, dialect, stream, status, "end", cost, charged, losses, total_ms, attempts)
    select 'r' || n, timestamptz '2025-11-01 00:00Z' + n * interval '1 day', 'u', 'g', repeat(md5(n::text), 100), 'generate', 'chat', true, 200,
      'complete', n, n, '[]', 5, '[]' from generate_series(0, 89) n`)
  await store.db.transaction(async (tx) => {
    for (const statement of statements('0007_usage')) await tx.execute(sql.raw(statement))
    // What later versions did to the table.
    const later = statements('0016_row_costs').filter((text) => /(TABLE|INDEX|ON) "logs/.test(text))
    const ofMarks = statements('0031_usage_parts').filter((text) => text.includes('ALTER TABLE "usage_marks" ADD'))
    const ofTeams = statements('0032_teams').filter((text) => /ALTER TABLE "(logs|usage_hours)"/.test(text))
    for (const statement of [...later, ...ofMarks, ...ofTeams]) await tx.execute(sql.raw(statement))
  })
  expect(await months(store)).toEqual({ logs_2025_11: 30, logs_2025_12: 31, logs_2026_01: 29, logs_default: 0 })
  const whole = { from: new Date('2025-11-01'), to: new Date('2026-02-01'), by: [], timezone: 'UTC', filter: {}, limit: 1 }
  expect(await addUpUsage(store, whole)).toMatchObject([{ cost: 4005n, charged: 4005n, figures: { requests: 90 } }])
  expect(await findLog(store, 'r89')).toMatchObject({ cost: 89n, upstreamCost: null, lines: null })
}, 60_000)

test('a row that came before its month is found again after a restart', async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
  await put(base.store, 'r', '2026-01-10T00:00:00Z')
  await addMonths(base.store, new Date('2026-01-10T00:00:00Z'))
  await base.store.close()
  const { folder, databaseUrl } = base
  const again = await openStore({ dataFolder: folder, ...(databaseUrl !== undefined && { databaseUrl }), clock, random })
  try {
    expect((await findLog(again, 'r'))?.requestId).toBe('r')
  } finally {
    await again.close()
  }
}, 60_000)
