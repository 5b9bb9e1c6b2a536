/** Realtime sessions: what is left of them beside their rows. */
import { index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** How often short-lived keys were used, of those that may be used so many times. What such a key says is in the key itself. */
export const liveTokens = pgTable(
  'live_tokens',
  {
    id: text('id').primaryKey(),
    used: integer('used').notNull(),
    /** When the key has ended, and the row is deleted. */
    expiresAt: timestamp('expires_at', { withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [index('live_tokens_expires').on(table.expiresAt)],
)
