/**
 * Leases: parts of accounts that an instance spends in memory, so that no request waits for the database. The functions `books_sync`
 * and, for the usual batch of rows, `books_sync_lines` of the migrations move money between accounts and leases.
 */
import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { accounts } from './ledger.ts'

/** One row per process start. Its id is random, not sequential: never reused, even if the database loses the row. */
export const instances = pgTable('instances', {
  id: bigint('id', { mode: 'bigint' })
    .primaryKey()
    .default(sql`('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint`),
  /** The data folder that holds its journal. */
  folder: text('folder').notNull(),
  /** `closed`: its leases were returned, and it cannot get new ones. */
  state: text('state', { enum: ['live', 'closed'] })
    .notNull()
    .default('live'),
  /** The number of its last call. A delayed call has a smaller one and is rejected. */
  seq: bigint('seq', { mode: 'bigint' }).notNull().default(sql`0`),
  seen: timestamp('seen', { withTimezone: true, mode: 'date' }).notNull().default(sql`clock_timestamp()`),
  /** It is writing back what this database has lost: no instance takes meanwhile. */
  telling: boolean('telling').notNull().default(false),
})

/**
 * One row: the last time that the database was found to have lost commits, or to be a different server. Until every instance of
 * that time has called again no instance takes anything.
 */
export const recoveries = pgTable('recoveries', {
  id: integer('id').primaryKey(),
  /** The server's timeline, which a promotion changes; 0 where it has none. */
  timeline: bigint('timeline', { mode: 'bigint' }).notNull(),
  since: timestamp('since', { withTimezone: true, mode: 'date' }).notNull(),
  /** The instances that were live then, with the number of their last call known to this database. */
  due: jsonb('due').$type<Record<string, string>>().notNull(),
})

/** Leases of instances. */
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
    /** How much of it is in open holds, as last reported by the instance. */
    held: bigint('held', { mode: 'bigint' }).notNull().default(sql`0`),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.accountId] }),
    index('leases_account').on(table.accountId),
    check('leases_not_negative', sql`${table.held} >= 0 and ${table.amount} >= ${table.held}`),
  ],
)
