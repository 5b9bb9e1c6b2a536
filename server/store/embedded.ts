/**
 * The embedded engine: PGlite in a worker behind the same Drizzle interface. Making a new database takes about a gigabyte
 * of memory that is never given back, so a short-lived process does it; this one opens what is there.
 */
import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import * as schema from '#db/schema'
import { exists, rename } from '#runtime/folders'
import { runScript } from '#runtime/spawn'
import { EmbeddedClient } from './embedded-client.ts'
import type { Engine } from './engine.ts'
import { guard } from './guard.ts'

/** Opens `<dataFolder>/pglite`, making it first if need be. The caller holds the folder's lock. */
export async function openEmbedded(dataFolder: string, log: (message: string) => void): Promise<Engine> {
  const folder = `${dataFolder}/pglite`
  if (!(await exists(folder))) await make(folder, log)
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
  const { code, complaint } = await runScript(`${import.meta.dirname}/embedded-make.ts`, [`${folder}.new`])
  if (code !== 0) throw new Error(`cannot make the embedded database in ${folder}: ${complaint.trim().split('\n').at(-1)}`)
  await rename(`${folder}.new`, folder)
}
