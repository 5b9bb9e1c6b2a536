/** Rows that go in batches arrive as they were, next to rows that have nothing of what they have; and every case is charged once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { readRecollections } from '#store/accounts/reasoning-state'
import { returned } from '#store/engine/rows'
import { addMonths } from '#store/usage/log-months'
import { findLog } from '#store/usage/logs'
import { wrongBooks } from '#testing/books/invariants'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { putPaidRow, usageRow } from '#testing/usage-row'
import type { BookLine } from './book-line.ts'
import { registerInstance } from './instances.ts'
import { type SyncCall, syncBooks } from './leases.ts'
import { type NewLog, openWallets, postGrant, readWallets } from './ledger.ts'
import type { StoredLog } from './row-detail.ts'

const at = new Date('2026-03-01T10:20:30.456Z')

type Full = Omit<StoredLog, 'charged'>
/** A row with a value in every column. */
const full = (requestId: string, userId: string): Full => ({
  ...{ requestId, at, userId, keyId: 'k,{"1"}', key: 'a "key" \\ with\u001feverything\n', group: 'g', model: 'NULL', upstreamModel: '' },
  ...{ channel: '{}', operation: 'generate', dialect: 'messages', stream: true, status: 200, end: 'complete', provenance: 'provider' },
  error: { code: 'c', message: 'of \u001f and "quotes" and \\u0000' },
  usage: JSON.parse('{"raw":{"text":"12\\u001f","deep":[1,2.5,{"a":null}]}}'),
  ...{ cost: 7n, price: JSON.parse('{"input":"1","ratio":"1"}'), losses: [{ field: 'f', what: 'dropped', reason: 'r' }] },
  ...{ firstTokenMs: 3, totalMs: 4, attempts: [{ channel: 'c', key: null, phase: 'done', status: 200, cause: null, ms: 1 }] },
  ...{ upstreamCost: 9_007_199_254_740_993n, upstreamPrice: JSON.parse('{"input":"2"}') },
  memberId: `${userId}.m "1"`,
  lines: [{ unit: 'input', amount: 1, price: '1', per: 1_000_000 }],
})

describe.each([...engines])('rows in batches on %s', (engine) => {
  let base: Throwaway
  let [wallets, calls] = [0, 0n]
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())
  afterEach(async () => expect(await wrongBooks(base.store)).toEqual([]))

  async function instanceWith(leased: bigint): Promise<{ instance: bigint; id: string }> {
    const id = `w${++wallets}`
    await openWallets(base.store.db, [id])
    await postGrant(base.store.db, { walletId: id, amount: 1000n, ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at })
    const instance = await registerInstance(base.store, { folder: 'f' })
    await call(instance, { ask: [[{ account: id, need: leased, want: leased }]] })
    return { instance, id }
  }
  const call = (instance: bigint, fields: Partial<SyncCall>) =>
    syncBooks(base.store, { instance, seq: ++calls, lines: [], own: [], ask: [], ...fields })
  const line = (row: NewLog, id: string, covered = row.cost): BookLine => ({ row, accounts: [id], owed: row.cost, covered })
  const stored = (requestId: string) => findLog(base.store, requestId)
  const balance = async (id: string) => (await readWallets(base.store.db, [id])).get(id)?.balance

  test('full rows and bare ones stay what they were', async () => {
    const { instance, id } = await instanceWith(100n)
    const rows = [
      usageRow({ requestId: `${id}-bare`, at, userId: id, cost: 1n }),
      full(`${id}-full`, id),
      usageRow({ requestId: `${id}-last`, at, userId: id, cost: 2n }),
      full(`${id}-again`, id),
    ]
    const answer = await call(instance, { lines: rows.map((row) => line(row, id)), own: [{ account: id, back: 0n, held: 5n }] })
    expect(answer.accounts.get(id)).toEqual({ leased: 83n, free: 900n })
    for (const row of [rows[1], rows[3]]) expect(await stored(row?.requestId ?? '')).toEqual({ ...(row as Full), charged: 7n })
    expect(await stored(`${id}-last`)).toMatchObject({ charged: 2n, key: null, error: null, usage: null, losses: [], lines: null })
    expect((await readWallets(base.store.db, [id])).get(id)).toEqual({ id, balance: 983n, held: 5n })
  })

  test('of lines that are known, sent twice, or more than the lease holds, each is charged once', async () => {
    const { instance, id } = await instanceWith(50n)
    const row = (name: string, cost: bigint) => usageRow({ requestId: `${id}-${name}`, at, userId: id, cost })
    const [a, b, c] = [line(row('a', 10n), id), line(row('b', 20n), id), line(row('c', 30n), id)]
    await call(instance, { lines: [a] })
    await call(instance, { lines: [a, b, b] })
    expect(await balance(id)).toBe(970n)
    const { accounts, short } = await call(instance, { lines: [a, c], ask: [[{ account: id, need: 5n, want: 5n }]] })
    expect([accounts.get(id), short.size]).toEqual([{ leased: 5n, free: 935n }, 0])
    expect(await balance(id)).toBe(940n)
  })

  test('what goes back and what is asked for go along with rows', async () => {
    const { instance, id } = await instanceWith(100n)
    const lines = [line(usageRow({ requestId: `${id}-1`, at, userId: id, cost: 10n }), id)]
    const own = [{ account: id, back: 20n, held: 30n }]
    const answer = await call(instance, {
      lines,
      own,
      ask: [[{ account: id, need: 1n, want: 3n }], [{ account: id, need: 2000n, want: 2000n }]],
    })
    expect([answer.accounts.get(id), [...answer.refused]]).toEqual([{ leased: 73n, free: 917n }, [[1, id]]])
    expect((await readWallets(base.store.db, [id])).get(id)).toMatchObject({ balance: 990n, held: 30n })
  })
  test('notes come with their rows, and a late line takes back nothing', async () => {
    const { instance, id } = await instanceWith(100n)
    const noting = (name: string, expiresAt: number, sealed: string): BookLine => {
      const notes = [{ key: 'k', sealed, expiresAt }]
      return line({ ...usageRow({ requestId: `${id}-${name}`, at, userId: id, cost: 1n }), notes }, id)
    }
    const kept = () => readRecollections(base.store, id, ['k', 'other'], new Date(0))
    const soon = Date.UTC(2026, 3, 1)
    await call(instance, { lines: [noting('b', soon + 1, 'second'), noting('a', soon, 'first')] })
    expect(await kept()).toEqual([{ tenant: id, key: 'k', sealed: 'second', expiresAt: new Date(soon + 1) }])
    await call(instance, { lines: [noting('c', soon + 9, 'third')] })
    await call(instance, { lines: [noting('b', soon + 1, 'second'), noting('d', soon + 2, 'late')], replay: true })
    expect((await kept()).map(({ sealed }) => sealed)).toEqual(['third'])
    expect(await balance(id)).toBe(996n)
  })

  test('lie in the table of their month, whether it came before them, after them, or has gone; marks name each of them', async () => {
    const { instance, id } = await instanceWith(100n)
    const [month, hour] = [new Date('2031-05-31T22:10:00Z'), 3_600_000]
    const settled: string[] = []
    async function settle(name: string): Promise<void> {
      // Of three hours and two months.
      const lines = [0, 1, 2].map((n) =>
        line(usageRow({ requestId: `${id}-${name}${n}`, at: new Date(month.getTime() + n * hour), userId: id, cost: 1n }), id),
      )
      await call(instance, { lines })
      settled.push(...lines.map(({ row }) => row.requestId))
    }
    const tables = async () => {
      const found = await base.store.db.execute(
        sql`select request_id as id, tableoid::regclass::text as name from logs where user_id = ${id}`,
      )
      return new Map(returned<{ id: string; name: string }>(found).map((row) => [row.id.slice(id.length + 1), row.name]))
    }
    await settle('a')
    await addMonths(base.store, month)
    await settle('b')
    await settle('c')
    await base.store.db.execute(sql`drop table logs_2031_06, logs_2031_07`)
    await settle('d')
    await settle('e')
    const place = await tables()
    const of = (name: string) => [0, 1, 2].map((n) => place.get(`${name}${n}`))
    for (const name of ['a', 'b', 'c']) expect(of(name)).toEqual(['logs_2031_05', 'logs_2031_05', undefined])
    for (const name of ['d', 'e']) expect(of(name)).toEqual(['logs_2031_05', 'logs_2031_05', 'logs_default'])
    const marked = await base.store.db.execute(sql`
      select named.id from usage_marks m, unnest(m.ats, m.ids) as named(at, id)
      where date_trunc('hour', named.at, 'UTC') = m.hour and starts_with(named.id, ${id})`)
    expect(new Set(returned<{ id: string }>(marked).map((row) => row.id))).toEqual(new Set(settled))
    // The rules would miss what was dropped.
    for (const dropped of ['a2', 'b2', 'c2'].map((name) => `${id}-${name}`)) {
      await base.store.db.execute(sql`delete from usage_marks where ids = array[${dropped}]`)
      await putPaidRow(base.store, { requestId: dropped, at: new Date(month.getTime() + 2 * hour), userId: id, cost: 1n })
    }
  })
})
