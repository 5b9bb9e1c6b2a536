import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { settings } from '#db/schema'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { isDeep } from '#testing/sample'
import { knownMigrations, migrate } from './migrate.ts'
import { beginStore, openStore } from './open.ts'
import { sqlState } from './sql-state.ts'

const reopen = (folder: string, databaseUrl?: string) =>
  openStore({ dataFolder: folder, clock, random, ...(databaseUrl === undefined ? {} : { databaseUrl }) })

/** Not `expect(...).rejects`: it stops the event loop, and with it the worker's answer. */
const complaint = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no complaint',
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  )

describe.each([...engines])('opening %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base?.close())

  test('migrates what is pending, once, and undoes a migration that fails', async () => {
    const { db } = base.store
    const last = knownMigrations().at(-1)
    const next = (statement: string) => ({
      sql: ['create table extra (a int)', statement],
      folderMillis: (last?.folderMillis ?? 0) + 1,
      hash: 'h',
      bps: true,
    })
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    await migrate(db, log)
    expect(lines).toEqual([])
    expect(await complaint(migrate(db, log, [...knownMigrations(), next('select 1/0')]))).toBe(
      'cannot migrate the database: division by zero',
    )
    expect(sqlState(await db.execute(sql`select * from extra`).catch((thrown: unknown) => thrown))).toBe('42P01')
    const known = [...knownMigrations(), next('insert into extra values (1)')]
    await Promise.all([migrate(db, log, known), migrate(db, log, known)])
    await db.execute(sql`select * from extra`)
    expect(lines).toEqual(['Migrating the database...', 'Migrating the database...'])
  })

  test('refuses a folder that is in use', async () => {
    expect(await complaint(reopen(base.folder, base.databaseUrl))).toBe(`the data folder ${base.folder} is used by another Parley`)
  })

  test('what was begun and is not wanted lets go of the folder, and makes no database', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-begun-'))
    const options = { dataFolder: folder, clock, random, ...(base.databaseUrl !== undefined && { databaseUrl: base.databaseUrl }) }
    const opening = beginStore(options)
    expect(await complaint(reopen(folder, base.databaseUrl))).toContain('is used by another Parley')
    await opening.abandon()
    expect((await readdir(folder)).filter((name) => name.startsWith('pglite'))).toEqual([])
    await beginStore(options).abandon()
    await rm(folder, { recursive: true })
  })

  test('refuses a database that a newer build has migrated, and lets go of the folder', async () => {
    await base.store.db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('future', 9999999999999)`)
    await base.store.close()
    for (let tries = 0; tries < 2; tries++) {
      expect(await complaint(reopen(base.folder, base.databaseUrl))).toStartWith('the database is newer than this Parley')
    }
  })
})

test('an unreachable database is one clear line without the password', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const message = (url: string) => complaint(reopen(folder, url))
  expect(await message('postgres://user:secret@127.0.0.1:1/db')).toBe('cannot reach the database at 127.0.0.1:1: nothing listens there')
  expect(await message('nonsense://:::')).toBe('DATABASE_URL is not the address of a PostgreSQL database')
  expect(await readdir(folder)).toEqual(['lock'])
  await rm(folder, { recursive: true })
})

test.if(engines.includes('postgres'))(
  'a server that is starting is asked again until it is ready',
  async () => {
    const base = await throwawayDatabase('postgres')
    const { hostname, port } = new URL(base.databaseUrl ?? '')
    const starting = 'SFATAL\0C57P03\0Mthe database system is starting up\0\0'
    const refusal = Buffer.concat([Buffer.from('E'), Buffer.alloc(4), Buffer.from(starting)])
    refusal.writeUInt32BE(4 + starting.length, 1)
    let asked = 0
    const server = createServer((socket) => {
      socket.on('error', () => {})
      if (++asked <= 2) return socket.once('data', () => socket.end(refusal))
      const on = connect(Number(port), hostname).on('error', () => socket.destroy())
      socket.pipe(on).pipe(socket)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const through = Object.assign(new URL(base.databaseUrl ?? ''), { port: String((server.address() as AddressInfo).port) })
    await base.store.close()
    const store = await reopen(base.folder, through.href)
    expect(asked).toBeGreaterThan(2)
    await store.close()
    server.close()
    await base.close()
  },
  60_000,
)

test('a first start makes the embedded database, a second one opens it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const first = await openStore({ dataFolder: folder, clock, random, log })
  await first.db.insert(settings).values({ name: 'kept', value: 1 })
  await first.close()
  expect(lines).toEqual(['Creating the embedded database...'])
  const started = clock.monotonic()
  const second = await openStore({ dataFolder: folder, clock, random, log })
  // Promised within two seconds for the whole program; here as everywhere times are asserted loosely.
  expect(clock.monotonic() - started).toBeLessThan(20_000)
  expect(await second.db.select().from(settings)).toEqual([{ name: 'kept', value: 1 }])
  expect(lines).toHaveLength(1)
  await second.close()
  await rm(folder, { recursive: true })
}, 120_000)

test('what was committed survives kill -9, and the folder opens again at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  await putEmbeddedDatabase(folder)
  for (let round = 0; round < (isDeep ? 2 : 1); round++) {
    const child = Bun.spawn([process.execPath, `${import.meta.dirname}/../../../testing/database/embedded-writer.ts`, folder], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    let heard = ''
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      heard += chunk
      if (heard.split('\n').length > 30) child.kill('SIGKILL')
    }
    await child.exited
    const acknowledged = heard.split('\n').slice(0, -1)
    expect(acknowledged.length).toBeGreaterThanOrEqual(30)
    const store = await reopen(folder)
    for (const name of acknowledged) {
      expect(await store.db.select().from(settings).where(eq(settings.name, name))).toEqual([{ name, value: { round: name } }])
    }
    await store.close()
  }
  await rm(folder, { recursive: true })
}, 60_000)

test("the embedded engine's own code is loaded by its worker and by what makes databases, not by the thread that carries streams", async () => {
  const files = await Promise.all(
    (await readdir(import.meta.dir)).map(async (name) => [name, await Bun.file(join(import.meta.dir, name)).text()] as const),
  )
  const names = files
    .filter(([name, text]) => !name.includes('.test.') && /^import (?!type).*'(@electric-sql\/|drizzle-orm\/pglite)/m.test(text))
    .map(([name]) => name)
  expect(names.sort()).toEqual(['embedded-make.ts', 'embedded-statements.ts', 'embedded-worker.ts'])
})
