/** Who changed what, and when. Append-only, like the entries: a trigger refuses update, delete and truncate. */
import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** The audit trail. */
export const audit = pgTable(
  'audit',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull().default(sql`clock_timestamp()`),
    /** A user's id, or `file`, `setup`, `environment`, `anyone`. */
    actor: text('actor').notNull(),
    /** The user's name at that time; null where nobody was signed in. */
    actorName: text('actor_name'),
    /** `key.create`, `user.credit`, ... */
    action: text('action').notNull(),
    /** Id of the row that changed. */
    target: text('target').notNull(),
    /** Its name at that time. */
    targetName: text('target_name').notNull(),
    /** The changed fields before the change; null where the row did not exist. Without secrets. */
    before: jsonb('before').$type<Record<string, unknown>>(),
    /** The same fields after the change; null where the row was removed. */
    after: jsonb('after').$type<Record<string, unknown>>(),
    requestId: text('request_id'),
  },
  (table) => [
    index('audit_actor').on(table.actor, table.id),
    index('audit_target').on(table.target, table.id),
    index('audit_action').on(table.action, table.id),
  ],
)
