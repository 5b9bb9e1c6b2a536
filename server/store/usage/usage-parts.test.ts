/** What a report reads of an open hour does not grow with the hour, and its figures always equal those of the rows. */
import { afterEach, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import { brokenRules } from '#store/ledger/books-rules'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { isDeep } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { addMonths } from './log-months.ts'
import { addUpUsage } from './usage.ts'
import { addUpHours, addUpParts, thinMarks } from './usage-hours.ts'
import { statementOf, type UsageKey, type UsageQuestion } from './usage-question.ts'
import { rollUpDays } from './usage-rollups.ts'

const hourMs = 3_600_000
const start = new Date('2026-03-10T10:00:00Z')
const at = (ms: number) => new Date(start.getTime() + ms)
const all: UsageQuestion = { from: at(-10 * hourMs), to: at(24 * hourMs), by: [], timezone: 'UTC', filter: {}, limit: 200 }
const bys: UsageKey[][] = [[], ['model'], ['key', 'channel'], ['day'], ['hour', 'user']]

let base: Throwaway
afterEach(() => base?.close())

describe.each(sampledEngines(import.meta.file))('hours that go on, on %s', (engine) => {
  let rows = 0
  /** Writes so many rows with one statement, within this time after `start`. */
  async function write(count: number, within: number, offset = 0): Promise<void> {
    const first = rows + 1
    rows += count
    await base.store.db.execute(sql`
      insert into logs (request_id, at, user_id, key_id, "group", model, channel, operation, dialect, stream, status, "end", cost, charged, losses, total_ms)
      select 'r' || n, ${at(offset).toISOString()}::timestamptz + (n * 7919 % ${within}) * interval '1 millisecond', 'u' || n % 3, 'k' || n % 5, 'g', 'm' || n % 2,
        'c', 'generate', 'chat', true, 200, case when n % 9 = 0 then 'error' else 'complete' end, n, n, '[]'::jsonb, n % 1000
      from generate_series(${first}::integer, ${rows}::integer) n`)
  }

  async function open(): Promise<void> {
    rows = 0
    base = await throwawayDatabase(engine)
    await addMonths(base.store, start)
    await partsSince(at(-2 * hourMs))
  }
  const partsSince = (since: Date) => base.store.db.execute(sql`update usage_parts_since set hour = ${since.toISOString()}::timestamptz`)

  const asked = async () => {
    const answers = []
    for (const by of bys) answers.push(await addUpUsage(base.store, { ...all, by }))
    answers.push(await addUpUsage(base.store, { ...all, filter: { key: 'k1' } }))
    answers.push(await addUpUsage(base.store, { ...all, from: at(600_000), to: at(2 * hourMs), by: ['model'] }))
    return answers
  }

  /** The same as from rows alone, and the rule of the books holds. */
  async function check(): Promise<void> {
    const [known] = returned<{ hour: string }>(await base.store.db.execute(sql`select hour::text from usage_parts_since`))
    const answers = await asked()
    await partsSince(at(1_000 * hourMs))
    const fromRows = await asked()
    await base.store.db.execute(sql`update usage_parts_since set hour = ${known?.hour}::timestamptz`)
    expect(answers).toEqual(fromRows)
    expect(answers[0]?.[0]?.figures.requests ?? 0).toBe(rows)
    expect((await brokenRules(base.store)).filter(({ part }) => part === 'sums')).toEqual([])
  }

  /** So many rows of these tables a report reads. */
  async function rowsRead(question: UsageQuestion): Promise<{ logs: number; parts: number }> {
    const [plan] = returned<{ 'QUERY PLAN': unknown }>(
      await base.store.db.execute(sql`explain (analyze, timing off, format json) ${statementOf(question, { starts: [], names: [] })}`),
    )
    const read = { logs: 0, parts: 0 }
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) for (const one of node) visit(one)
      if (Array.isArray(node) || typeof node !== 'object' || node === null) return
      const { 'Relation Name': name, 'Actual Rows': found, 'Actual Loops': loops } = node as Record<string, unknown>
      if (typeof name === 'string' && name.startsWith('logs_')) read.logs += Number(found) * Number(loops)
      if (name === 'usage_parts') read.parts += Number(found) * Number(loops)
      Object.values(node).forEach(visit)
    }
    visit(typeof plan?.['QUERY PLAN'] === 'string' ? JSON.parse(plan['QUERY PLAN']) : plan?.['QUERY PLAN'])
    return read
  }

  test('a report reads the rows since the last look, and sums by their keys, however many rows the hour has', async () => {
    await open()
    for (let n = 1; n <= 3; n++) {
      await write(1_000, 1_800_000)
      await addUpParts(base.store, start)
      await write(20, 1_800_000)
      const { logs, parts } = await rowsRead(all)
      expect(logs).toBe(20)
      // Thirty combinations of keys and ends of two looks; the statement reads its facts three times.
      expect(parts).toBeLessThanOrEqual(3 * 30 * 2 * n)
    }
    await check()
  }, 60_000)

  test('whatever comes and goes meanwhile: late rows, further hours, thinned marks, rollups, the end of the hour', async () => {
    await open()
    const { below } = seeded(12)
    const steps = [
      () => write(1 + below(60), 1_800_000, below(3) * hourMs),
      () => addUpParts(base.store, at(hourMs)),
      () => thinMarks(base.store),
      () => addUpHours(base.store, at(below(3) * hourMs)),
      () => rollUpDays(base.store),
      // The books of an interrupted request: its row goes, and comes again with its end.
      async () => {
        await base.store.db.execute(sql`
          with gone as (delete from logs where request_id = 'r' || ${1 + below(Math.max(1, rows))}::integer returning *)
          insert into logs select * from gone`)
      },
    ]
    for (let n = 0; n < (isDeep ? 200 : 24); n++) {
      await steps[below(steps.length)]?.()
      if (n % 4 === 3) await check()
    }
    while ((await addUpHours(base.store, at(5 * hourMs))) > 0);
    await check()
    expect(returned(await base.store.db.execute(sql`select 1 from usage_marks`))).toEqual([])
    // Long over, and then one more row comes.
    await addUpParts(base.store, at(9 * hourMs))
    expect(returned(await base.store.db.execute(sql`select 1 from usage_parts`))).toEqual([])
    await write(5, 1_800_000)
    await check()
    while ((await addUpHours(base.store, at(5 * hourMs))) > 0);
    await check()
  }, 120_000)

  test('rows that come while their hour is added up are counted once', async () => {
    await open()
    for (let n = 0; n < 8; n++) {
      const upkeep = async () => {
        await addUpParts(base.store, start)
        await addUpHours(base.store, at(hourMs))
      }
      await Promise.all([upkeep(), ...Array.from({ length: 5 }, () => write(7, 1_800_000))])
    }
    await check()
  }, 60_000)
})
