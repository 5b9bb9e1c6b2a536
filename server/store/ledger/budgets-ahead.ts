/**
 * Opens budgets before they are needed: the next windows of those used in the current one. Opening a budget takes an exclusive
 * lock, which all settling waits for; at midnight all daily ones would open at once.
 */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import type { AskedPart } from './leases.ts'

/** A window that ends soon and has no successor yet. */
export interface EndingBudget {
  account: string
  of: 'key' | 'user' | 'group' | 'member'
  ofId: string
  until: Date
}

/** At most `most` of the budgets that end between these instants and have no successor, in the order of their ends. */
export async function endingBudgets({ db }: Pick<Store, 'db'>, from: Date, till: Date, most: number, after = ''): Promise<EndingBudget[]> {
  const rows = await db.execute(sql`
    select a.id as account, a."of", a.of_id as "ofId", (extract(epoch from a.until) * 1000)::bigint::text as until from (
      select accounts.*, 'budget:' || "of" || ':' || of_id || ':' || split_part(substr(id, length('budget:' || "of" || ':' || of_id || ':') + 1), ':', 1) || ':' as prefix
      from accounts where kind = 'budget'
    ) as a
    where a.kind = 'budget' and a.until > ${from.toISOString()}::timestamptz and a.until <= ${till.toISOString()}::timestamptz
      and a.id > ${after} and not exists (
        select from accounts as next where next.kind = 'budget' and next.of_id = a.of_id and next."of" = a."of" and next."from" = a.until
          and starts_with(next.id, a.prefix)
      )
    order by a.id limit ${most}`)
  return returned<Omit<EndingBudget, 'until'> & { until: string }>(rows).map((row) => ({ ...row, until: new Date(Number(row.until)) }))
}

/** Opens these budgets, except existing ones. Keep the list short: all settling waits. */
export async function openBudgets({ db }: Pick<Store, 'db'>, budgets: readonly Pick<AskedPart, 'account' | 'budget'>[]): Promise<void> {
  const asked = JSON.stringify([budgets], (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(727539265)`)
    await tx.execute(sql`select budgets_open(${asked}::text::jsonb)`)
  })
}
