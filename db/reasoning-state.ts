/** Sealed state that conversations need to continue: state of tool calls, and conversations stored for clients. */
import { foreignKey, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/**
 * State of tool calls, stored for an hour, written in batches in the background: without a foreign key, so that a removed user does not
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
    /** The id of the owning user or team; deleted with them (`deleteStateOf`). */
    tenant: text('tenant').notNull(),
    /** The response that this one continues; it may have been deleted. */
    previousId: text('previous_id'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** AES-256-GCM, with tenant and id as associated data; of a large one the beginning. */
    sealed: text('sealed').notNull(),
    /** Bytes of sealed text in the rows of `storedPieces`. A row with fewer bytes there was never finished. */
    furtherBytes: integer('further_bytes').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] }), index('stored_responses_expires').on(table.expiresAt)],
)

/** The rest of large stored responses, so that no statement carries more than a piece. */
export const storedPieces = pgTable(
  'stored_pieces',
  {
    tenant: text('tenant').notNull(),
    /** The response's id. */
    id: text('id').notNull(),
    /** From 1 on. */
    place: integer('place').notNull(),
    /** AES-256-GCM, with tenant, id and place as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.id, table.place] }),
    foreignKey({ columns: [table.tenant, table.id], foreignColumns: [storedResponses.tenant, storedResponses.id] }).onDelete('cascade'),
  ],
)
