/**
 * The only database access. One schema, two engines: PostgreSQL by DATABASE_URL, PGlite in a worker otherwise. Rooms above
 * see this interface and the row functions beside it (one file per concern); no SQL leaves this room.
 * Inside a transaction every query must go through the `tx` handle: on the embedded engine the outer one would wait for ever.
 */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type * as schema from '#db/schema'

export type Db = PgDatabase<PgQueryResultHKT, typeof schema>

/**
 * Tables that rooms keep in memory. An account is there in slices: `accounts` says that one has more now, `leases` asks everybody to
 * give back what they can spare of it.
 */
export type MirroredTable =
  | 'users'
  | 'sessions'
  | 'api_keys'
  | 'groups'
  | 'channels'
  | 'prices'
  | 'settings'
  | 'accounts'
  | 'leases'
  | 'rates'

/**
 * Tells every instance that a row changed. `publish` is called after the commit; it resolves when this instance's own
 * mirrors have refreshed, so a caller reads its own write. Other instances hear it through NOTIFY, and a slow poll is the net.
 */
export interface Changes {
  /** `id` undefined: many rows of the table. */
  publish(table: MirroredTable, id: string | undefined): Promise<void>
  /** `refresh(id)` reloads one row, `refresh(undefined)` everything (after a lost connection). */
  subscribe(table: MirroredTable, refresh: (id: string | undefined) => Promise<void>): void
}

/**
 * News between instances that no table holds: told once, heard by whoever is there, and sometimes lost. A text is at most
 * `longestSignal` characters of ASCII; what it says must be judged by who hears it.
 */
export interface Signals {
  /** Never rejects and waits for nothing. Nobody hears it where this is the only process. */
  send(topic: SignalTopic, text: string): void
  hear(topic: SignalTopic, listener: (text: string) => void): void
}

export type SignalTopic = 'health'

/** PostgreSQL takes 7,999 bytes of a notice, with who says it and about what. */
export const longestSignal = 7_900

export interface Store {
  readonly db: Db
  readonly engine: 'postgres' | 'embedded'
  readonly changes: Changes
  readonly signals: Signals
  /** Answers within `ms`, or false. */
  alive(ms: number): Promise<boolean>
  close(): Promise<void>
}
