/** What must be true of the books at every moment, asked of the tables themselves. */
import { sql } from 'drizzle-orm'
import { returned } from '#store/returned'
import type { Store } from '#store/store'

/** Every wallet and request that breaks a rule; empty when the books are right. */
export async function wrongBooks({ db }: Store): Promise<unknown[]> {
  const wallets = await db.execute(sql`
    select w.id, w.balance::text, w.held::text from wallets w
    where w.balance <> (select coalesce(sum(amount), 0) from entries where wallet_id = w.id)
      or w.held <> (select coalesce(sum(amount), 0) from leases where wallet_id = w.id)
                 + (select coalesce(sum(amount), 0) from holds where wallet_id = w.id)
      or w.balance < w.held`)
  const requests = await db.execute(sql`
    select l.request_id, l.charged::text from logs l left join entries e on e.ref = 'usage:' || l.request_id
    where l.charged <> coalesce(-e.amount, 0) or l.charged > l.cost`)
  const entries = await db.execute(sql`
    select e.ref from entries e where e.kind = 'usage' and not exists (select from logs where 'usage:' || request_id = e.ref)`)
  return [wallets, requests, entries].flatMap((result) => returned<unknown>(result))
}

/** What each request that has its usage row was charged. */
export async function chargesIn({ db }: Store): Promise<Map<string, bigint>> {
  const rows = returned<{ id: string; charged: string }>(await db.execute(sql`select request_id as id, charged::text from logs`))
  return new Map(rows.map(({ id, charged }) => [id, BigInt(charged)]))
}
