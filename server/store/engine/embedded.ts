/**
 * The embedded engine: PGlite in a worker behind the same Drizzle interface. Creating a database takes about half a gigabyte of memory
 * that is never released, so a short-lived process does it; this module opens existing ones.
 */

import { closeToOthers, exists, makeFolder, removeFolder, rename } from '#runtime/folder'
import { serverScript } from '#runtime/package-file'
import { namesIn } from '#runtime/segment'
import { runScript } from '#runtime/spawn'
import { createDatabaseWorker } from './database-worker.ts'
import { EmbeddedClient } from './embedded-client.ts'
import { embeddedDb } from './embedded-db.ts'
import { guard } from './guard.ts'
import type { Engine } from './store.ts'

/** The folder of the embedded database. */
export const embeddedFolder = (dataFolder: string): string => `${dataFolder}/pglite`

/** The database that is being replaced. */
const oldFolder = (folder: string): string => `${folder}.old`
/** Every unfinished folder has a unique name: the process that writes it may outlive this one. */
const unfinishedFolder = (folder: string, is: 'new' | 'filled'): Promise<string> => makeFolder(`${folder}.${is}-`)
const unfinished = /^pglite\.(new|filled)/

/** True when there is a database, also one that `tidy` has yet to restore. */
export async function isEmbedded(dataFolder: string): Promise<boolean> {
  const folder = embeddedFolder(dataFolder)
  return (await exists(folder)) || exists(oldFolder(folder))
}

/** Opens `<dataFolder>/pglite`, creating it if necessary. The caller holds the folder's lock. */
export async function openEmbedded(dataFolder: string, log: (message: string) => void): Promise<Engine> {
  const folder = embeddedFolder(dataFolder)
  await tidy(dataFolder)
  if (!(await exists(folder))) await make(folder, log)
  // Its files may be world-readable, whatever the data folder's permissions.
  await closeToOthers(folder)
  return openMade(folder)
}

/** Opens the existing database in this folder. */
export async function openMade(folder: string): Promise<Engine> {
  const client = new EmbeddedClient()
  try {
    await client.open(folder)
  } catch (thrown) {
    await client.close().catch(() => {})
    throw new Error(`cannot open the embedded database in ${folder}: ${(thrown as Error).message}`, { cause: thrown })
  }
  return {
    db: guard(embeddedDb(client)),
    worker: (clock) => ({ ...createDatabaseWorker(clock, client.link), close: async () => {} }),
    close: () => client.close(),
  }
}

/** Created in another folder and renamed when complete, so that a crash leaves nothing that looks like a database. */
async function make(folder: string, log: (message: string) => void): Promise<void> {
  log('Creating the embedded database...')
  const made = await unfinishedFolder(folder, 'new')
  await run([made])
  await rename(made, folder)
}

/** Creates a database without tables in a new folder next to this one; resolves to that folder. */
export async function makeBare(folder: string): Promise<string> {
  const made = await unfinishedFolder(folder, 'filled')
  await run([made, 'bare'])
  return made
}

async function run(what: readonly string[]): Promise<void> {
  const { code, complaint } = await runScript(serverScript('store/engine/embedded-make'), what)
  if (code !== 0) throw new Error(`cannot create the embedded database in ${what[0]}: ${complaint.trim().split('\n').at(-1)}`)
}

/** Replaces the database, if there is one, with the new one, which must be complete and closed. */
export async function replaceWith(made: string, folder: string): Promise<void> {
  if (await exists(folder)) await rename(folder, oldFolder(folder))
  await rename(made, folder)
  await removeFolder(oldFolder(folder))
}

/**
 * Cleans up after a killed run: undoes a replacement interrupted between its two steps, and deletes unfinished folders. The first
 * thing to do with the folder's lock; never call it without.
 */
export async function tidy(dataFolder: string): Promise<void> {
  const folder = embeddedFolder(dataFolder)
  if (!(await exists(folder)) && (await exists(oldFolder(folder)))) await rename(oldFolder(folder), folder)
  await removeFolder(oldFolder(folder))
  for (const name of await namesIn(dataFolder)) {
    // If a process is still writing to it, the next run deletes it.
    if (unfinished.test(name)) await removeFolder(`${dataFolder}/${name}`).catch(() => {})
  }
}
