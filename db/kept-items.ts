/** Conversations that Responses clients create themselves, and the items in them. Sealed: only the program can read them. */
import { foreignKey, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One row per conversation. */
export const itemConversations = pgTable(
  'item_conversations',
  {
    /** The id of the owning user or team; deleted with them (`deleteStateOf`). */
    tenant: text('tenant').notNull(),
    id: text('id').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** Number of items it ever had: the position of the next one. */
    places: integer('places').notNull(),
    /** The client's metadata, as JSON: AES-256-GCM, with tenant and id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] }), index('item_conversations_expires').on(table.expiresAt)],
)

/** The items of a conversation, each in pieces, so that no statement carries more than one. */
export const keptItems = pgTable(
  'kept_items',
  {
    tenant: text('tenant').notNull(),
    /** The conversation's id. */
    conversation: text('conversation').notNull(),
    /** From 0 on, in the order in which they were added. */
    place: integer('place').notNull(),
    /** The piece, from 0 on. */
    piece: integer('piece').notNull(),
    /** The item's id, as clients name it. */
    item: text('item').notNull(),
    /** Of the first piece: the number of pieces, and the bytes sealed in all of them; 0 in others. */
    pieces: integer('pieces').notNull(),
    bytes: integer('bytes').notNull(),
    /** JSON: AES-256-GCM, with tenant, conversation, item and piece as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.conversation, table.place, table.piece] }),
    foreignKey({
      columns: [table.tenant, table.conversation],
      foreignColumns: [itemConversations.tenant, itemConversations.id],
    }).onDelete('cascade'),
  ],
)
