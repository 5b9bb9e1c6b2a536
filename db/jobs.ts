/** Work that lasts longer than a request. A row is there only while there is something to do; what it is about is in tables of its own. */
import { boolean, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const jobs = pgTable(
  'jobs',
  {
    /** That of the row which it is about. */
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    createdAt: instant('created_at').notNull(),
    /** The process that does it; null = nobody yet. */
    runner: text('runner'),
    /** When that was last seen to do it. */
    beatAt: instant('beat_at').notNull(),
    /** Somebody asked that it be stopped. */
    stop: boolean('stop').notNull().default(false),
  },
  (table) => [index('jobs_kind').on(table.kind, table.createdAt)],
)
