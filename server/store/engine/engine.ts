/** What an engine must be able to do; `open.ts` makes a Store of it. */
import type { Db, MirroredTable, SignalTopic } from './store.ts'

export interface Engine {
  db: Db
  /** Present where several processes may share the database. */
  others?: Others
  close(): Promise<void>
}

export interface Others {
  announce(topic: MirroredTable | SignalTopic, id: string): Promise<void>
  /** Hears the changes of other instances, not its own; `again` is called when some may have been missed. */
  listen(heard: (table: string, id: string) => void, again: () => void): Promise<void>
}
