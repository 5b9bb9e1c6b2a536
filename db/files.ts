/** Files that users upload for their requests. Sealed: only the program can read them. */
import { bigint, boolean, foreignKey, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One row per file; its content is in pieces. */
export const storedFiles = pgTable(
  'stored_files',
  {
    /** The id of the owning user or team; deleted with them (`deleteStateOf`). */
    tenant: text('tenant').notNull(),
    /** The common part of its ids in all protocols. */
    id: text('id').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    /** The content is complete. */
    isWhole: boolean('is_whole').notNull(),
    /** Of the file itself. */
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    pieces: integer('pieces').notNull(),
    purpose: text('purpose').notNull(),
    /** Name and type as JSON: AES-256-GCM, with tenant and id as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] }), index('stored_files_expires').on(table.expiresAt)],
)

/** The content of files in pieces, so that no statement carries more than one. */
export const storedFilePieces = pgTable(
  'stored_file_pieces',
  {
    tenant: text('tenant').notNull(),
    /** The file's id. */
    id: text('id').notNull(),
    /** From 0 on. */
    place: integer('place').notNull(),
    /** Base64: AES-256-GCM, with tenant, id and place as associated data. */
    sealed: text('sealed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.id, table.place] }),
    foreignKey({ columns: [table.tenant, table.id], foreignColumns: [storedFiles.tenant, storedFiles.id] }).onDelete('cascade'),
  ],
)
