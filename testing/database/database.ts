/**
 * Throwaway databases for tests: a fresh one per call, on either engine, opened through the same `openStore` as in the program. Embedded
 * ones are copies of a template; PostgreSQL ones are on one server per test run, or on PARLEY_TEST_DATABASE_URL.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, type Random, systemClock, systemRandom } from '#runtime/clock'
import { openStore } from '#store/engine/open'
import type { Store } from '#store/engine/store'
import { isDeep, runSeed } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { putEmbeddedDatabase } from './embedded-template.ts'
import { findPostgres, newPostgresDatabase } from './postgres-server.ts'

/** A database engine. */
export type EngineName = Store['engine']

/** A throwaway database. */
export interface Throwaway {
  store: Store
  /** The store's data folder, locked while the store is open. */
  folder: string
  /** With engine `postgres`: the address for a second store on the same database, in another folder. */
  databaseUrl?: string
  /** Closes the store if it is still open, and removes everything. */
  close(): Promise<void>
}

/** Creates a migrated, empty database. */
export async function throwawayDatabase(
  engine: EngineName,
  { clock = systemClock, random = systemRandom }: { clock?: Clock; random?: Random } = {},
): Promise<Throwaway> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  if (engine === 'embedded') {
    await putEmbeddedDatabase(folder)
    const store = await openStore({ dataFolder: folder, clock, random })
    return { store, folder, close: () => store.close().finally(remove) }
  }
  const database = await newPostgresDatabase()
  const store = await openStore({ databaseUrl: database.url, dataFolder: folder, clock, random })
  const close = () => store.close().finally(database.drop).finally(remove)
  return { store, folder, databaseUrl: database.url, close }
}

/** The engines on which to run a suite. */
export const engines: readonly EngineName[] = choose()

/** The engines for a suite with another subject: `sampledEngine`; all in a deep run. */
export const sampledEngines = (file: string): readonly EngineName[] => (isDeep ? engines : [sampledEngine(file)])

/**
 * The engine for a file with another subject: PostgreSQL for seven files in eight, since it costs less than half of the time, chosen by the
 * seed and the file name; the default, embedded, in a deep run.
 */
export function sampledEngine(file: string): EngineName {
  if (isDeep || !engines.includes('postgres')) return 'embedded'
  return seeded(seedOf(file)).below(8) === 0 ? 'embedded' : 'postgres'
}

const seedOf = (file: string) => runSeed + [...file].reduce((sum, letter) => Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0), 7)

function choose(): readonly EngineName[] {
  if (process.env.PARLEY_TEST_DATABASE_URL || findPostgres() !== undefined) return ['embedded', 'postgres']
  console.warn('Skipping tests on PostgreSQL: no server binaries found, and PARLEY_TEST_DATABASE_URL is not set.')
  return ['embedded']
}
