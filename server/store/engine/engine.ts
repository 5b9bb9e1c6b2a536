/** The interface of a database engine; `open.ts` builds a Store on it. */
import type { Db, MirroredTable, SignalTopic } from './store.ts'

/** An open database. */
export interface Engine {
  db: Db
  /** Present where several processes may share the database. */
  others?: Others
  close(): Promise<void>
}

/** Messages between instances. */
export interface Others {
  announce(topic: MirroredTable | SignalTopic, id: string): Promise<void>
  /** Reports changes made by other instances, not by this one; `again` is called when some may have been missed. */
  listen(heard: (table: string, id: string) => void, again: () => void): Promise<void>
}
