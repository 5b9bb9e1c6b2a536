/** Everything of a database into another one, into a file and back: between the engines, between schemas, and against damage. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import type { MigrationMeta } from 'drizzle-orm/migrator'
import { entries, settings, users } from '#db/schema'
import { knownMigrations, migrate } from '#store/engine/migrate'
import { returned } from '#store/engine/rows'
import { sqlState } from '#store/engine/sql-state'
import type { Db } from '#store/engine/store'
import { openWallets, postGrant } from '#store/ledger/ledger'
import { type EngineName, engines, sampledEngines } from '#testing/database/database'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { openBackup, writeBackup } from './backup.ts'
import { load } from './load.ts'
import { type Place, placeOf, withDatabase, withEmpty } from './location.ts'
import { type Contents, readContents, type Snapshot, withSnapshot } from './snapshot.ts'

const at = new Date(1_700_000_000_123)
const quiet = () => {}

/** What no table of today has: made by a migration with rows of its own, so that nothing can be known of it beforehand. */
const strange: MigrationMeta = {
  folderMillis: 9_000_000_000_000,
  hash: 'strange',
  bps: true,
  sql: [
    `create table zoo (id bigint generated always as identity primary key, double bigint generated always as (id * 2) stored, "odd name" text, raw bytea, n numeric, f float8, d date, i interval, tags text[])`,
    `insert into zoo (n) values (1), (2), (3)`,
    `create table animals (zoo bigint not null references zoo(id), at timestamptz not null, note jsonb, primary key (at, zoo)) partition by range (at)`,
    `create table animals_rest partition of animals default`,
    `create table animals_2020 partition of animals for values from ('2020-01-01Z') to ('2021-01-01Z')`,
    `create function zoo_closed() returns trigger language plpgsql as $$ begin raise exception 'closed' using errcode = '23000'; end $$`,
    `create trigger zoo_closed before insert or update or delete on zoo for each row execute function zoo_closed()`,
    `create trigger animals_closed before insert on animals for each row execute function zoo_closed()`,
  ],
}
const known = [...knownMigrations(), strange]

async function fillSource(db: Db): Promise<void> {
  await migrate(db, quiet, known)
  const texts = ['', 'a,b', '{}', 'NULL', '"', '\\', "'", 'ü 😀', '\n\t']
  for (const id of ['u1', 'u2']) {
    await db.insert(users).values({ id, name: `${id} ü`, groups: texts, createdAt: at, limits: { rpm: 3 } })
    await openWallets(db, [id])
    for (const n of [1n, 2n]) {
      await postGrant(db, {
        walletId: id,
        amount: n * 9_007_199_254_740_993n,
        ref: `${id}:${n}`,
        kind: 'credit',
        actor: 'a',
        reason: 'r',
        at,
      })
    }
  }
  for (const [name, value] of Object.entries({ text: '12', big: { deep: ['"\\', null, 1.5] }, nothing: 'null', number: 12 })) {
    await db.insert(settings).values({ name, value })
  }
  await db.transaction(async (tx) => {
    for (const statement of [
      `alter table zoo disable trigger user`,
      `alter table animals disable trigger user`,
      `delete from zoo where n = 2`,
      `insert into zoo ("odd name", raw, n, f, d, i, tags) values ('x', '\\x00ff', 1.10, 0.1, '0044-03-15 BC', '1 mon -3 days', array['a', null, 'NULL'])`,
      `insert into zoo (n, f) values ('NaN', 'Infinity')`,
      `create table animals_2021 partition of animals for values from ('2021-01-01Z') to ('2022-01-01Z')`,
      `drop table animals_2020`,
      `insert into animals select id, timestamptz '2021-06-01Z' + id * interval '1 year', '{"b": 1, "a": [1.10]}' from zoo`,
      `alter table zoo enable trigger user`,
      `alter table animals enable trigger user`,
    ]) {
      await tx.execute(sql.raw(statement))
    }
  })
  // More than fits into one batch, some of it large.
  await db.execute(
    sql`insert into settings select 'many ' || n, to_jsonb(repeat('x', case when n % 500 = 0 then 100000 else 10 end)) from generate_series(1, 3000) n`,
  )
}

const failure = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
const complaint = async (promise: Promise<unknown>) => ((await failure(promise)) as Error | undefined)?.message ?? 'no complaint'

const contents = (place: Place): Promise<Contents> => withDatabase(place, (db) => db.transaction(readContents))

/** Making an embedded database takes seconds: the ways between the engines stand for all ways, and one of them is sampled. */
const ways: [from: EngineName, to: EngineName][] = sampledEngines(import.meta.file).map((to) => [
  engines.find((engine) => engine !== to) ?? to,
  to,
])

describe.each(ways)('from %s to %s', (from, to) => {
  let folder: string
  let source: Place
  let target: Place
  /** What the source holds, which nothing changes. */
  let before: Contents
  const drops: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    const place = async (engine: EngineName, name: string) => {
      if (engine === 'embedded') return placeOf(join(folder, name))
      const database = await newPostgresDatabase()
      drops.push(database.drop)
      return placeOf(database.url)
    }
    source = await place(from, 'source')
    target = await place(to, 'target')
    if (from === 'embedded') await putEmbeddedDatabase(source.where)
    else await withEmpty(source, true, async () => {})
    before = await withDatabase(source, async (db) => {
      await fillSource(db)
      return db.transaction(readContents)
    })
  }, 120_000)
  afterAll(async () => {
    for (const drop of drops) await drop()
    await rm(folder, { recursive: true })
  })

  const copy = (replace: boolean, change = (snapshot: Snapshot) => snapshot) =>
    withDatabase(source, (db) =>
      withSnapshot(db, (snapshot) => withEmpty(target, replace, (tx) => load(tx, change(snapshot), quiet, known))),
    )

  test('a fault on the way leaves nothing behind', async () => {
    if (to === 'postgres') await withEmpty(target, true, async () => {})
    const lying = (snapshot: Snapshot): Snapshot => ({
      ...snapshot,
      tables: snapshot.tables.map((table) => (table.name === 'users' ? { ...table, sum: '0'.repeat(32) } : table)),
    })
    expect(await complaint(copy(false, lying))).toBe('the checksum of table users does not match; nothing was written')
    if (to === 'embedded') expect(await readdir(target.where)).toEqual(['lock'])
    else expect(await complaint(contents(target))).toBe('that is no database of Parley’s')
  }, 180_000)

  test('everything arrives as it was, and goes on where it stood', async () => {
    await copy(false)
    const after = await contents(target)
    expect(after).toEqual(before)
    expect(after.tables.find(({ name }) => name === 'entries')).toMatchObject({ rows: 4 })
    expect(after.tables.find(({ name }) => name === 'settings')?.rows).toBe(3004)
    expect(after.partitions.filter(({ parent }) => parent === 'animals').map(({ name }) => name)).toEqual(['animals_2021', 'animals_rest'])
    await withDatabase(target, async (db) => {
      const zoo = returned<{ id: string; double: string; d: string }>(
        await db.execute(sql`select id::text, double::text, d::text from zoo where "odd name" = 'x'`),
      )
      expect(zoo).toEqual([{ id: '4', double: '8', d: '0044-03-15 BC' }])
      const spread = returned<{ part: string; count: string }>(
        await db.execute(sql`select tableoid::regclass::text as part, count(*)::text as count from animals group by 1 order by 1`),
      )
      expect(spread).toEqual([{ part: 'animals_rest', count: '4' }])
      expect(sqlState(await failure(db.update(entries).set({ amount: 1n })))).toBe('23000')
      expect(sqlState(await failure(db.execute(sql`insert into zoo (n) values (1)`)))).toBe('23000')
      expect(sqlState(await failure(db.execute(sql`insert into animals values (1, '2021-01-02Z')`)))).toBe('23000')
      await postGrant(db, { walletId: 'u1', amount: 1n, ref: 'next', kind: 'credit', actor: 'a', reason: 'r', at })
      expect(returned<{ last: string }>(await db.execute(sql`select max(id)::text as last from entries`))).toEqual([{ last: '5' }])
    })
  }, 180_000)

  test('a file holds all of it, and what is not empty is left alone unless it may be replaced', async () => {
    const file = join(folder, 'all.backup')
    const twice = await withDatabase(source, async (db) => {
      await withSnapshot(db, (snapshot) => writeBackup(file, snapshot, '2026-01-01T00:00:00.000Z'))
      return complaint(withSnapshot(db, (snapshot) => writeBackup(file, snapshot, 'x')))
    })
    expect(twice).toEndWith('all.backup is there already')
    const restore = (replace: boolean) => withEmpty(target, replace, async (tx) => load(tx, await openBackup(file), quiet, known))
    const there = await contents(target)
    expect(await complaint(restore(false))).toMatch(/ is not empty; only an empty database is filled$/)
    expect(await contents(target)).toEqual(there)
    await restore(true)
    expect(await contents(target)).toEqual(before)
    if (to === 'embedded') expect((await readdir(target.where)).sort()).toEqual(['lock', 'pglite'])
    expect((await readdir(folder)).filter((name) => name.includes('unfinished'))).toEqual([])
  }, 180_000)
})

describe('a file', () => {
  let folder: string
  let place: Place
  let file: string
  let drop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    const postgres = engines.includes('postgres') ? await newPostgresDatabase() : undefined
    drop = postgres?.drop
    place = placeOf(postgres?.url ?? join(folder, 'data'))
    file = join(folder, 'a.backup')
  })
  afterAll(async () => {
    await drop?.()
    await rm(folder, { recursive: true })
  })

  const restore = (path: string, known?: MigrationMeta[]) =>
    withEmpty(place, true, async (tx) => load(tx, await openBackup(path), quiet, known))
  const write = (change: (lines: string[]) => string[], as = join(folder, 'changed.backup')) =>
    readFile(file).then((bytes) => writeFile(as, gzipSync(change(gunzipSync(bytes).toString().split('\n')).join('\n'))).then(() => as))

  test('of an older schema is filled into the schema of its time, and migrated', async () => {
    const older = knownMigrations().slice(0, 2)
    await withEmpty(place, true, async (tx) => {
      await migrate(tx, quiet, [...older])
      await tx.execute(sql`insert into users (id, name, groups, created_at) values ('old', 'old', '{default}', now())`)
    })
    await withDatabase(place, (db) => withSnapshot(db, (snapshot) => writeBackup(file, snapshot, 'then')))
    await restore(file)
    const now = await contents(place)
    expect(now.level).toBe(knownMigrations().at(-1)?.folderMillis ?? 0)
    expect(now.tables.find(({ name }) => name === 'users')?.rows).toBe(1)
    expect(now.tables.some(({ name }) => name === 'audit')).toBe(true)
  }, 180_000)

  test('with tables that are none of Parley’s leaves them out, and says so', async () => {
    const shared = join(folder, 'shared.backup')
    await withDatabase(place, async (db) => {
      await db.execute(sql`create table others (id serial primary key, at date not null) partition by range (id)`)
      await db.execute(sql`create table others_all partition of others default`)
      await db.execute(sql`insert into others (at) values ('2026-01-01')`)
      await withSnapshot(db, (snapshot) => writeBackup(shared, snapshot, 'then'))
    })
    const { leftOut } = await restore(shared)
    expect(leftOut).toEqual(['others'])
    const now = await contents(place)
    expect(now.tables.some(({ name }) => name === 'others')).toBe(false)
    expect(now.tables.find(({ name }) => name === 'users')?.rows).toBe(1)
  }, 180_000)

  test('of a newer schema, or of a newer form, is refused', async () => {
    const head = (change: object) => write(([first = '', ...rest]) => [JSON.stringify({ ...JSON.parse(first), ...change }), ...rest])
    expect(await complaint(restore(await head({ level: 9_999_999_999_999 })))).toBe(
      'it was written by a newer Parley; use that version, or a later one',
    )
    expect(await complaint(restore(await head({ form: 2 })))).toEndWith('was written by a newer Parley; use that version, or a later one')
  }, 180_000)

  test('that is damaged anywhere changes nothing', async () => {
    const before = await contents(place)
    const cut = join(folder, 'cut.backup')
    const whole = await readFile(file)
    await writeFile(cut, whole.subarray(0, whole.length - 20))
    expect(await complaint(restore(cut))).toEndWith('cut.backup is damaged: it was truncated or modified')
    for (const change of [
      (lines: string[]) => lines.filter((line) => !line.startsWith('"users"')),
      (lines: string[]) => lines.slice(0, -2),
      (lines: string[]) => lines.map((line) => line.replace('"old"', '"odd"')),
    ]) {
      expect(await complaint(restore(await write(change)))).toMatch(/is damaged|does not match/)
    }
    await writeFile(cut, 'something else')
    expect(await complaint(openBackup(cut))).toMatch(/is damaged/)
    await writeFile(cut, gzipSync('{"a":1}\n'))
    expect(await complaint(openBackup(cut))).toMatch(/is not a Parley backup|is damaged/)
    expect(await complaint(openBackup(join(folder, 'nowhere')))).toEndWith('nowhere is not there')
    expect(await contents(place)).toEqual(before)
  }, 180_000)
})
