/**
 * Slices of accounts that an instance spends in memory, so that no database call stands before a request. The statements that
 * move money between the two are in the function `books_sync` of the migrations.
 */
import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { accounts } from './ledger.ts'

/** One row per process start. Its id is drawn, not counted: never used again, even if the database forgets that it was. */
export const instances = pgTable('instances', {
  id: bigint('id', { mode: 'bigint' })
    .primaryKey()
    .default(sql`('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint`),
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
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
    /** How much of it is in open holds, as the instance last said. */
    held: bigint('held', { mode: 'bigint' }).notNull().default(sql`0`),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.accountId] }),
    index('leases_account').on(table.accountId),
    check('leases_not_negative', sql`${table.held} >= 0 and ${table.amount} >= ${table.held}`),
  ],
)
