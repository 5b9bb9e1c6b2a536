/** Objects that users created in upstreams' accounts: vector stores, containers, caches. */
import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

/** Kept until it is deleted. Without a foreign key: the object outlives its user here. */
export const upstreamObjects = pgTable(
  'upstream_objects',
  {
    /** The user's or team's id. */
    tenant: text('tenant').notNull(),
    /** Its kind, as requests name it: `vector-store`. */
    kind: text('kind').notNull(),
    /** The upstream's id. */
    id: text('id').notNull(),
    /** The API that created it: `openai`. */
    api: text('api').notNull(),
    /** The ids of the channel and of its key; no key for a channel without any. */
    channel: text('channel').notNull(),
    key: text('key'),
    /** Of a copy of a file that Parley keeps: the file's id. */
    copyOf: text('copy_of'),
    createdAt: timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.kind, table.id] }),
    index('upstream_objects_made').on(table.tenant, table.kind, table.createdAt),
    index('upstream_objects_copies').on(table.tenant, table.copyOf),
  ],
)
