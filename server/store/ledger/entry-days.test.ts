/** Charges summed by the day are, to the nano-dollar, what the entries say by SQL: thousands of them, on both engines. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { entries } from '#db/schema'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { seeded } from '#testing/seeded'
import { pageEntries } from './entries.ts'
import { type EntryLine, pageEntryDays } from './entry-days.ts'
import { openWallets, postGrant } from './ledger.ts'

const charges = 4_000
/** The last Sunday in March has 23 hours in Berlin. */
const begin = Date.UTC(2026, 2, 20)
const hourMs = 3_600_000

describe.each([...engines])('a ledger by the day on %s', (engine) => {
  let base: Throwaway
  let store: Store
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
    await openWallets(store.db, ['payer', 'other', 'empty'])
    const dice = seeded(7)
    const post = (walletId: string, ref: string, amount: bigint, hours: number, kind: 'grant' | 'credit') =>
      postGrant(store.db, { walletId, ref, amount, kind, actor: 'a', reason: `reason of ${ref}`, at: new Date(begin + hours * hourMs) })
    await post('payer', 'grant:payer', 10n ** 15n, 0, 'grant')
    await post('other', 'grant:other', 10n ** 15n, 0, 'grant')
    for (let n = 0; n < charges; n += 500) {
      // As they are told from journals: not always in the order of time.
      const rows = Array.from({ length: 500 }, (_, at) => ({
        walletId: at % 5 === 0 ? 'other' : 'payer',
        amount: -BigInt(1 + dice.below(999_999_999)),
        kind: 'usage' as const,
        ref: `usage:req_${n + at}`,
        actor: 'key_1',
        reason: '',
        at: new Date(begin + ((n + at) * 480 * hourMs) / charges + dice.below(2 * hourMs)),
      }))
      await store.db.insert(entries).values(rows)
      for (const wallet of ['payer', 'other']) {
        await store.db.execute(sql`
          update accounts set free = (select sum(amount) from entries where wallet_id = ${wallet}) where id = ${wallet}`)
      }
      await post('payer', `credit:${n}`, n % 1000 === 0 ? -3n : 5_000n, (n * 480) / charges, 'credit')
    }
  }, 60_000)
  afterAll(() => base.close())

  async function linesOf(asked: Partial<Parameters<typeof pageEntryDays>[2]> = {}): Promise<EntryLine[]> {
    const lines: EntryLine[] = []
    let before: bigint | null = null
    do {
      const page = await pageEntryDays(store, 'payer', { limit: 7, timezone: 'UTC', ...asked, ...(before !== null && { before }) })
      expect(page.lines.length).toBeLessThanOrEqual(asked.limit ?? 7)
      lines.push(...page.lines)
      before = page.next
    } while (before !== null)
    return lines
  }

  test.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata'])('in %s', async (timezone) => {
    const lines = await linesOf({ timezone })
    const byDay = await store.db.execute(sql`
      select (at at time zone ${timezone})::date::text as day, sum(amount)::text as sum, count(*)::text as entries from entries
      where wallet_id = 'payer' and kind = 'usage' group by 1 order by 1`)
    const told = lines.flatMap(({ day, amount, entries }) => (day === null ? [] : [[day, String(amount), String(entries)]]))
    expect(told.toSorted()).toEqual(
      returned<{ day: string; sum: string; entries: string }>(byDay).map(({ day, sum, entries }) => [day, sum, entries]),
    )
    const single = lines.filter(({ day }) => day === null)
    expect(single.map(({ ref }) => ref)).toEqual([
      ...Array.from({ length: charges / 500 }, (_, n) => `credit:${charges - 500 * (n + 1)}`),
      'grant:payer',
    ])
    expect(lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id).toSorted((a, b) => Number(b - a)))
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
  })

  test('all lines add up to the balance, and each says what its newest entry left', async () => {
    const [found] = returned<{ sum: string }>(await store.db.execute(sql`select free::text as sum from accounts where id = 'payer'`))
    const lines = await linesOf()
    expect(String(lines.reduce((all, { amount }) => all + amount, 0n))).toBe(found?.sum ?? '')
    expect(String(lines[0]?.balance)).toBe(found?.sum ?? '')
    const { rows } = await pageEntries(store, 'payer', { limit: 10_000 })
    const left = new Map(rows.map(({ id, balance }) => [id, balance]))
    expect(lines.every(({ id, balance }) => left.get(id) === balance)).toBe(true)
  })

  test('filters hold for what is summed; an empty wallet has no line', async () => {
    expect((await linesOf({ kind: 'credit' })).every(({ day }) => day === null)).toBe(true)
    const [line, ...more] = await linesOf({ kind: 'usage', from: new Date(begin + 48 * hourMs), to: new Date(begin + 72 * hourMs) })
    const { rows } = await pageEntries(store, 'payer', {
      ...{ limit: 10_000, kind: 'usage' as const, from: new Date(begin + 48 * hourMs), to: new Date(begin + 72 * hourMs) },
    })
    expect(more).toEqual([])
    expect([line?.day, line?.entries, line?.amount]).toEqual([
      '2026-03-22',
      rows.length,
      rows.reduce((all, { amount }) => all + amount, 0n),
    ])
    expect((await linesOf({ words: 'credit:1000' })).map(({ ref }) => ref)).toEqual(['credit:1000'])
    expect(await pageEntryDays(store, 'empty', { limit: 5, timezone: 'UTC' })).toEqual({ lines: [], next: null })
  })
})
