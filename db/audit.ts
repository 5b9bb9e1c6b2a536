/** Who changed what, and when. Append-only, like the entries: a trigger refuses update, delete and truncate. */
import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

export const audit = pgTable(
  'audit',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull().default(sql`clock_timestamp()`),
    /** A user's id, or `file`, `setup`, `environment`. */
    actor: text('actor').notNull(),
    /** What that user was called; null where nobody was signed in. */
    actorName: text('actor_name'),
    /** `key.create`, `user.credit`, ... */
    action: text('action').notNull(),
    /** Id of the row that changed. */
    target: text('target').notNull(),
    /** What it is called, or was. */
    targetName: text('target_name').notNull(),
    /** The fields that changed, as they were; null where nothing was there. Without secrets. */
    before: jsonb('before').$type<Record<string, unknown>>(),
    /** The same fields as they are now; null where nothing is left. */
    after: jsonb('after').$type<Record<string, unknown>>(),
    requestId: text('request_id'),
  },
  (table) => [
    index('audit_actor').on(table.actor, table.id),
    index('audit_target').on(table.target, table.id),
    index('audit_action').on(table.action, table.id),
  ],
)
