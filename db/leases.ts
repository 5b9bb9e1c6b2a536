/**
 * Slices of wallets that an instance holds in memory, so that no database call stands before a request. `wallets.held` is the sum
 * of these and of the open holds: what is free to take is `balance - held`. The statements that move money are in the migration
 * named `books_sync`.
 */
import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { wallets } from './ledger.ts'

/** One row per process start, its id never used again. */
export const instances = pgTable('instances', {
  id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  /** Which data folder its journal lies in. */
  folder: text('folder').notNull(),
  /** `closed`: its leases went back, and it can take no more. */
  state: text('state', { enum: ['live', 'closed'] })
    .notNull()
    .default('live'),
  /** The number of its last call. A call that arrives late has a smaller one, and is refused. */
  seq: bigint('seq', { mode: 'bigint' }).notNull().default(sql`0`),
  seen: timestamp('seen', { withTimezone: true, mode: 'date' }).notNull().default(sql`clock_timestamp()`),
})

export const leases = pgTable(
  'leases',
  {
    instance: bigint('instance', { mode: 'bigint' })
      .notNull()
      .references(() => instances.id),
    walletId: text('wallet_id')
      .notNull()
      .references(() => wallets.id),
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.walletId] }),
    index('leases_wallet').on(table.walletId),
    check('leases_not_negative', sql`${table.amount} >= 0`),
  ],
)
