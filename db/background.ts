/** Answers of Responses that are made in the background. A row is there only while its answer is being made. */
import { boolean, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const backgroundResponses = pgTable(
  'background_responses',
  {
    /** The id of the owning user or team; deleted with them (`deleteStateOf`). */
    tenant: text('tenant').notNull(),
    id: text('id').notNull(),
    createdAt: instant('created_at').notNull(),
    /** When the instance that makes it was last seen to do so. */
    beatAt: instant('beat_at').notNull(),
    /** Somebody asked that it be cancelled. */
    cancelled: boolean('cancelled').notNull().default(false),
    /** The question and the response so far: AES-256-GCM, with tenant and id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] }), index('background_responses_beat').on(table.beatAt)],
)
