/** Conversations of the playground that their owner stores or shares. Sealed: only the program can read them. */
import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** Conversations that a user stores on the server. */
export const keptConversations = pgTable(
  'kept_conversations',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The browser's id. */
    id: text('id').notNull(),
    /** When it was last changed, by the clock of the browser. */
    changedAt: instant('changed_at').notNull(),
    /** Bytes of `sealed`. */
    bytes: integer('bytes').notNull(),
    /** AES-256-GCM, with user and id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/** Copies of conversations that anyone with the link may read. */
export const sharedConversations = pgTable(
  'shared_conversations',
  {
    /** At least 128 random bits: whoever has it may read. */
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    title: text('title').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** Bytes of `sealed`. */
    bytes: integer('bytes').notNull(),
    /** AES-256-GCM, with the id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [index('shared_conversations_user').on(table.userId), index('shared_conversations_expires').on(table.expiresAt)],
)
