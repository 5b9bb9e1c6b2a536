/**
 * The only database access. One schema, two engines: PostgreSQL by DATABASE_URL, PGlite in a worker otherwise. Rooms above
 * see this interface and the row functions beside it (one file per concern); no SQL leaves this room.
 * Inside a transaction every query must go through the `tx` handle: on the embedded engine the outer one would wait for ever.
 */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type * as schema from '#db/schema'

export type Db = PgDatabase<PgQueryResultHKT, typeof schema>

/** Tables that rooms keep in memory. A wallet is there in slices: its change asks everybody to give back what they can spare. */
export type MirroredTable = 'users' | 'sessions' | 'api_keys' | 'groups' | 'channels' | 'prices' | 'settings' | 'wallets'

/**
 * Tells every instance that a row changed. `publish` is called after the commit; it resolves when this instance's own
 * mirrors have refreshed, so a caller reads its own write. Other instances hear it through NOTIFY, and a slow poll is the net.
 */
export interface Changes {
  publish(table: MirroredTable, id: string): Promise<void>
  /** `refresh(id)` reloads one row, `refresh(undefined)` everything (after a lost connection). */
  subscribe(table: MirroredTable, refresh: (id: string | undefined) => Promise<void>): void
}

export interface Store {
  readonly db: Db
  readonly engine: 'postgres' | 'embedded'
  readonly changes: Changes
  /** Answers within `ms`, or false. */
  alive(ms: number): Promise<boolean>
  close(): Promise<void>
}
