/**
 * The embedded engine: PGlite in a worker behind the same Drizzle interface. Making a new database takes about a gigabyte
 * of memory that is never given back, so a short-lived process does it; this one opens what is there.
 */
import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import * as schema from '#db/schema'
import { exists, removeFolder, rename } from '#runtime/folders'
import { runScript } from '#runtime/spawn'
import { EmbeddedClient } from './embedded-client.ts'
import type { Engine } from './engine.ts'
import { guard } from './guard.ts'

export const embeddedFolder = (dataFolder: string): string => `${dataFolder}/pglite`

/** Opens `<dataFolder>/pglite`, making it first if need be. The caller holds the folder's lock. */
export async function openEmbedded(dataFolder: string, log: (message: string) => void): Promise<Engine> {
  const folder = embeddedFolder(dataFolder)
  await putBack(folder)
  if (!(await exists(folder))) await make(folder, log)
  return openMade(folder)
}

/** Opens the database in this very folder. */
export async function openMade(folder: string): Promise<Engine> {
  const client = new EmbeddedClient()
  try {
    await client.open(folder)
  } catch (thrown) {
    await client.close().catch(() => {})
    throw new Error(`cannot open the embedded database in ${folder}: ${(thrown as Error).message}`, { cause: thrown })
  }
  // The driver's type asks for a whole PGlite; it calls `query` and `transaction`.
  const db = drizzle(client as unknown as PGlite, { schema })
  return { db: guard(db), close: () => client.close() }
}

/** Renamed into place when complete: a crash in between leaves nothing that looks like a database. */
async function make(folder: string, log: (message: string) => void): Promise<void> {
  log('Making the embedded database...')
  await run([`${folder}.new`])
  await rename(`${folder}.new`, folder)
}

/** A database without any table, in this very folder, which is emptied first. */
export const makeBare = (folder: string): Promise<void> => run([folder, 'bare'])

async function run(what: readonly string[]): Promise<void> {
  const { code, complaint } = await runScript(`${import.meta.dirname}/embedded-make.ts`, what)
  if (code !== 0) throw new Error(`cannot make the embedded database in ${what[0]}: ${complaint.trim().split('\n').at(-1)}`)
}

/** Puts the new database, which is complete and closed, into the place of the old one, if there is one. */
export async function replaceWith(made: string, folder: string): Promise<void> {
  await removeFolder(`${folder}.old`)
  if (await exists(folder)) await rename(folder, `${folder}.old`)
  await rename(made, folder)
  await removeFolder(`${folder}.old`)
}

/** A replacement that was cut off between its two steps is undone. */
async function putBack(folder: string): Promise<void> {
  if (!(await exists(folder)) && (await exists(`${folder}.old`))) await rename(`${folder}.old`, folder)
}
