/** Who changed what, and when. Append-only, like the entries: a trigger refuses update, delete and truncate. */
import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** The audit trail. */
export const audit = pgTable(
  'audit',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull().default(sql`clock_timestamp()`),
    /** Id of a user or of a management key, or `file`, `setup`, `environment`, `anyone`. */
    actor: text('actor').notNull(),
    /** Its name at that time; null where no one was signed in. */
    actorName: text('actor_name'),
    /** Of a management key: the id of the user who owns it, and their name at that time. */
    ownerId: text('owner_id'),
    ownerName: text('owner_name'),
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
    index('audit_owner').on(table.ownerId, table.id).where(sql`owner_id is not null`),
  ],
)
