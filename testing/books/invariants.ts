/**
 * The invariants of the books, which hold at every commit: one statement over the tables. The numbers are those of the ledger's invariants;
 * I5 (every attempt has one outcome) is checked in the relay, because attempts have no table of their own.
 */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

const rules = sql`
  with kept as (select coalesce((select (value #>> '{}')::timestamptz from settings where name = 'usageRowsKeptFrom'), '-infinity') as since)
  select 'I1 a balance is the sum of its entries' as rule, a.id as what, a.free::text as found from accounts a
  where a.kind = 'wallet' and a.free + (select coalesce(sum(amount), 0) from leases where account_id = a.id)
    <> (select coalesce(sum(amount), 0) from entries where wallet_id = a.id)
  union all
  select 'I2 what is held is part of a lease', l.account_id, l.held::text from leases l where l.held < 0 or l.held > l.amount
  union all
  select 'I3 nothing is overdrawn', a.id, a.free::text from accounts a where a.kind = 'wallet' and a.free < 0
  union all
  select 'I3 nothing is charged beyond its cost', request_id, charged::text from logs where charged < 0 or charged > cost
  union all
  select 'I4 a request has one row', request_id, count(*)::text from logs group by request_id having count(*) > 1
  union all
  select 'I4 a request has one entry, and one more where its real end came later', ref, count(*)::text
  from entries where kind = 'usage' group by ref having count(*) > 1
  union all
  select 'I6 what a row charges is what its entries took', l.request_id, l.charged::text
  from logs l left join entries e on e.ref = 'usage:' || l.request_id left join entries later on later.ref = 'usage:' || l.request_id || ':end'
  where l.charged <> coalesce(-e.amount, 0) - coalesce(later.amount, 0)
  union all
  select 'I6 what an entry took is in a row', e.ref, e.amount::text from entries e, kept
  where e.kind = 'usage' and e.at >= kept.since and not exists (select from logs where request_id = substr(regexp_replace(e.ref, ':end$', ''), 7))
  union all
  select 'I6 what entries took before rows were dropped is in their sums', id, sum(part)::text from (
    select wallet_id as id, amount as part from entries, kept where kind = 'usage' and at < kept.since
    union all select user_id, charged from usage_hours, kept where hour < kept.since
    union all select user_id, charged from logs, kept where at < kept.since
  ) as dropped group by id having sum(part) <> 0
  union all
  select 'I6 the sums of an hour are those of its rows', hour::text, sum(part)::text from (
    select hour, charged as part from usage_hours union all select date_trunc('hour', at, 'UTC'), -charged from logs
  ) as added, kept where hour >= kept.since and not exists (select from usage_marks where usage_marks.hour = added.hour) group by hour having sum(part) <> 0
  union all
  select 'I7 a closed instance has nothing on lease', l.account_id, l.amount::text
  from leases l join instances i on i.id = l.instance where i.state = 'closed'
  union all
  select 'I8 a budget is what its rows leave of it', a.id, a.free::text from accounts a
  where a.kind = 'budget' and a."limit" - a.free - (select coalesce(sum(amount), 0) from leases where account_id = a.id)
    <> (select coalesce(sum(charged), 0) from (
          select at, key_id, user_id, "group", charged from logs
          union all select hour, key_id, user_id, "group", charged from usage_hours, kept where hour < kept.since
        ) as used
        where a.of_id = case a."of" when 'key' then key_id when 'user' then user_id else "group" end
          and at >= coalesce(a."from", '-infinity') and at < coalesce(a.until, 'infinity'))`

/** Every account and request that breaks an invariant; empty if the books are correct. */
export async function wrongBooks({ db, engine }: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>): Promise<unknown[]> {
  if (engine !== 'postgres') return returned<unknown>(await db.execute(rules))
  return db.transaction(async (tx) => {
    // It reads everything, perhaps on a busy machine, for which a query's usual time is not meant.
    await tx.execute(sql`set local statement_timeout = '60s'`)
    return returned<unknown>(await tx.execute(rules))
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
