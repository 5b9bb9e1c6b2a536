/**
 * The embedded engine: PGlite in a worker behind the same Drizzle interface. Making a new database takes about a gigabyte
 * of memory that is never given back, so a short-lived process does it; this one opens what is there.
 */
import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import * as schema from '#db/schema'
import { exists, makeFolder, removeFolder, rename } from '#runtime/folder'
import { namesIn } from '#runtime/segment'
import { runScript } from '#runtime/spawn'
import { EmbeddedClient } from './embedded-client.ts'
import type { Engine } from './engine.ts'
import { guard } from './guard.ts'

export const embeddedFolder = (dataFolder: string): string => `${dataFolder}/pglite`

/** The one that is being replaced. */
const oldFolder = (folder: string): string => `${folder}.old`
/** Each has a name of its own: the process that makes one may live on when we are killed. */
const unfinishedFolder = (folder: string, is: 'new' | 'filled'): Promise<string> => makeFolder(`${folder}.${is}-`)
const unfinished = /^pglite\.(new|filled)/

/** Whether there is a database, be it one that is only to be put back. */
export async function isEmbedded(dataFolder: string): Promise<boolean> {
  const folder = embeddedFolder(dataFolder)
  return (await exists(folder)) || exists(oldFolder(folder))
}

/** Opens `<dataFolder>/pglite`, making it first if need be. The caller holds the folder's lock. */
export async function openEmbedded(dataFolder: string, log: (message: string) => void): Promise<Engine> {
  const folder = embeddedFolder(dataFolder)
  await tidy(dataFolder)
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
  const made = await unfinishedFolder(folder, 'new')
  await run([made])
  await rename(made, folder)
}

/** A database without any table, in a folder beside this one, which is answered. */
export async function makeBare(folder: string): Promise<string> {
  const made = await unfinishedFolder(folder, 'filled')
  await run([made, 'bare'])
  return made
}

async function run(what: readonly string[]): Promise<void> {
  const { code, complaint } = await runScript(`${import.meta.dirname}/embedded-make.ts`, what)
  if (code !== 0) throw new Error(`cannot make the embedded database in ${what[0]}: ${complaint.trim().split('\n').at(-1)}`)
}

/** Puts the new database, which is complete and closed, into the place of the old one, if there is one. */
export async function replaceWith(made: string, folder: string): Promise<void> {
  if (await exists(folder)) await rename(folder, oldFolder(folder))
  await rename(made, folder)
  await removeFolder(oldFolder(folder))
}

/**
 * Clears up after a run that was killed, whatever it was at: a replacement that was cut off between its two steps is undone, and what
 * is half-made goes. First thing of whoever has the folder's lock, and nobody else's.
 */
export async function tidy(dataFolder: string): Promise<void> {
  const folder = embeddedFolder(dataFolder)
  if (!(await exists(folder)) && (await exists(oldFolder(folder)))) await rename(oldFolder(folder), folder)
  await removeFolder(oldFolder(folder))
  for (const name of await namesIn(dataFolder)) {
    // Where somebody is still at it, the next one to come removes it.
    if (unfinished.test(name)) await removeFolder(`${dataFolder}/${name}`).catch(() => {})
  }
}
