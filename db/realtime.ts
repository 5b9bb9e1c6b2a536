/** Realtime sessions: their stored state other than usage rows. */
import { index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** Use counts of short-lived keys with limited uses. Their content is in the key itself. */
export const liveTokens = pgTable(
  'live_tokens',
  {
    id: text('id').primaryKey(),
    used: integer('used').notNull(),
    /** When the key expires and the row is deleted. */
    expiresAt: timestamp('expires_at', { withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [index('live_tokens_expires').on(table.expiresAt)],
)

/** WebRTC and SIP calls held by upstreams: where each is held. Sealed: only the program can read it. */
export const realtimeCalls = pgTable(
  'realtime_calls',
  {
    id: text('id').primaryKey(),
    /** The id of the user or team. */
    tenant: text('tenant').notNull(),
    keyId: text('key_id').notNull(),
    /** The request that opened it. */
    requestId: text('request_id').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull(),
    endedAt: timestamp('ended_at', { withTimezone: true, mode: 'date' }),
    /** When the row is deleted. */
    expiresAt: timestamp('expires_at', { withTimezone: true, mode: 'date' }).notNull(),
    /** Further facts as JSON: AES-256-GCM, with the id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [index('realtime_calls_expires').on(table.expiresAt)],
)
