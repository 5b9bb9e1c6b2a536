/** Sums of usage against sums of the ledger's own rows, whatever has been added up, came late, or was dropped. */
import { afterEach, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { GatewayError } from '#shared/errors'
import { returned } from '#store/engine/rows'
import type { NewLog } from '#store/ledger/ledger'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { sampled } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { insertLog, insertLogs, usageRow } from '#testing/usage-row'
import { addMonths, dropMonths } from './log-months.ts'
import { pageLogs } from './logs.ts'
import { addUpUsage } from './usage.ts'
import { addUpHours, thinMarks } from './usage-hours.ts'
import type { UsageKey, UsageQuestion } from './usage-question.ts'
import { rollUpDays } from './usage-rollups.ts'
import type { UsageSums } from './usage-sums.ts'

const day = 86_400_000
const start = Date.UTC(2026, 0, 30)

/** To PostgreSQL many of these are abbreviations too, which have no summer. Then some whose midnights divide hours. */
const zones = ['CET', 'EET', 'MET', 'WET', 'EST', 'MST', 'HST', 'EST5EDT', 'PST8PDT', 'GB', 'Asia/Kathmandu', 'Australia/Lord_Howe']

let base: Throwaway
afterEach(() => base?.close())

function randomRow(fraction: (below: number) => number, n: number): NewLog {
  const fresh = fraction(1000)
  return usageRow({
    requestId: `req-${n}`,
    at: new Date(start + fraction(4 * day)),
    userId: `u${fraction(3)}`,
    keyId: fraction(4) === 0 ? null : `k${fraction(3)}`,
    key: 'a key',
    group: `g${fraction(2)}`,
    model: `m${fraction(3)}`,
    channel: fraction(3) === 0 ? null : `c${fraction(2)}`,
    end: fraction(5) === 0 ? 'error' : 'complete',
    cost: BigInt(fraction(1_000_000)),
    upstreamCost: fraction(2) === 0 ? null : BigInt(fraction(1_000_000)),
    totalMs: fraction(20_000),
    firstTokenMs: fraction(2) === 0 ? null : fraction(3_000),
    usage: {
      in: {
        fresh,
        cacheRead: fraction(9),
        cacheWrite: { '5m': fraction(9), '1h': fraction(9), other: fraction(9) },
        audio: fraction(9),
        image: fraction(9),
      },
      out: { total: fraction(500), reasoning: fraction(9), audio: fraction(9), image: fraction(9) },
      units: { requests: 1, images: fraction(9), seconds: fraction(9) / 4, characters: fraction(9), searches: fraction(9) },
      provenance: 'provider',
      raw: null,
    },
  })
}

const keyOf: Record<UsageKey, (row: NewLog, zone: string) => string> = {
  model: (row) => row.model,
  key: (row) => row.keyId ?? '',
  user: (row) => row.userId,
  team: () => '',
  group: (row) => row.group,
  channel: (row) => row.channel ?? '',
  hour: (row) => `${row.at.toISOString().slice(0, 13)}:00:00Z`,
  day: (row, zone) => new Intl.DateTimeFormat('sv', { timeZone: zone }).format(row.at),
}

type Expected = Pick<UsageSums, 'keys' | 'cost' | 'upstreamCost' | 'margin'> & {
  requests: number
  errors: number
  fresh: number
  seconds: number
  written: number
}

/** The same from the rows themselves. */
function expected(rows: readonly NewLog[], { from, to, by, timezone, filter }: UsageQuestion): Expected[] {
  const found = new Map<string, Expected>()
  for (const row of rows) {
    if (row.at < from || row.at >= to) continue
    if (Object.entries(filter).some(([name, value]) => keyOf[name as UsageKey](row, timezone) !== value)) continue
    const keys = by.map((key) => keyOf[key](row, timezone))
    const none = { keys, cost: 0n, upstreamCost: null, margin: null, requests: 0, errors: 0, fresh: 0, seconds: 0, written: 0 }
    const sum = found.get(keys.join('\n')) ?? none
    const upstream = row.upstreamCost ?? null
    const { cacheWrite } = row.usage?.in ?? { cacheWrite: { '5m': 0, '1h': 0, other: 0 } }
    found.set(keys.join('\n'), {
      keys,
      cost: sum.cost + row.cost,
      upstreamCost: upstream === null ? sum.upstreamCost : (sum.upstreamCost ?? 0n) + upstream,
      margin: upstream === null ? sum.margin : (sum.margin ?? 0n) + row.cost - upstream,
      requests: sum.requests + 1,
      errors: sum.errors + (row.end === 'error' ? 1 : 0),
      fresh: sum.fresh + (row.usage?.in.fresh ?? 0),
      seconds: sum.seconds + (row.usage?.units.seconds ?? 0),
      written: sum.written + cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other,
    })
  }
  return [...found.values()].sort((a, b) => (a.keys.join('\n') < b.keys.join('\n') ? -1 : 1))
}

const asExpected = ({ keys, cost, upstreamCost, margin, figures }: UsageSums): Expected => {
  const { requests, errors, fresh, seconds, cache_write: written } = figures
  return { keys, cost, upstreamCost, margin, requests, errors, fresh, seconds, written }
}

const all: UsageQuestion = { from: new Date(start), to: new Date(start + 4 * day), by: [], timezone: 'UTC', filter: {}, limit: 10_000 }

function questions(fraction: (below: number) => number): UsageQuestion[] {
  const cut = { from: new Date(start + fraction(day)), to: new Date(start + 2 * day + fraction(day)) }
  return [
    all,
    { ...all, by: ['model'] },
    { ...all, by: ['key', 'user'] },
    { ...all, by: ['hour', 'channel'] },
    { ...all, by: ['day'], timezone: 'America/New_York' },
    { ...all, by: ['day', 'group'], timezone: 'Asia/Kathmandu' },
    { ...all, ...cut, by: ['day'] },
    { ...all, ...cut, by: ['model', 'day'], filter: { user: 'u1', group: 'g0' } },
    { ...all, by: ['hour'], filter: { key: 'k1', channel: 'c1', model: 'm2' } },
  ]
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (thrown) {
    return thrown instanceof GatewayError ? { code: thrown.code, param: thrown.param } : thrown
  }
}

describe.each(sampledEngines(import.meta.file))('usage, added up, on %s', (engine) => {
  test('is the same before and after hours are added up, in part, twice, and with rows that come late', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const fraction = seeded(7).below
    const rows: NewLog[] = []
    const write = async (many: number) => {
      const fresh = Array.from({ length: many }, (_, n) => randomRow(fraction, rows.length + n))
      rows.push(...fresh)
      await insertLogs(store, fresh)
    }
    const check = async () => {
      for (const question of questions(fraction)) {
        const sums = await addUpUsage(store, question)
        expect(sums.map(asExpected)).toEqual(expected(rows, question))
      }
    }
    await addMonths(store, new Date(start))
    await write(120)
    await check()
    expect(await addUpHours(store, new Date(start + 2 * day))).toBe(24)
    await check()
    while ((await addUpHours(store, new Date(start + 3 * day))) > 0);
    await thinMarks(store)
    await check()
    expect(await rollUpDays(store)).toBe(2)
    await check()
    await write(60)
    await check()
    while ((await addUpHours(store, new Date(start + 4 * day))) > 0);
    expect(returned(await store.db.execute(sql`select 1 from usage_marks`))).toEqual([])
    await check()
    while ((await rollUpDays(store)) > 0);
    expect(returned(await store.db.execute(sql`select 1 from usage_rollup_marks`))).toEqual([])
    await check()
    expect(await addUpHours(store, new Date(start + 9 * day))).toBe(0)
    // Written twice is written once, and marks an hour for nothing.
    await insertLogs(store, rows.slice(0, 5))
    await check()
    await store.db.execute(sql`insert into usage_marks (hour) select distinct hour from usage_hours`)
    await addUpHours(store, new Date(start + 4 * day))
    await check()
    while ((await rollUpDays(store)) > 0);
    await check()
  }, 120_000)

  test('reads nothing but rollups where they know enough', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const fraction = seeded(12).below
    const rows = Array.from({ length: 120 }, (_, n) => randomRow(fraction, n))
    await insertLogs(store, rows)
    while ((await addUpHours(store, new Date(start + 4 * day))) > 0);
    while ((await rollUpDays(store)) > 0);
    // As if unnoticed: without a mark the sums of hours are not checked.
    await store.db.execute(sql`alter table usage_hours disable trigger user`)
    await store.db.execute(sql`truncate usage_hours`)
    const rolled: UsageQuestion[] = [
      all,
      { ...all, by: ['day'] },
      { ...all, by: ['model', 'channel'] },
      { ...all, by: ['key'] },
      { ...all, by: ['user', 'day'], filter: { group: 'g1' } },
      { ...all, by: ['hour'] },
      { ...all, by: ['model', 'day'], timezone: 'Europe/Berlin' },
    ]
    for (const question of rolled) expect((await addUpUsage(store, question)).map(asExpected)).toEqual(expected(rows, question))
  }, 60_000)

  test('has the days of a zone in winter and summer, as budgets have, whatever else its name means', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    // Two in every hour of two days, in winter, in summer, and where clocks change in America and in Europe.
    const starts = ['2026-01-10', '2026-03-08', '2026-03-29', '2026-07-10', '2026-10-25', '2026-11-01'].map(Date.parse)
    const rows = starts.flatMap((start, place) =>
      Array.from({ length: 96 }, (_, n) =>
        usageRow({ requestId: `${place}-${n}`, at: new Date(start + (n - 24) * 1_800_000), cost: BigInt(n) }),
      ),
    )
    await insertLogs(store, rows)
    const question: UsageQuestion = { ...all, from: new Date('2026-01-01'), to: new Date('2026-12-01'), by: ['day'], limit: 99 }
    const check = async () => {
      for (const timezone of sampled(zones, 5)) {
        const costs = new Map<string, bigint>()
        for (const { at, cost } of rows) {
          const day = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone).toPlainDate().toString()
          costs.set(day, (costs.get(day) ?? 0n) + cost)
        }
        const found = (await addUpUsage(store, { ...question, timezone })).map(({ keys, cost }) => [keys[0], cost])
        expect([timezone, found]).toEqual([timezone, [...costs].sort(([a], [b]) => (a < b ? -1 : 1))])
      }
    }
    await check()
    while ((await addUpHours(store, new Date('2027-01-01'))) > 0);
    await check()
    while ((await rollUpDays(store)) > 0);
    await check()
  }, 60_000)

  test('outlives the rows that it came from, and takes up what comes late even then', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const fraction = seeded(8).below
    const rows = Array.from({ length: 100 }, (_, n) => randomRow(fraction, n))
    const february = new Date(Date.UTC(2026, 1, 1))
    await addMonths(store, new Date(start))
    await insertLogs(store, rows)
    const stray = { ...randomRow(fraction, 100), at: new Date(Date.UTC(2025, 10, 5, 10, 30)) }
    await insertLog(store, stray)
    // Not before everything is added up.
    expect(await dropMonths(store, february)).toBe(false)
    while ((await addUpHours(store, february)) > 0);
    expect(await dropMonths(store, february)).toBe(true)
    expect(await dropMonths(store, february)).toBe(false)
    const left = (await pageLogs(store, { limit: 200 })).rows
    expect(left.map((row) => row.requestId).sort()).toEqual(
      rows
        .filter((row) => row.at >= february)
        .map((row) => row.requestId)
        .sort(),
    )
    const check = async (zone = 'UTC') => {
      for (const by of [[], ['model'], ['hour', 'channel'], ['day']] as UsageKey[][]) {
        const question = { ...all, by, timezone: zone }
        expect((await addUpUsage(store, question)).map(asExpected)).toEqual(expected(rows, question))
      }
    }
    await check()
    const late = { ...randomRow(fraction, 101), at: rows.find((row) => row.at < february)?.at ?? february }
    rows.push(late)
    await insertLog(store, late)
    await check()
    while ((await rollUpDays(store)) > 0);
    await check()
    while ((await addUpHours(store, february)) > 0);
    await check()
    while ((await rollUpDays(store)) > 0);
    await check()
    expect((await pageLogs(store, { limit: 200 })).rows.length).toBe(left.length)
    expect((await addUpUsage(store, { ...all, from: new Date(Date.UTC(2025, 10, 1)) }))[0]?.figures.requests).toBe(102)

    const cut = { ...all, from: new Date(start + 1) }
    expect(await codeOf(addUpUsage(store, cut))).toEqual({ code: 'invalid_value', param: 'from' })
    expect(await codeOf(addUpUsage(store, { ...all, timezone: 'Mars/Base', by: ['day'] }))).toEqual({
      code: 'invalid_value',
      param: 'timezone',
    })
    // The hour that such a midnight divides is only known as a whole; nothing is lost or counted twice.
    const days = await addUpUsage(store, { ...all, by: ['day'], timezone: 'Asia/Kathmandu' })
    expect(days.reduce((sum, { cost }) => sum + cost, 0n)).toBe(expected(rows, all)[0]?.cost ?? 0n)
  }, 120_000)

  test('rows that come while their month goes are counted once', async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const february = new Date(Date.UTC(2026, 1, 1))
    await addMonths(store, new Date(start))
    const write = (n: number) => insertLog(store, usageRow({ requestId: `r${n}`, at: new Date(start + (n % 40) * 3_600_000), cost: 1n }))
    const total = async () => (await addUpUsage(store, all))[0]?.cost
    for (let n = 0; n < 20; n++) await write(n)
    let gone = false
    for (let n = 20; n < 140 && !gone; n += 20) {
      const upkeep = async () => {
        while ((await addUpHours(store, february)) > 0);
        gone = await dropMonths(store, february)
      }
      await Promise.all([upkeep(), ...Array.from({ length: 20 }, (_, more) => write(n + more))])
      expect(await total()).toBe(BigInt(n + 20))
    }
    while ((await addUpHours(store, february)) > 0);
    expect(await dropMonths(store, february)).toBe(!gone)
    for (let n = 200; n < 210; n++) await write(n)
    const before = await total()
    while ((await addUpHours(store, february)) > 0);
    expect(await total()).toBe(before)
    expect((await pageLogs(store, { limit: 1 })).rows).toEqual([])
  }, 60_000)

  test('comes in pages, each row once', async () => {
    base = await throwawayDatabase(engine)
    const fraction = seeded(9).below
    const rows = Array.from({ length: 80 }, (_, n) => randomRow(fraction, n))
    await insertLogs(base.store, rows)
    const question: UsageQuestion = { ...all, by: ['model', 'channel'], limit: 2 }
    const seen: Expected[] = []
    let after: string[] | undefined
    do {
      const page = await addUpUsage(base.store, { ...question, ...(after && { after }) })
      seen.push(...page.slice(0, 2).map(asExpected))
      after = page.length > 2 ? page[1]?.keys : undefined
    } while (after)
    expect(seen).toEqual(expected(rows, question))
  }, 60_000)

  test('percentiles are within five percent, from sums as from rows', async () => {
    base = await throwawayDatabase(engine)
    const fraction = seeded(10).below
    const times = Array.from({ length: 200 }, () => Math.round(1.5 ** fraction(30)) + fraction(50))
    const rows = times.map((totalMs, n) =>
      usageRow({ requestId: `r${n}`, at: new Date(start + fraction(day)), totalMs, firstTokenMs: n % 2 ? null : totalMs }),
    )
    await insertLogs(base.store, rows)
    const exact = (of: number[], share: number) => of.sort((a, b) => a - b)[Math.ceil(of.length * share) - 1] ?? Number.NaN
    const check = async () => {
      const [sums] = await addUpUsage(base.store, all)
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        const total = exact([...times], share)
        expect(Math.abs((sums?.totalMs?.[name] ?? 0) - total)).toBeLessThanOrEqual(total * 0.05 + 0.5)
        const first = exact(
          times.filter((_, n) => n % 2 === 0),
          share,
        )
        expect(Math.abs((sums?.firstTokenMs?.[name] ?? 0) - first)).toBeLessThanOrEqual(first * 0.05 + 0.5)
      }
    }
    await check()
    while ((await addUpHours(base.store, new Date(start + day))) > 0);
    await check()
    expect(await addUpUsage(base.store, { ...all, from: new Date(start + day), to: new Date(start + 2 * day) })).toEqual([])
  }, 60_000)
})
