/** Work that outlasts a request. A row exists only while there is something to do; its data is in other tables. */
import { boolean, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const jobs = pgTable(
  'jobs',
  {
    /** The id of the row with its data. */
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    createdAt: instant('created_at').notNull(),
    /** The process that runs it; null = none yet. */
    runner: text('runner'),
    /** The runner's last heartbeat. */
    beatAt: instant('beat_at').notNull(),
    /** A stop was requested. */
    stop: boolean('stop').notNull().default(false),
  },
  (table) => [index('jobs_kind').on(table.kind, table.createdAt)],
)
