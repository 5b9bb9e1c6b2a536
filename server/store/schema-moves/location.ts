/**
 * The location of a database: a PostgreSQL URL, or a data folder with an embedded one. Opened by tools while no Parley serves from
 * it: an embedded database only while nothing else uses its folder; a new one appears only when complete.
 */
import { sql } from 'drizzle-orm'
import { exists } from '#runtime/folder'
import { lockFolder } from '#runtime/folder-lock'
import { embeddedFolder, isEmbedded, makeBare, openEmbedded, openMade, replaceWith, tidy } from '#store/engine/embedded'
import { openPostgres } from '#store/engine/postgres'
import { servingName } from '#store/engine/postgres-connections'
import { returned } from '#store/engine/rows'
import { lockNotAvailable, sqlState } from '#store/engine/sql-state'
import type { Db, Engine } from '#store/engine/store'
import { isEmpty, wipe } from './catalog.ts'
import { isMarked, lockSeconds, settle } from './snapshot.ts'

/** A location. */
export interface Place {
  engine: 'postgres' | 'embedded'
  /** A URL or a folder. */
  where: string
}

/** The location for a URL or folder. */
export function placeOf(where: string): Place {
  return { engine: /^postgres(ql)?:\/\//.test(where) ? 'postgres' : 'embedded', where }
}

/** A name for messages, without user and password. */
export function nameOf({ engine, where }: Place): string {
  if (engine === 'embedded') return where
  const url = URL.canParse(where) ? new URL(where) : undefined
  return url ? `${url.host}${url.pathname}` : 'the database'
}

/** True when there is a database; for PostgreSQL only a connection could tell, so always true. */
export async function isThere({ engine, where }: Place): Promise<boolean> {
  return engine === 'postgres' || isEmbedded(where)
}

/**
 * Opens an existing database without migrating it. Throws one-line Errors without a password, also when a running Parley uses the
 * folder.
 */
export async function withDatabase<T>(place: Place, work: (db: Db) => Promise<T>): Promise<T> {
  if (!(await isThere(place))) throw new Error(`there is no database in ${place.where}`)
  if (place.engine === 'postgres') return using(place, await openPostgres(place.where, '', { name: toolName }), work)
  const lock = lockFolder(place.where)
  try {
    return await using(place, await openEmbedded(place.where, () => {}), work)
  } finally {
    lock.release()
  }
}

/**
 * Calls `fill` with a database without tables, in a transaction; when it throws, nothing has changed. Existing data is an error
 * unless `replace` is set; a running Parley always is, and so is the database that the snapshot with this `mark` is read from.
 */
export async function withEmpty<T>(place: Place, replace: boolean, fill: (tx: Db) => Promise<T>, mark?: string): Promise<T> {
  return place.engine === 'postgres' ? emptyPostgres(place, replace, fill, mark) : emptyFolder(place, replace, fill)
}

const toolName = 'parley db'
const taken = (place: Place) => new Error(`${nameOf(place)} is not empty; only an empty database is filled`)

async function emptyPostgres<T>(place: Place, replace: boolean, fill: (tx: Db) => Promise<T>, mark?: string): Promise<T> {
  return using(place, await openPostgres(place.where, '', { name: toolName }), (db) =>
    db.transaction(async (tx) => {
      await settle(tx)
      // The open snapshot would block this for ever.
      if (mark !== undefined && (await isMarked(tx, mark))) throw new Error(`${nameOf(place)} is the database that is copied`)
      if (await isServed(tx)) throw new Error(`a running Parley uses ${nameOf(place)}; stop it first`)
      if (!(await isEmpty(tx))) {
        if (!replace) throw taken(place)
        await wipe(tx)
      }
      return fill(tx)
    }),
  )
}

async function isServed(tx: Db): Promise<boolean> {
  const result = await tx.execute(
    sql`select exists (select from pg_stat_activity where datname = current_database() and application_name = ${servingName}) as served`,
  )
  return returned<{ served: boolean }>(result)[0]?.served === true
}

async function emptyFolder<T>(place: Place, replace: boolean, fill: (tx: Db) => Promise<T>): Promise<T> {
  const folder = embeddedFolder(place.where)
  const lock = lockFolder(place.where)
  try {
    await tidy(place.where)
    if (!replace && (await exists(folder))) throw taken(place)
    const made = await makeBare(folder)
    const result = await using(place, await openMade(made), (db) => db.transaction(fill))
    await replaceWith(made, folder)
    return result
  } finally {
    await tidy(place.where)
    lock.release()
  }
}

async function using<T>(place: Place, engine: Engine, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await work(engine.db)
  } catch (thrown) {
    if (sqlState(thrown) !== lockNotAvailable) throw thrown
    const line = `${nameOf(place)} is in use: no lock within ${lockSeconds} seconds`
    throw new Error(line, { cause: thrown })
  } finally {
    await engine.close()
  }
}
