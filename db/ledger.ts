/** Money: wallets, open holds, and the append-only entries behind every balance. All amounts in nano-dollars. */
import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const wallets = pgTable(
  'wallets',
  {
    /** The user's id. */
    id: text('id').primaryKey(),
    balance: bigint('balance', { mode: 'bigint' }).notNull().default(sql`0`),
    held: bigint('held', { mode: 'bigint' }).notNull().default(sql`0`),
  },
  (table) => [check('wallets_not_overdrawn', sql`${table.held} >= 0 and ${table.balance} - ${table.held} >= 0`)],
)

/** A row exists exactly while its request is open. */
export const holds = pgTable(
  'holds',
  {
    /** The request id. */
    id: text('id').primaryKey(),
    walletId: text('wallet_id')
      .notNull()
      .references(() => wallets.id),
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
    /** Which process start opened it, so that the next start can release what an earlier one left. */
    instance: text('instance').notNull(),
    openedAt: instant('opened_at').notNull(),
  },
  (table) => [
    index('holds_wallet').on(table.walletId),
    index('holds_instance').on(table.instance),
    check('holds_not_negative', sql`${table.amount} >= 0`),
  ],
)

export const entryKinds = ['grant', 'credit', 'usage'] as const

/** Append-only: a trigger refuses update, delete and truncate. `balance = sum(amount)` for every wallet. */
export const entries = pgTable(
  'entries',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    walletId: text('wallet_id')
      .notNull()
      .references(() => wallets.id),
    /** Positive adds to the balance, negative takes from it. */
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
    kind: text('kind', { enum: entryKinds }).notNull(),
    /** What this entry is for; makes every posting idempotent: `usage:<request id>`, `grant:<user id>`, `credit:<key>`. */
    ref: text('ref').notNull().unique(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    at: instant('at').notNull(),
  },
  (table) => [index('entries_wallet').on(table.walletId, table.id)],
)
