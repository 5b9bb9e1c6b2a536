/** Sealed state that conversations need to continue: state of tool calls, and conversations stored for clients. */
import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/**
 * State of tool calls, kept for an hour, written in batches in the background: without a foreign key, so that a removed user does not
 * fail a batch.
 */
export const recollections = pgTable(
  'recollections',
  {
    /** The user's id. */
    tenant: text('tenant').notNull(),
    /** SHA-256 of the call id, hexadecimal. */
    key: text('key').notNull(),
    /** AES-256-GCM, with tenant and key as associated data. */
    sealed: text('sealed').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.key] }), index('recollections_expires').on(table.expiresAt)],
)

/** Conversations stored for clients of Responses. */
export const storedResponses = pgTable(
  'stored_responses',
  {
    id: text('id').notNull(),
    /** The user's id. */
    tenant: text('tenant')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The response that this one continues; it may have been deleted. */
    previousId: text('previous_id'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** AES-256-GCM, with tenant and id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] }), index('stored_responses_expires').on(table.expiresAt)],
)
