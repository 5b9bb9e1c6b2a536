/** Remaining budgets, for display. Requests are limited by the accounts themselves, not by this. */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

/** One window of a budget: the account it has, or will have once used. Amounts in nano-dollars. */
export interface ShownBudget {
  account: string
  limit: bigint
  of: 'key' | 'user' | 'group' | 'member'
  ofId: string
  from: Date | null
  until: Date | null
}

/**
 * By account id: the limit less what was charged in its window so far; negative where the limit was lowered since. Leased money
 * counts as remaining. A new account would start with this amount.
 */
export async function readBudgetsLeft({ db }: Store, budgets: readonly ShownBudget[]): Promise<Map<string, bigint>> {
  if (budgets.length === 0) return new Map()
  const asked = JSON.stringify(budgets, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  const rows = await db.execute(sql`
    select b.account, (b."limit" + coalesce(
      (select a.free - a."limit" + coalesce((select sum(amount) from leases where account_id = a.id), 0) from accounts as a where a.id = b.account),
      -usage_charged(
        case b."of" when 'key' then 'key_id' when 'user' then 'user_id' when 'member' then 'member_id' else 'group' end, b."ofId",
        coalesce(b."from", '-infinity'), coalesce(b.until, 'infinity')
      )
    ))::text as amount
    from jsonb_to_recordset(${asked}::text::jsonb)
      as b(account text, "limit" bigint, "of" text, "ofId" text, "from" timestamptz, until timestamptz)`)
  return new Map(returned<{ account: string; amount: string }>(rows).map(({ account, amount }) => [account, BigInt(amount)]))
}

/** By member id (of `team_members`): what was charged for them since then, in nano-dollars. */
export async function readMembersSpent({ db }: Store, ids: readonly string[], since: Date): Promise<Map<string, bigint>> {
  if (ids.length === 0) return new Map()
  const rows = await db.execute(sql`
    select id, usage_charged('member_id', id, ${since.toISOString()}::timestamptz, 'infinity')::text as amount
    from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) as id`)
  return new Map(returned<{ id: string; amount: string }>(rows).map(({ id, amount }) => [id, BigInt(amount)]))
}
