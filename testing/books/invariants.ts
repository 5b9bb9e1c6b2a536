/** The invariants of the books, which hold at every commit, for tests. `server/store/ledger/books-rules.ts` has the rules. */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { brokenRules } from '#store/ledger/books-rules'

/** Every account and request that breaks an invariant; empty if the books are correct. */
export async function wrongBooks({ db, engine }: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>): Promise<unknown[]> {
  if (engine !== 'postgres') return brokenRules({ db })
  return db.transaction(async (tx) => {
    // On a busy machine, with many rows, it may take longer than the limit for reports.
    await tx.execute(sql`set local statement_timeout = '60s'`)
    return brokenRules({ db: tx })
  })
}

/** Nano-dollars charged, by request id. */
export async function chargesIn({ db }: Store): Promise<Map<string, bigint>> {
  const rows = returned<{ id: string; charged: string }>(await db.execute(sql`select request_id as id, charged::text from logs`))
  return new Map(rows.map(({ id, charged }) => [id, BigInt(charged)]))
}

/** The nano-dollars of an account that all instances together have on lease. */
export async function leasedOf({ db }: Store, account: string): Promise<bigint> {
  const [row] = returned<{ sum: string }>(
    await db.execute(sql`select coalesce(sum(amount), 0)::text as sum from leases where account_id = ${account}`),
  )
  return BigInt(row?.sum ?? 0)
}
