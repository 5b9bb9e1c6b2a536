/** Work that upstreams finish long after the request: where, and its progress. Sealed: only the program can read it. */
import { index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

const upstreamWork = (name: string) =>
  pgTable(
    name,
    {
      id: text('id').primaryKey(),
      /** The id of the user or team. */
      tenant: text('tenant').notNull(),
      keyId: text('key_id'),
      /** The request that started it, whose log row is written when it has ended. */
      requestId: text('request_id').notNull(),
      /** `queued`, `in_progress`, `completed`, `failed` or `cancelled`. */
      state: text('state').notNull(),
      /** Percent. */
      progress: integer('progress').notNull(),
      createdAt: instant('created_at').notNull(),
      /** When it was settled. */
      endedAt: instant('ended_at'),
      /** When the row is deleted. */
      expiresAt: instant('expires_at').notNull(),
      /** Further facts as JSON: AES-256-GCM, with the id as associated data. */
      sealed: text('sealed').notNull(),
    },
    (table) => [index(`${name}_tenant`).on(table.tenant, table.createdAt), index(`${name}_expires`).on(table.expiresAt)],
  )

/** Videos. */
export const videos = upstreamWork('videos')
/** Background interactions; their content is at the upstream. */
export const interactions = upstreamWork('interactions')
