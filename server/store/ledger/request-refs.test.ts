/** The index of what entries refer to grows at its end: in the database's own order a later request comes after all earlier ones. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import { realisticRow } from '#testing/books/realistic-row'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { openWallets } from './ledger.ts'

const requests = 1_000

describe.each([...engines])('references of requests on %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  })
  afterAll(() => base.close())

  test('are in the order of time', async () => {
    const { db } = base.store
    await openWallets(db, ['payer'])
    const refs = Array.from({ length: requests }, (_, n) => `usage:${realisticRow(7 * n, 'payer', Date.UTC(2026, 10, 29), 1n).requestId}`)
    await db.execute(sql`
      insert into entries (wallet_id, amount, kind, ref, actor, reason, at)
      select 'payer', -1, 'usage', ref, 'key', 'reason', now() from jsonb_array_elements_text(${JSON.stringify(refs)}::jsonb) as r(ref)
    `)
    const rows = returned<{ ref: string }>(await db.execute(sql`select ref from entries where kind = 'usage' order by ref`))
    expect(rows.map(({ ref }) => ref)).toEqual(refs)
  })
})
