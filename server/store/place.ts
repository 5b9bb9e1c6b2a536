/**
 * Where a database lies: the URL of a PostgreSQL database, or a data folder with an embedded one. Opened for tools, apart from a
 * Parley that serves: an embedded one only while nobody uses its folder; a new one is there when it is complete, and not before.
 */
import { sql } from 'drizzle-orm'
import { lockFolder } from '#runtime/folder-lock'
import { exists, removeFolder } from '#runtime/folders'
import { isEmpty, wipe } from './catalog.ts'
import { embeddedFolder, makeBare, openEmbedded, openMade, replaceWith } from './embedded.ts'
import type { Engine } from './engine.ts'
import { openPostgres, servingName } from './postgres.ts'
import { returned } from './returned.ts'
import type { Db } from './store.ts'

export interface Place {
  engine: 'postgres' | 'embedded'
  /** A URL or a folder. */
  where: string
}

export function placeOf(where: string): Place {
  return { engine: /^postgres(ql)?:\/\//.test(where) ? 'postgres' : 'embedded', where }
}

/** Without user and password. */
export function nameOf({ engine, where }: Place): string {
  if (engine === 'embedded') return where
  const url = URL.canParse(where) ? new URL(where) : undefined
  return url ? `${url.host}${url.pathname}` : 'the database'
}

/** Is there a database at all? Of PostgreSQL only a connection could tell. */
export async function isThere({ engine, where }: Place): Promise<boolean> {
  return engine === 'postgres' || exists(embeddedFolder(where))
}

/** Opens what is there, as it is. Throws Errors of one line without a password, also when a running Parley uses the folder. */
export async function withDatabase<T>(place: Place, work: (db: Db) => Promise<T>): Promise<T> {
  if (!(await isThere(place))) throw new Error(`there is no database in ${place.where}`)
  if (place.engine === 'postgres') return using(await openPostgres(place.where, '', toolName), work)
  const lock = lockFolder(place.where)
  try {
    return await using(await openEmbedded(place.where, () => {}), work)
  } finally {
    lock.release()
  }
}

/**
 * Hands in a database without any table, in a transaction; when `fill` throws, everything is as it was. What is there already is
 * refused unless it may be replaced, and a running Parley is refused in any case.
 */
export async function withEmpty<T>(place: Place, replace: boolean, fill: (tx: Db) => Promise<T>): Promise<T> {
  return place.engine === 'postgres' ? emptyPostgres(place, replace, fill) : emptyFolder(place, replace, fill)
}

const toolName = 'parley db'
const taken = (place: Place) => new Error(`${nameOf(place)} is not empty; only an empty database is filled`)

async function emptyPostgres<T>(place: Place, replace: boolean, fill: (tx: Db) => Promise<T>): Promise<T> {
  return using(await openPostgres(place.where, '', toolName), (db) =>
    db.transaction(async (tx) => {
      await tx.execute(sql`set local statement_timeout = 0`)
      await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
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
  const made = `${folder}.filled`
  const lock = lockFolder(place.where)
  try {
    if (!replace && (await exists(folder))) throw taken(place)
    await makeBare(made)
    const result = await using(await openMade(made), (db) => db.transaction(fill))
    await replaceWith(made, folder)
    return result
  } finally {
    await removeFolder(made)
    lock.release()
  }
}

async function using<T>(engine: Engine, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await work(engine.db)
  } finally {
    await engine.close()
  }
}
