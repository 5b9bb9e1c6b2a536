/** Opens the configured database, migrates it, and subscribes to changes of other instances. */

import { sql } from 'drizzle-orm'
import type { Clock, Random } from '#runtime/clock'
import { lockFolder } from '#runtime/folder-lock'
import { type ChangeHub, createChanges } from './changes.ts'
import { migrate } from './migrate.ts'
import type { Engine, Store } from './store.ts'

/** Which database to open. */
export interface StoreOptions {
  /** A PostgreSQL URL; absent = the embedded engine in the data folder. */
  databaseUrl?: string
  /** Locked while the store is open, with either engine. */
  dataFolder: string
  /** Gets progress at start and background errors later; one line each. */
  log?: (message: string) => void
  clock: Clock
  random: Random
}

const pollMs = 30_000
/** Number of steps in which a timeout is waited for. */
const steps = 4

/** A store whose data folder is locked and whose database is being opened, while the rest of the program is loaded. */
export interface OpeningStore {
  /** Throws Errors whose message is one line for the operator, without a password. Nothing stays open then. */
  finish(): Promise<Store>
  /** Closes what was opened; after `finish` nothing. */
  abandon(): Promise<void>
}

/** Opens the store. Throws what `OpeningStore.finish` throws. */
export async function openStore(options: StoreOptions): Promise<Store> {
  return beginStore(options).finish()
}

/** Locks the data folder, and throws if it is in use; opens a database that exists. One that has to be created waits for `finish`. */
export function beginStore(options: StoreOptions): OpeningStore {
  const { databaseUrl, dataFolder, clock, log = () => {} } = options
  const lock = lockFolder(dataFolder)
  const undo: (() => unknown)[] = [() => lock.release()]
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const wanted = Promise.withResolvers<void>()
  const engine = openEngine(options, log, wanted.promise)
  // Failures are reported by `finish`.
  engine.catch(() => {})
  wanted.promise.catch(() => {})
  let finished = false
  return {
    async finish() {
      finished = true
      wanted.resolve()
      try {
        return await storeOn(await engine)
      } catch (thrown) {
        await close()
        throw thrown
      }
    },
    async abandon() {
      if (finished) return
      wanted.reject(new Error('not wanted any more'))
      await engine.then((opened) => opened.close()).catch(() => {})
      await close()
    },
  }

  async function storeOn(engine: Engine): Promise<Store> {
    undo.push(() => engine.close())
    await migrate(engine.db, log)
    const worker = engine.worker(clock)
    undo.push(() => worker.close())
    const { changes, close: stopListening } = await listenFor(engine, clock, log)
    undo.push(stopListening)
    return {
      db: engine.db,
      engine: databaseUrl === undefined ? 'embedded' : 'postgres',
      changes,
      signals: changes.signals,
      worker,
      alive: (ms) => alive(engine, clock, ms),
      close,
    }
  }
}

/** Only the driver that is used is loaded. */
async function openEngine(
  { databaseUrl, dataFolder, random, clock }: StoreOptions,
  log: (message: string) => void,
  wanted: Promise<void>,
): Promise<Engine> {
  if (databaseUrl === undefined) {
    const { isEmbedded, openEmbedded } = await import('./embedded.ts')
    if (!(await isEmbedded(dataFolder))) await wanted
    return openEmbedded(dataFolder, log)
  }
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(databaseUrl, random.hex(8), { clock })
}

async function listenFor(
  { others }: Engine,
  clock: Clock,
  log: (message: string) => void,
): Promise<{ changes: ChangeHub; close(): Promise<void> }> {
  const changes = createChanges({ clock, log, ...(others && { pollMs, announce: others.announce }) })
  const listening = await others?.listen(clock, changes.received, changes.missed)
  return {
    changes,
    async close() {
      changes.close()
      await listening?.close()
    },
  }
}

async function alive({ db }: Engine, clock: Clock, ms: number): Promise<boolean> {
  const answered = new AbortController()
  const answer = db.execute(sql`select 1`).then(
    () => true,
    () => false,
  )
  // In steps: if this thread was busy meanwhile, pending answers are read between the first and the last.
  const silence = (async () => {
    for (let step = 0; step < steps; step++) await clock.sleep(ms / steps, answered.signal)
  })().then(
    () => false,
    () => false,
  )
  return Promise.race([answer, silence]).finally(() => answered.abort())
}
