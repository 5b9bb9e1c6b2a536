/**
 * Rate limits shared by all instances: how much of each was taken in the last minute, and how many concurrent requests each instance
 * may run. No money is involved, so rows are deleted after an hour without use. The statements are in the migration named `rates`.
 */
import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One limit of one key, user or group. Locked while an instance takes from it. */
export const rates = pgTable('rates', {
  id: text('id').primaryKey(),
  /** The newest sub-window: the number of five-second intervals since the epoch. */
  slot: bigint('slot', { mode: 'bigint' }).notNull(),
  /** Taken in each sub-window, newest first. */
  ring: bigint('ring', { mode: 'bigint' }).array().notNull(),
  /** When all instances were last asked to return what they can spare. */
  recalled: instant('recalled'),
})

/** One row per process start. */
export const rateHolders = pgTable('rate_holders', {
  id: text('id').primaryKey(),
  /** The number of its last call. A delayed call has a smaller one and is rejected. */
  seq: bigint('seq', { mode: 'bigint' }).notNull(),
  seen: instant('seen').notNull(),
})

/** How many concurrent requests each instance may run under a limit. */
export const ratePlaces = pgTable(
  'rate_places',
  {
    rateId: text('rate_id')
      .notNull()
      .references(() => rates.id),
    holder: text('holder')
      .notNull()
      .references(() => rateHolders.id, { onDelete: 'cascade' }),
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.rateId, table.holder] }),
    index('rate_places_holder').on(table.holder),
    check('rate_places_positive', sql`${table.amount} > 0`),
  ],
)
