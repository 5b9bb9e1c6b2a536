/**
 * The only access to the database. One schema, two engines: PostgreSQL by DATABASE_URL, otherwise PGlite in a worker. Modules above
 * see this interface and the row functions next to it (one file per concern); all SQL is in this folder. Inside a transaction every
 * query must use the `tx` handle: on the embedded engine the outer one would wait for ever.
 */
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type * as schema from '#db/schema'
import type { Clock } from '#runtime/clock'
import type { DatabaseWorker } from './database-worker.ts'

/** A Drizzle handle of either engine. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>

/**
 * Tables that are mirrored in memory. Two names are requests about an account: `accounts` says that more of it is available now,
 * `leases` asks every instance to return what it can spare of it. `alerts` only notifies the alert sender: none of it is in memory.
 */
export type MirroredTable =
  | 'users'
  | 'sessions'
  | 'second_factors'
  | 'api_keys'
  | 'management_keys'
  | 'groups'
  | 'teams'
  | 'team_members'
  | 'channels'
  | 'prices'
  | 'settings'
  | 'accounts'
  | 'leases'
  | 'rates'
  | 'alerts'

/**
 * Notifies every instance that a row changed. `publish` is called after the commit; it resolves when this instance's own mirrors have
 * refreshed, so a caller reads its own write. Other instances are notified through NOTIFY, with a slow poll as fallback.
 */
export interface Changes {
  /** `id` undefined: many rows of the table. */
  publish(table: MirroredTable, id: string | undefined): Promise<void>
  /** `refresh(id)` reloads one row, `refresh(undefined)` everything (after a lost connection). */
  subscribe(table: MirroredTable, refresh: (id: string | undefined) => Promise<void>): void
}

/**
 * Messages between instances that are not stored: sent once to connected instances, and sometimes lost. A text is at most
 * `longestSignal` ASCII characters; receivers must validate it.
 */
export interface Signals {
  /** Never rejects and does not wait. Does nothing where this is the only process. */
  send(topic: SignalTopic, text: string): void
  onSignal(topic: SignalTopic, listener: (text: string) => void): void
}

/** Topics of signals. */
export type SignalTopic = 'health' | 'requests' | 'replays'

/** Characters. PostgreSQL's limit of a notification is 7,999 bytes, including origin and topic. */
export const longestSignal = 7_900

/** An open database. */
export interface Store {
  readonly db: Db
  readonly engine: 'postgres' | 'embedded'
  readonly changes: Changes
  readonly signals: Signals
  /** Runs work off this thread; absent where there is only a connection, as in a draft. */
  readonly worker?: DatabaseWorker
  /** True when the database answers within `ms`. */
  alive(ms: number): Promise<boolean>
  close(): Promise<void>
}

/** What an engine gives a store: `open.ts` builds one on it. */
export interface Engine {
  db: Db
  /** Present where several processes may share the database. */
  others?: Others
  /** The worker beside the database, which starts with its first call. To be closed before the engine. */
  worker(clock: Clock): DatabaseWorker & { close(): Promise<void> }
  close(): Promise<void>
}

/** Messages between instances. */
export interface Others {
  announce(topic: MirroredTable | SignalTopic, id: string): Promise<void>
  /** Reports changes made by other instances, not by this one, until it is closed; `missed` is called when some may have been missed. */
  listen(clock: Clock, received: (table: string, id: string) => void, missed: () => void): Promise<{ close(): Promise<void> }>
}
