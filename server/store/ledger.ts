/**
 * Wallets, holds and entries. Always true, whatever runs at once: balance = sum of the entries, held = sum of the open
 * holds, balance - held >= 0. Amounts are nano-dollars. Everything is idempotent by its id, and each operation is one
 * statement, so that a hot wallet is locked for one trip only. Statements lock the hold first, then its wallet, and what they
 * write back is computed from the row they locked: a statement that had to wait still sees its old snapshot of any other row,
 * and a check constraint would judge the sum made from that.
 */
import { eq, inArray, sql } from 'drizzle-orm'
import { entries, holds, logs, wallets } from '#db/schema'
import { returned } from './returned.ts'
import { sqlState, uniqueViolation } from './sql-state.ts'
import type { Db, Store } from './store.ts'

/** A usage row before it is known what was charged. */
export type NewLog = Omit<typeof logs.$inferInsert, 'charged'>

export interface NewHold {
  /** The request id. */
  id: string
  walletId: string
  amount: bigint
  /** Who opens it: see `releaseLeftovers`. */
  instance: string
  at: Date
}

/**
 * Sets the amount aside, or answers false when the wallet cannot cover it. True when a hold of this id is open already; its
 * amount stays as it was. A request that has its usage row is over: false.
 */
export async function openHold(store: Store, { id, walletId, amount, instance, at }: NewHold): Promise<boolean> {
  try {
    const result = await store.db.execute(sql`
      with open as (select id from holds where id = ${id}),
      taken as (
        update wallets set held = held + ${amount}::bigint
        where id = ${walletId} and balance - held >= ${amount}::bigint
          and not exists (select from open) and not exists (select from logs where request_id = ${id})
        returning id
      ),
      opened as (
        insert into holds (id, wallet_id, amount, instance, opened_at)
        select ${id}, id, ${amount}::bigint, ${instance}, ${sql.param(at, holds.openedAt)} from taken
        returning id
      )
      select id from open union all select id from opened`)
    if (returned(result).length > 0) return true
  } catch (thrown) {
    if (sqlState(thrown) !== uniqueViolation) throw thrown
  }
  // Refused, or opened by another call while this one waited for the wallet.
  return (await store.db.select({ id: holds.id }).from(holds).where(eq(holds.id, id))).length > 0
}

/** Adds to an open hold. False when the wallet cannot cover it, or when the hold is closed. */
export async function growHold(store: Store, { id, extra }: { id: string; extra: bigint }): Promise<boolean> {
  const result = await store.db.execute(sql`
    with hold as (select id, wallet_id from holds where id = ${id} for update),
    taken as (
      update wallets set held = held + ${extra}::bigint from hold
      where wallets.id = hold.wallet_id and balance - held >= ${extra}::bigint
      returning hold.id
    )
    update holds set amount = amount + ${extra}::bigint from taken where holds.id = taken.id returning holds.id`)
  return returned(result).length > 0
}

export interface Settlement {
  /** The request id. */
  id: string
  cost: bigint
  at: Date
  actor: string
  reason: string
  log: NewLog
}

/**
 * Closes the hold, takes the cost from the wallet and writes the usage row. What the hold does not cover comes out of what is
 * free in the balance; only the rest is not charged. A second call changes nothing and answers as the first.
 */
export async function settleHold(store: Store, { id, cost, at, actor, reason, log }: Settlement): Promise<{ charged: bigint }> {
  const charge = sql<bigint>`(select coalesce(max(charged), 0) from bill)`
  const result = await store.db.execute(sql`
    with hold as (delete from holds where id = ${id} returning wallet_id, amount),
    bill as (
      select wallets.id as wallet_id, amount, balance, held, greatest(0, least(${cost}::bigint, balance - held + amount)) as charged
      from wallets join hold on wallets.id = wallet_id for update of wallets
    ),
    paid as (
      update wallets set balance = bill.balance - charged, held = bill.held - amount from bill where wallets.id = bill.wallet_id
    ),
    entered as (
      insert into entries (wallet_id, amount, kind, ref, actor, reason, at)
      select wallet_id, -charged, 'usage', ${`usage:${id}`}, ${actor}, ${reason}, ${sql.param(at, entries.at)} from bill where charged > 0
    ),
    logged as ${store.db
      .insert(logs)
      .values({ ...log, charged: charge })
      .onConflictDoNothing()}
    select charged from bill`)
  const [bill] = returned<{ charged: string }>(result)
  if (bill) return { charged: BigInt(bill.charged) }
  const [known] = await store.db.select({ charged: logs.charged }).from(logs).where(eq(logs.requestId, id))
  return { charged: known?.charged ?? 0n }
}

/** Closes the hold without a charge and writes the usage row. A second call, or one after `settleHold`, changes nothing. */
export async function releaseHold(store: Store, { id, log }: { id: string; log: NewLog }): Promise<void> {
  await settleHold(store, { id, cost: 0n, at: log.at, actor: '', reason: '', log })
}

/** The usage row of a request that never had a hold. The first row of a request stays. */
export async function insertLog(store: Store, log: NewLog): Promise<void> {
  await store.db
    .insert(logs)
    .values({ ...log, charged: 0n })
    .onConflictDoNothing()
}

/** Releases every hold that an earlier run of this instance left open; answers how many. Only at start: it would close live ones. */
export async function releaseLeftovers(store: Store, instance: string): Promise<number> {
  const result = await store.db.execute(sql`
    with gone as (delete from holds where instance = ${instance} returning wallet_id, amount),
    sums as (select wallet_id, sum(amount)::bigint as amount from gone group by wallet_id),
    -- In one order, so that two instances starting together never wait for each other.
    locked as (select id, held from wallets where id in (select wallet_id from sums) order by id for update),
    freed as (
      update wallets set held = locked.held - sums.amount from sums join locked on locked.id = sums.wallet_id where wallets.id = sums.wallet_id
    )
    select count(*)::int as count from gone`)
  return returned<{ count: number }>(result)[0]?.count ?? 0
}

/** An empty wallet, if there is none yet. */
export async function openWallet(db: Db, userId: string): Promise<void> {
  await db.insert(wallets).values({ id: userId }).onConflictDoNothing()
}

export interface Posting {
  walletId: string
  /** Negative takes from the wallet. */
  amount: bigint
  /** Makes it happen once: see `entries.ref`. */
  ref: string
  kind: 'grant' | 'credit'
  actor: string
  reason: string
  at: Date
}

/** Changes a balance, once per `ref`; answers whether this call did. SQLSTATE 23514 when the balance does not allow it, 23503 without a wallet. */
export async function postGrant(db: Db, { walletId, amount, ref, kind, actor, reason, at }: Posting): Promise<boolean> {
  const entry = db.insert(entries).values({ walletId, amount, kind, ref, actor, reason, at }).onConflictDoNothing()
  const result = await db.execute(sql`
    with entered as ${entry.returning()}
    update wallets set balance = balance + entered.amount from entered where wallets.id = entered.wallet_id returning wallets.id`)
  return returned(result).length > 0
}

export interface Wallet {
  id: string
  /** Everything posted so far, open holds included: what can be spent is `balance - held`. */
  balance: bigint
  held: bigint
}

/** By id; a user without a wallet is missing. */
export async function readWallets(db: Db, ids: readonly string[]): Promise<Map<string, Wallet>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(wallets)
    .where(inArray(wallets.id, [...ids]))
  return new Map(rows.map((row) => [row.id, row]))
}
