/** Runs this build's program on an unpacked fixture, as its user and clients would. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NewDatabase, restoredPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { journalEntries } from '#testing/survival/journal-view'
import { openStoredView, type StoredView } from '#testing/survival/stored-view'
import type { Expected } from './expected.ts'

const fixtures = join(import.meta.dirname, 'fixtures')
/** Longer than any fixture will be kept. */
const aThousandYears = '365000d'

/** An unpacked fixture. */
export interface Fixture {
  expected: Expected
  /** Where the dump was restored; undefined with the embedded engine. */
  databaseUrl: string | undefined
  start(upstream: string): Promise<Program>
  /** Opens the stopped program's database. */
  view(): Promise<StoredView>
  journal(): ReturnType<typeof journalEntries>
  remove(): Promise<void>
}

/** Unpacks the fixture of this engine into a new folder. */
export async function unpack(engine: Expected['engine']): Promise<Fixture> {
  const expected: Expected = JSON.parse(readFileSync(join(fixtures, `${engine}.json`), 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'parley-survival-'))
  const packed = readFileSync(join(fixtures, `${engine}.tar.zst`))
  const { exitCode } = Bun.spawnSync(['tar', '-xf', '-', '-C', folder], { stdin: await Bun.zstdDecompress(packed) })
  if (exitCode !== 0) throw new Error(`the fixture ${engine} could not be unpacked`)
  const database: NewDatabase | undefined =
    engine === 'postgres' ? await restoredPostgresDatabase(readFileSync(join(folder, 'dump.sql'), 'utf8')) : undefined
  return {
    expected,
    databaseUrl: database?.url,
    start: (upstream) =>
      startProgram({
        folder,
        env: {
          ...administrator,
          UPSTREAM: upstream,
          PARLEY_LEASE_WRITEOFF: aThousandYears,
          ...(database && { DATABASE_URL: database.url, PARLEY_MASTER_KEY: expected.masterKey }),
        },
      }),
    view: () => openStoredView(database ? { databaseUrl: database.url } : { dataFolder: join(folder, 'data') }),
    journal: () => journalEntries(join(folder, 'data')),
    async remove() {
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
