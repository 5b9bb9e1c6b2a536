/**
 * The invariants of the books, which hold at every commit: each is one statement over the tables of one moment. The numbers are those of the
 * ledger's invariants; I5 (every attempt has one outcome) is checked in the relay, because attempts have no table of their own.
 */
import { type SQL, sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db, Store } from '#store/engine/store'
import { refuseLeft } from './report.ts'

/** What breaks an invariant. */
export interface BrokenRule {
  part: 'ledger' | 'rows' | 'sums' | 'budgets' | 'leases'
  rule: string
  /** The account, request, entry, hour or instance. */
  what: string
  /** The wrong figure: nano-dollars, or a count. */
  found: string
}

/** What one budget counts in this column, from rows and, where rows have been dropped, from their sums. */
const usedBy = (column: SQL) => sql`
  (select coalesce(sum(charged), 0) from logs
    where ${column} = a.of_id and at >= coalesce(a."from", '-infinity') and at < coalesce(a.until, 'infinity'))
  + (select coalesce(sum(charged), 0) from usage_hours
    where ${column} = a.of_id and hour < kept.since and hour >= coalesce(a."from", '-infinity') and hour < coalesce(a.until, 'infinity'))`

/** Common table expressions of the rules; unused ones cost nothing. */
const named = sql`
  with kept as (select coalesce((select (value #>> '{}')::timestamptz from settings where name = 'usageRowsKeptFrom'), '-infinity') as since),
  posted as (select wallet_id as id, sum(amount) as sum from entries group by wallet_id),
  lent as (select account_id as id, sum(amount) as sum from leases group by account_id)`

/** Each selects the part, the rule, what breaks it, and the figure. */
const rules: readonly SQL[] = [
  sql`select 'ledger' as part, 'I1 a balance is the sum of its entries' as rule, a.id as what, a.free::text as found
  from accounts a left join posted on posted.id = a.id left join lent on lent.id = a.id
  where a.kind = 'wallet' and a.free + coalesce(lent.sum, 0) <> coalesce(posted.sum, 0)`,
  sql`select 'ledger', 'I1 an entry has its wallet', e.ref, e.amount::text from entries e
  where not exists (select from accounts where accounts.id = e.wallet_id)`,
  sql`select 'ledger', 'I1 a team has its wallet', t.id, t.name from teams t
  where not exists (select from accounts where accounts.id = t.id and accounts.kind = 'wallet')`,
  sql`select 'rows', 'I8 a member counts what its team paid', request_id, member_id from logs
  where member_id is not null and split_part(member_id, '.', 1) <> user_id`,
  sql`select 'ledger', 'I3 nothing is overdrawn', a.id, a.free::text from accounts a where a.kind = 'wallet' and a.free < 0`,
  sql`select 'ledger', 'I4 a request has one entry, and one more where its real end came later', ref, count(*)::text
  from entries where kind = 'usage' group by ref having count(*) > 1`,
  sql`select 'rows', 'I3 nothing is charged beyond its cost', request_id, charged::text from logs where charged < 0 or charged > cost`,
  sql`select 'rows', 'I4 a request has one row', request_id, count(*)::text from logs group by request_id having count(*) > 1`,
  sql`select 'rows', 'I6 what a row charges is what its entries took', l.request_id, l.charged::text
  from logs l left join entries e on e.ref = 'usage:' || l.request_id left join entries later on later.ref = 'usage:' || l.request_id || ':end'
  where l.charged <> coalesce(-e.amount, 0) - coalesce(later.amount, 0)`,
  sql`select 'rows', 'I6 what an entry took is in a row', e.ref, e.amount::text from entries e, kept
  where e.kind = 'usage' and e.at >= kept.since
    and not exists (select from logs where request_id = substr(regexp_replace(e.ref, ':end$', ''), 7))`,
  sql`select 'sums', 'I6 what entries took before rows were dropped is in their sums', id, sum(part)::text from (
    select wallet_id as id, amount as part from entries, kept where kind = 'usage' and at < kept.since
    union all select user_id, charged from usage_hours, kept where hour < kept.since
    union all select user_id, charged from logs, kept where at < kept.since
  ) as dropped group by id having sum(part) <> 0`,
  sql`select 'sums', 'I6 the sums of an hour are those of its rows', hour::text, sum(part)::text from (
    select hour, charged as part from usage_hours union all select date_trunc('hour', at, 'UTC'), -charged from logs
  ) as added, kept where hour >= kept.since and not exists (select from usage_marks where usage_marks.hour = added.hour) group by hour having sum(part) <> 0`,
  sql`select 'sums', 'I6 the parts of an hour and the rows that marks name are its rows', hour::text, sum(part)::text from (
    select hour, charged as part from usage_parts
    union all select m.hour, logs.charged from usage_marks m, unnest(m.ats, m.ids) as named(at, id), logs
      where logs.at = named.at and logs.request_id = named.id
    union all select date_trunc('hour', at, 'UTC'), -charged from logs where at >= (select hour from usage_parts_since)
  ) as added where hour >= (select hour from usage_parts_since)
    and not exists (select from usage_marks where apart and usage_marks.hour = added.hour) group by hour having sum(part) <> 0`,
  sql`select 'sums', 'I6 the rollups of a day are those of its hours', level || ' ' || day, sum(part)::text from (
    select level, date_trunc('day', start, 'UTC') as day, charged as part from usage_rollups
    union all select level, date_trunc('day', hour, 'UTC'), -charged from usage_hours, unnest(array['hours', 'days', 'totals']) as level
  ) as rolled where not exists (select from usage_rollup_marks where usage_rollup_marks.day = rolled.day) group by level, day having sum(part) <> 0`,
  sql`select 'budgets', 'I8 a budget is what its rows leave of it', a.id, a.free::text from kept, accounts a left join lent on lent.id = a.id
  where a.kind = 'budget' and a."limit" - a.free - coalesce(lent.sum, 0) <> case a."of"
    when 'key' then ${usedBy(sql`key_id`)} when 'user' then ${usedBy(sql`user_id`)}
    when 'member' then ${usedBy(sql`user_id = split_part(a.of_id, '.', 1) and member_id`)} else ${usedBy(sql`"group"`)} end`,
  sql`select 'ledger', 'I9 a code is credited when it is redeemed, once', c.id, c.value::text
  from codes c left join entries e on e.ref = 'code:' || c.id
  where (c.redeemed_at is not null and c.value > 0) <> (e.ref is not null) or e.amount <> c.value or e.wallet_id <> c.wallet_id`,
  sql`select 'ledger', 'I9 what a code credited belongs to a code', e.ref, e.amount::text from entries e
  where e.kind = 'credit' and starts_with(e.ref, 'code:') and not exists (select from codes c where c.id = substr(e.ref, 6))`,
  sql`select 'ledger', 'I9 a payment or refund has its entry', c.reference, c.amount::text
  from credits c left join entries e on e.ref = case when c.refund_of is null then 'payment:' else 'refund:' end || c.reference
  where e.amount is distinct from c.amount or e.wallet_id is distinct from c.wallet_id`,
  sql`select 'ledger', 'I9 an entry of a payment system belongs to a payment or refund', e.ref, e.amount::text from entries e
  where e.kind = 'credit' and (starts_with(e.ref, 'payment:') or starts_with(e.ref, 'refund:'))
    and not exists (select from credits c where c.reference = substr(e.ref, strpos(e.ref, ':') + 1))`,
  sql`select 'ledger', 'I9 refunds are no more than their credit', c.reference, (c.amount + sum(r.amount))::text
  from credits c join credits r on r.refund_of = c.reference group by c.reference, c.amount having c.amount + sum(r.amount) < 0`,
  sql`select 'leases', 'I2 what is held is part of a lease', l.account_id, l.held::text from leases l where l.held < 0 or l.held > l.amount`,
  sql`select 'leases', 'I7 a closed instance has nothing on lease', l.account_id, l.amount::text
  from leases l join instances i on i.id = l.instance where i.state = 'closed'`,
]

/**
 * Everything that breaks an invariant; empty if the books are correct. `inPieces`: each rule separately, as of its own moment, with turns
 * for others in between; otherwise all in one statement. Rejects with `client_closed_request` once the signal is aborted.
 */
export async function brokenRules({ db }: Pick<Store, 'db'>, inPieces = false, signal?: AbortSignal): Promise<BrokenRule[]> {
  const broken: BrokenRule[] = []
  for (const some of inPieces ? rules : [sql.join([...rules], sql` union all `)]) {
    refuseLeft(signal)
    const found = await db.execute(sql`${named} select part, rule, what, found from (${some}) as broken(part, rule, what, found)`)
    broken.push(...returned<BrokenRule>(found))
  }
  return broken
}

/** How much was checked. */
export interface BooksExtent {
  wallets: number
  budgets: number
  entries: number
  rows: number
  hours: number
  leases: number
  /** Nano-dollars: all balances, and their leased part. */
  balance: bigint
  leased: bigint
  /** Rows whose charge may still change. */
  unsettled: number
}

/** The size of the books. */
export async function booksExtent({ db }: Pick<Store, 'db'>): Promise<BooksExtent> {
  const [row] = returned<Record<keyof BooksExtent, string>>(
    await db.execute(sql`
      with lent as (select coalesce(sum(l.amount), 0) as sum from leases l join accounts a on a.id = l.account_id where a.kind = 'wallet')
      select (select count(*) from accounts where kind = 'wallet')::text as wallets, (select count(*) from accounts where kind = 'budget')::text as budgets,
        (select count(*) from entries)::text as entries, (select count(*) from logs)::text as rows,
        (select count(*) from usage_hours)::text as hours, (select count(*) from leases)::text as leases,
        ((select coalesce(sum(free), 0) from accounts where kind = 'wallet') + lent.sum)::text as balance, lent.sum::text as leased,
        (select count(*) from unsettled where since > clock_timestamp() - interval '1 day')::text as unsettled
      from lent`),
  )
  const number = (name: keyof BooksExtent) => Number(row?.[name] ?? 0)
  return {
    wallets: number('wallets'),
    budgets: number('budgets'),
    entries: number('entries'),
    rows: number('rows'),
    hours: number('hours'),
    leases: number('leases'),
    balance: BigInt(row?.balance ?? 0),
    leased: BigInt(row?.leased ?? 0),
    unsettled: number('unsettled'),
  }
}

/** An instance that has not been closed. */
export interface LivingInstance {
  id: bigint
  /** Seconds since its last call. */
  unseenSeconds: number
  /** Nano-dollars of wallets. */
  leased: bigint
}

/** The instances that have not been closed. */
export async function livingInstances({ db }: Pick<Store, 'db'>): Promise<LivingInstance[]> {
  const rows = await db.execute(sql`
    select i.id::text, floor(extract(epoch from clock_timestamp() - i.seen))::text as unseen, (
      select coalesce(sum(l.amount), 0) from leases l join accounts a on a.id = l.account_id where l.instance = i.id and a.kind = 'wallet'
    )::text as leased from instances i where i.state = 'live' order by i.id`)
  return returned<{ id: string; unseen: string; leased: string }>(rows).map(({ id, unseen, leased }) => ({
    id: BigInt(id),
    unseenSeconds: Number(unseen),
    leased: BigInt(leased),
  }))
}

/** The rows of these requests: what each cost and was charged, in nano-dollars. */
export async function rowsOf({ db }: Pick<Store, 'db'>, requestIds: readonly string[]): Promise<Map<string, { cost: bigint }>> {
  const rows = await db.execute(sql`
    select request_id as id, cost::text from logs where request_id in (select jsonb_array_elements_text(${JSON.stringify(requestIds)}::text::jsonb))`)
  return new Map(returned<{ id: string; cost: string }>(rows).map(({ id, cost }) => [id, { cost: BigInt(cost) }]))
}

/** Removes the statement timeout in this transaction. */
export async function waitForStatements(tx: Db): Promise<void> {
  await tx.execute(sql`set local statement_timeout = 0`)
  // A killed reader cannot cancel: the server checks whether the connection still exists.
  await tx.execute(sql`select set_config(name, '1s', true) from pg_settings where name = 'client_connection_check_interval'`)
}
