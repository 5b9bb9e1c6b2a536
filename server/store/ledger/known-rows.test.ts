/** Which requests have a row is found by their keys, however many rows there are and whatever the planner knows of them. */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import { engines, throwawayDatabase } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'
import { linesNotInBooks } from './leases.ts'

const asked = 1_000
const from = new Date('2026-03-01T10:00:00Z').getTime()

test.if(engines.includes('postgres'))(
  'a thousand requests among twenty thousand rows: no other row is read',
  async () => {
    const base = await throwawayDatabase('postgres')
    try {
      const { db } = base.store
      await db.execute(sql`alter table logs_default set (autovacuum_enabled = false)`)
      await db.execute(sql`
        insert into logs (request_id, at, user_id, "group", model, operation, dialect, stream, status, "end", cost, charged, losses, total_ms)
        select 'r' || n, ${new Date(from).toISOString()}::timestamptz + n * interval '1 millisecond', 'u', 'default', 'm', 'generate', 'chat',
          false, 200, 'complete', 0, 0, '[]', 1 from generate_series(0, 19999) as n`)
      const lines = Array.from({ length: asked }, (_, n) => {
        const place = n * 20 + (n % 2 === 0 ? 0 : 50_000)
        return { row: usageRow({ requestId: `r${place}`, at: new Date(from + place) }) }
      })
      for (const known of ['unknown', 'known']) {
        if (known === 'known') await db.execute(sql`analyze logs`)
        const read = await db.transaction(async (tx) => {
          const count = async () => {
            const [row] = returned<{ n: string }>(
              await tx.execute(sql`
                select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::text as n from pg_stat_xact_user_tables where relname like 'logs%'`),
            )
            return Number(row?.n)
          }
          const before = await count()
          const missing = await linesNotInBooks({ db: tx }, lines)
          expect(missing).toEqual(lines.filter((_, n) => n % 2 === 1))
          return (await count()) - before
        })
        expect([known, read]).toEqual([known, expect.any(Number)])
        expect(read).toBeLessThanOrEqual(asked)
      }
    } finally {
      await base.close()
    }
  },
  60_000,
)
