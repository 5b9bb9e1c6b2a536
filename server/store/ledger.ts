/**
 * Wallets and entries. Always true, whatever runs at once: what is free of a wallet and what instances have on lease of it add up to
 * its entries. Amounts are nano-dollars. What requests move is moved by `leases.ts`.
 */
import { eq, inArray, sql } from 'drizzle-orm'
import { accounts, entries, leases, logs } from '#db/schema'
import { returned } from './returned.ts'
import type { Db, Store } from './store.ts'

/** A usage row before it is known what was charged. */
export type NewLog = Omit<typeof logs.$inferInsert, 'charged'>

/** The usage row of a request that never had a hold. The first row of a request stays. */
export async function insertLog(store: Store, log: NewLog): Promise<void> {
  await store.db
    .insert(logs)
    .values({ ...log, charged: 0n })
    .onConflictDoNothing()
}

/** An empty wallet, if there is none yet. */
export async function openWallet(db: Db, userId: string): Promise<void> {
  await db.insert(accounts).values({ id: userId }).onConflictDoNothing()
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

/** Changes what is free of a balance, once per `ref`; answers whether this call did. SQLSTATE 23514 when too little is free, 23503 without a wallet. */
export async function postGrant(db: Db, { walletId, amount, ref, kind, actor, reason, at }: Posting): Promise<boolean> {
  const entry = db.insert(entries).values({ walletId, amount, kind, ref, actor, reason, at }).onConflictDoNothing()
  const result = await db.execute(sql`
    with entered as ${entry.returning()}
    update accounts set free = free + entered.amount from entered where accounts.id = entered.wallet_id returning accounts.id`)
  return returned(result).length > 0
}

export interface Wallet {
  id: string
  /** Everything posted so far, open holds included: what can be spent is `balance - held`. */
  balance: bigint
  /** What is in open holds, as their instances last said: within a second, and at once when a request has ended. */
  held: bigint
}

/** By id; a user without a wallet is missing. */
export async function readWallets(db: Db, ids: readonly string[]): Promise<Map<string, Wallet>> {
  if (ids.length === 0) return new Map()
  const sum = (column: typeof leases.amount | typeof leases.held) => sql`coalesce(sum(${column}), 0)::bigint`
  const rows = await db
    .select({
      id: accounts.id,
      balance: sql`${accounts.free} + ${sum(leases.amount)}`.mapWith(BigInt),
      held: sum(leases.held).mapWith(BigInt),
    })
    .from(accounts)
    .leftJoin(leases, eq(leases.accountId, accounts.id))
    .where(inArray(accounts.id, [...ids]))
    .groupBy(accounts.id)
  return new Map(rows.map((row) => [row.id, row]))
}
