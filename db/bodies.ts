/** Locations of kept bodies. The bodies themselves are in files, or in a bucket. */
import { boolean, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One row per kept request. Deleting it deletes the only key of its record, which is unreadable from then on. */
export const keptBodies = pgTable(
  'kept_bodies',
  {
    requestId: text('request_id').primaryKey(),
    at: instant('at').notNull(),
    /** The user or team that paid; these rows are removed with it. */
    userId: text('user_id').notNull(),
    /** If a team pays: the sender, `<team>.<user>`. */
    memberId: text('member_id'),
    /** Null for a request of the playground. */
    keyId: text('key_id'),
    /** The installation that wrote it. */
    instance: text('instance').notNull(),
    /** The name of its file. */
    segment: text('segment').notNull(),
    /** Offset of its record in the file, in bytes. */
    offset: integer('offset').notNull(),
    /** Bytes of the stored record. */
    length: integer('length').notNull(),
    /** The record's key: AES-256-GCM under the master key, with the request id as associated data. */
    sealedKey: text('sealed_key').notNull(),
    /** Whether something was blanked before it was written. */
    redacted: boolean('redacted').notNull(),
  },
  (table) => [
    index('kept_bodies_segment').on(table.instance, table.segment),
    index('kept_bodies_user').on(table.userId, table.at),
    index('kept_bodies_key').on(table.keyId, table.at),
  ],
)
