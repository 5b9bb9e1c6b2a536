/**
 * Wallets and entries. Invariant under concurrency: the free amount of a wallet and its leases add up to its entries. Amounts are
 * nano-dollars. Charges for requests are in `leases.ts`.
 */
import { eq, inArray, type SQLWrapper, sql } from 'drizzle-orm'
import { accounts, entries, instances, leases, type logs, users } from '#db/schema'
import { inLots } from '#store/engine/batches'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'

/** A usage row before the charged amount is known; `row-detail.ts` packs it for the table. */
export type NewLog = Omit<typeof logs.$inferInsert, 'charged' | 'detail' | 'figures' | 'attempts'> & {
  attempts: NonNullable<typeof logs.$inferInsert.attempts>
  /** The batch that the request belongs to; absent: none. */
  batch?: string
  /** Rows of `recollections` for the row's user, written no later than it. */
  notes?: readonly StateNote[]
  /** The request that this one repeats. */
  replayOf?: string | undefined
}

/** State that a request left in an upstream's account, sealed. */
export interface StateNote {
  key: string
  sealed: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** Creates an empty wallet for each of these users who has none. */
export async function openWallets(db: Db, userIds: readonly string[]): Promise<void> {
  const rows = userIds.map((id) => ({ id }))
  await inLots(rows, (lot) => db.insert(accounts).values(lot).onConflictDoNothing())
}

/** An entry to post, in nano-dollars. */
export interface Posting {
  walletId: string
  /** Negative = taken from the wallet. */
  amount: bigint
  /** Makes the posting idempotent: see `entries.ref`. */
  ref: string
  kind: 'grant' | 'credit'
  actor: string
  reason: string
  at: Date
}

/**
 * Changes the free amount of a wallet, once per `ref`; true when this call posted it. Rejects with SQLSTATE 23514 when too little is
 * free, 23503 without a wallet.
 */
export async function postGrant(db: Db, { walletId, amount, ref, kind, actor, reason, at }: Posting): Promise<boolean> {
  const entry = db.insert(entries).values({ walletId, amount, kind, ref, actor, reason, at }).onConflictDoNothing()
  const result = await db.execute(sql`
    with entered as ${entry.returning()}
    update accounts set free = free + entered.amount from entered where accounts.id = entered.wallet_id returning accounts.id`)
  return returned(result).length > 0
}

/** `postGrant` for many wallets, inside a transaction; resolves to the refs that this call posted. */
export async function postGrants(tx: Db, postings: readonly Posting[]): Promise<Set<string>> {
  const posted: { walletId: string; amount: bigint; ref: string }[] = []
  const { walletId, amount, ref } = entries
  await inLots(postings, async (lot) => {
    posted.push(...(await tx.insert(entries).values(lot).onConflictDoNothing().returning({ walletId, amount, ref })))
  })
  if (posted.length === 0) return new Set()
  const wallets = new Set(posted.map(({ walletId }) => walletId))
  // Locks accounts in the order that all code uses, before the statements that change them.
  await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(inArray(accounts.id, [...wallets]))
    .orderBy(accounts.id)
    .for('no key update')
  await inLots(posted, async (lot) => {
    const rows = lot.map(({ walletId, amount }) => sql`(${walletId}::text, ${amount}::bigint)`)
    await tx.execute(sql`
      update accounts set free = free + part.amount
      from (select id, sum(amount) as amount from (values ${sql.join(rows, sql`, `)}) as posted(id, amount) group by id) as part
      where accounts.id = part.id`)
  })
  return new Set(posted.map(({ ref }) => ref))
}

/** A wallet, in nano-dollars. */
export interface Wallet {
  id: string
  /** Everything posted so far, including open holds: available is `balance - held`. */
  balance: bigint
  /**
   * The amount in open holds as instances last reported it: within a second, and at once when a request ends. For a missing
   * instance, its whole lease: it cannot be spent before its journal has been read.
   */
  held: bigint
}

/** Wallets by user id, of these users and teams or of all users; those without one are missing. */
export async function readWallets(db: Db, ids: readonly string[] | 'users'): Promise<Map<string, Wallet>> {
  if (ids.length === 0) return new Map()
  const isMissing = sql`${instances.seen} < clock_timestamp() - interval '60 seconds'`
  const sum = (amount: SQLWrapper) => sql`coalesce(sum(${amount}), 0)::bigint`
  const rows = await db
    .select({
      id: accounts.id,
      balance: sql`${accounts.free} + ${sum(leases.amount)}`.mapWith(BigInt),
      held: sum(sql`case when ${isMissing} then ${leases.amount} else ${leases.held} end`).mapWith(BigInt),
    })
    .from(accounts)
    .leftJoin(leases, eq(leases.accountId, accounts.id))
    .leftJoin(instances, eq(instances.id, leases.instance))
    .where(inArray(accounts.id, ids === 'users' ? db.select({ id: users.id }).from(users) : [...ids]))
    .groupBy(accounts.id)
  return new Map(rows.map((row) => [row.id, row]))
}
