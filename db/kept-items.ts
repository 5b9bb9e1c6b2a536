/** Conversations that clients of Responses keep here by themselves, and the items in them. Sealed: only the program can read them. */
import { foreignKey, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One row a conversation. */
export const itemConversations = pgTable(
  'item_conversations',
  {
    /** The id of the user or team whose it is; goes with them (`deleteStateOf`). */
    tenant: text('tenant').notNull(),
    id: text('id').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** How many items it ever had: the place of the next one. */
    places: integer('places').notNull(),
    /** What its client notes of it, as JSON: AES-256-GCM, with tenant and id as associated data. */
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
    /** Of the first piece: how many there are, and the bytes of what is sealed in all of them; 0 of others. */
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
