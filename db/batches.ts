/** Batches: requests that are sent one by one when there is capacity, and their answers. Sealed: only the program can read them. */
import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const batches = pgTable(
  'batches',
  {
    id: text('id').primaryKey(),
    /** The id of the owning user or team; deleted with them (`deleteStateOf`). */
    tenant: text('tenant').notNull(),
    /** The key that created it and that sends its requests. */
    keyId: text('key_id').notNull(),
    /** The format of its creation: `chat`, `messages` or `gemini`. */
    envelope: text('envelope').notNull(),
    /** The address that its requests are for. */
    endpoint: text('endpoint').notNull(),
    createdAt: instant('created_at').notNull(),
    /** When requests not sent by then are given up. */
    endsAt: instant('ends_at').notNull(),
    /** When it is deleted. */
    expiresAt: instant('expires_at').notNull(),
    /** When its cancellation was requested, and when it ended. */
    cancelledAt: instant('cancelled_at'),
    endedAt: instant('ended_at'),
    total: integer('total').notNull(),
    succeeded: integer('succeeded').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    cancelled: integer('cancelled').notNull().default(0),
    expired: integer('expired').notNull().default(0),
    /** Of its requests, as received. */
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    /** Further facts as JSON: AES-256-GCM, with the id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [index('batches_tenant').on(table.tenant, table.createdAt), index('batches_expires').on(table.expiresAt)],
)

/** One row per request. */
export const batchLines = pgTable(
  'batch_lines',
  {
    batch: text('batch')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    /** From 0 on, in order of arrival. */
    place: integer('place').notNull(),
    /** `waiting`, `succeeded`, `failed`, `cancelled` or `expired`. */
    state: text('state').notNull(),
    /** The request that answered it: its row in the log. */
    requestId: text('request_id'),
  },
  (table) => [primaryKey({ columns: [table.batch, table.place] })],
)

/** Requests and answers in pieces, so that no statement carries more than one. */
export const batchPieces = pgTable(
  'batch_pieces',
  {
    batch: text('batch')
      .notNull()
      .references(() => batches.id, { onDelete: 'cascade' }),
    place: integer('place').notNull(),
    /** 0: request, 1: answer. */
    side: integer('side').notNull(),
    piece: integer('piece').notNull(),
    /** AES-256-GCM, with batch, place, side and piece as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.batch, table.place, table.side, table.piece] })],
)
