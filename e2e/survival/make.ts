/**
 * Made the fixtures of `../survival.test.ts`, once, with the version that their notes name. No test runs it, and it should not be run
 * again: the fixtures are what that version left behind, and prove that every later one can read it.
 *
 * bun e2e/survival/make.ts embedded COMMIT
 * bun e2e/survival/make.ts postgres COMMIT
 *
 * A program runs twice on one data folder. The first run creates everything that is sealed or hashed. Then, with the program stopped, SQL
 * moves expiry times to the year 2099, so that the fixture does not expire. The second run is killed with an open journal. The expected
 * values are read from a copy on which the same version has started once more.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faultyDatabase } from '#testing/books/faulty-database'
import { restoredPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { journalEntries } from '#testing/survival/journal-view'
import { openStoredView, type StoredView } from '#testing/survival/stored-view'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { realtimeVendor } from '#testing/vendors/realtime-vendor'
import type { Expected, ExpectedRequest } from './expected.ts'
import { live, type Made } from './first-life.ts'
import { noteOf } from './note.ts'
import { declaration, declared, stage } from './scene.ts'
import { liveUntilKilled } from './second-life.ts'

const [engine, commit = ''] = process.argv.slice(2)
if (engine !== 'embedded' && engine !== 'postgres') throw new Error('usage: make.ts embedded|postgres COMMIT')
const fixtures = join(import.meta.dirname, 'fixtures')
const masterKeyOfPostgres = '5e'.repeat(32)

const never = '2099-01-01T00:00:00Z'
const lastingForever = [
  `update sessions set created_at = '${never}', used_at = '${never}'`,
  `update recollections set expires_at = '${never}'`,
  `update stored_responses set expires_at = '${never}'`,
]

const scratch = mkdtempSync(join(tmpdir(), 'parley-fixture-'))
const folder = join(scratch, 'killed')
const play = stage()
const upstream = await scriptedUpstream(play.script)
const voice = realtimeVendor()
const database = engine === 'postgres' ? await faultyDatabase() : undefined
spawnSync('mkdir', [folder])

const start = (where: string, databaseUrl = database?.url): Promise<Program> =>
  startProgram({
    folder: where,
    config: declaration,
    env: {
      ...administrator,
      UPSTREAM: upstream.url,
      PARLEY_LOG: 'warn',
      // Small segments; the journal of a real run has the same lines in larger ones.
      PARLEY_JOURNAL_MAX: '1MiB',
      ...(databaseUrl && { DATABASE_URL: databaseUrl, PARLEY_MASTER_KEY: masterKeyOfPostgres }),
    },
  })
const viewOf = (where: string, databaseUrl = database?.url) =>
  openStoredView(databaseUrl ? { databaseUrl } : { dataFolder: join(where, 'data') })

async function within<T>(view: StoredView, work: (view: StoredView) => Promise<T>): Promise<T> {
  return work(view).finally(() => view.close())
}

const first = await start(folder)
const made = await live(first, upstream.url, voice)
await first.stop()
await within(await viewOf(folder), async ({ select }) => {
  for (const statement of lastingForever) await select(statement)
})

const second = await start(folder)
let release: (() => Promise<void>) | undefined
await liveUntilKilled(second, made, play, voice, async () => {
  release = await database?.lock(['logs'])
})
// The killed program's pending statements must not be executed when the lock is released.
await database?.endConnections()
await release?.()

const statements = database && (await dumpOf(database.url))
if (statements !== undefined) writeFileSync(join(folder, 'dump.sql'), statements)

const tar = spawnSync('tar', ['-C', folder, '--owner=0', '--group=0', '--sort=name', '-cf', '-', '.'], { maxBuffer: 2 ** 30 })
writeFileSync(join(fixtures, `${engine}.tar.zst`), Bun.zstdCompressSync(tar.stdout, { level: 22 }))

const expected = await worth(folder)
writeFileSync(join(fixtures, `${engine}.json`), `${JSON.stringify(expected, null, 2)}\n`)
writeFileSync(join(fixtures, `${engine}.note.txt`), noteOf(expected))
await upstream.close()
await voice.close()
await database?.drop()
rmSync(scratch, { recursive: true, force: true })
process.exit(0)

/** Dumps with pg_dump, without psql commands (`\restrict`) and without timeouts, whose names depend on the version of PostgreSQL. */
async function dumpOf(url: string): Promise<string> {
  const file = join(scratch, 'dump.sql')
  // Not `spawnSync`: the connection to the database is proxied by this process.
  const dump = Bun.spawn(['pg_dump', '--inserts', '--no-owner', '--no-privileges', '-f', file, url], { timeout: 30_000 })
  if ((await dump.exited) !== 0) throw new Error('pg_dump failed')
  return readFileSync(file, 'utf8').replace(/^(\\.*|SET \w*timeout\w* = .*)\n/gm, '')
}

/** The contents of the books after the same version has started on a copy, and before. */
async function worth(killed: string): Promise<Expected> {
  const copy = join(scratch, 'copy')
  const look = join(scratch, 'look')
  for (const to of [copy, look]) cpSync(killed, to, { recursive: true })
  const journal = await journalEntries(join(killed, 'data'))
  const inBooks = await within(await viewOf(look), ({ select }) => select<{ id: string }>('select request_id as id from logs'))
  const restored = statements === undefined ? undefined : await restoredPostgresDatabase(statements)
  await (await start(copy, restored?.url)).stop()
  return within(await viewOf(copy, restored?.url), async (view) => {
    const { select } = view
    const wrong = await view.wrongBooks()
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong))
    const known = new Set(inBooks.map(({ id }) => id))
    const ended = new Set(journal.filter(({ written }) => written.kind === 's').map(({ written }) => written.id))
    const rows = await select<Omit<ExpectedRequest, 'killed'>>(
      'select request_id as id, status, "end", charged::text from logs order by at, request_id',
    )
    const requests = rows.map(
      (row): ExpectedRequest => ({ ...row, killed: known.has(row.id) ? 'done' : ended.has(row.id) ? 'settled' : 'interrupted' }),
    )
    const opened = [...new Set(journal.filter(({ written }) => written.kind === 'o').map(({ written }) => String(written.id)))]
    return {
      engine: engine as Expected['engine'],
      made: new Date().toISOString(),
      commit,
      masterKey: database ? masterKeyOfPostgres : readFileSync(join(killed, 'data/master.key'), 'utf8').trim(),
      ...(made satisfies Made),
      declared: {
        ...declared,
        hash: (await select<{ hash: string }>(`select password_hash as hash from users where name = '${declared.name}'`))[0]?.hash ?? '',
      },
      requests,
      opened: opened.filter((id) => rows.every((row) => row.id !== id)),
      free: Object.fromEntries(
        (await select<{ id: string; free: string }>('select id, free::text from accounts order by id')).map(({ id, free }) => [id, free]),
      ),
      rows: await countsOf(view),
      columns: await view.columns(),
    }
  })
}

async function countsOf({ select, columns }: StoredView): Promise<Record<string, number>> {
  const tables = [...new Set((await columns()).map((name) => name.split('.')[0] ?? ''))].filter((table) => !table.startsWith('__'))
  const counts: Record<string, number> = {}
  for (const table of tables) counts[table] = (await select<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n ?? 0
  return counts
}
