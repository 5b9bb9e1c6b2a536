/**
 * Limits that all instances keep together: how much of each was taken in the last minute, and how many places each instance
 * has. Worth no money, so nothing here outlives an hour of disuse. The statements are in the migration named `rates`.
 */
import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One limit of one key, user or group. Locked by whoever takes. */
export const rates = pgTable('rates', {
  id: text('id').primaryKey(),
  /** The newest sub-window, in five seconds since the epoch. */
  slot: bigint('slot', { mode: 'bigint' }).notNull(),
  /** Taken in each sub-window, the newest first. */
  ring: bigint('ring', { mode: 'bigint' }).array().notNull(),
  /** When all were asked to give back what they can spare. */
  recalled: instant('recalled'),
})

/** One row per process start. */
export const rateHolders = pgTable('rate_holders', {
  id: text('id').primaryKey(),
  /** The number of its last call. A call that arrives late has a smaller one, and is refused. */
  seq: bigint('seq', { mode: 'bigint' }).notNull(),
  seen: instant('seen').notNull(),
})

/** Places of a limit of requests at once. */
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
