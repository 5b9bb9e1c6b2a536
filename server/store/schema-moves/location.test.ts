/** What tools find at the location of a database: the same one under another name, one in use, and leftovers of a killed run. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { settings } from '#db/schema'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { lockFolder } from '#runtime/folder-lock'
import { openStore } from '#store/engine/open'
import { engines } from '#testing/database/database'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { type Place, placeOf, withDatabase, withEmpty } from './location.ts'
import { withSnapshot } from './snapshot.ts'

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
}, 180_000)

const complaint = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no complaint',
    (thrown: unknown) => (thrown as Error).message,
  )

/** How many settings are there; a database starts with none. */
const count = (place: Place): Promise<number> => withDatabase(place, (db) => db.$count(settings))
const put = (place: Place): Promise<unknown> => withDatabase(place, (db) => db.insert(settings).values({ name: 'one', value: 1 }))

describe.each(engines.filter((engine) => engine === 'postgres'))('on %s', () => {
  async function newPlace(): Promise<Place> {
    const { url, drop } = await newPostgresDatabase()
    undo.push(drop)
    return placeOf(url)
  }

  test('a database is not filled from itself, however it is called', async () => {
    const place = await newPlace()
    await put(place)
    for (const alias of [place.where.replace('postgres:', 'postgresql:'), `${place.where}?search_path=public`]) {
      expect(alias).not.toBe(place.where)
      const copied = withDatabase(place, (db) => withSnapshot(db, ({ mark }) => withEmpty(placeOf(alias), true, async () => {}, mark)))
      expect(await complaint(copied)).toEndWith(' is the database that is copied')
    }
    expect(await count(place)).toBe(1)
    const other = await newPlace()
    await withDatabase(place, (db) => withSnapshot(db, ({ mark }) => withEmpty(other, true, async () => {}, mark)))
    expect(await complaint(count(other))).not.toBe('no complaint')
  }, 180_000)

  test('nothing waits for ever on locks of others', async () => {
    const works: ((place: Place) => Promise<unknown>)[] = [
      (place) => withEmpty(place, true, async () => {}),
      (place) => withDatabase(place, (db) => withSnapshot(db, async () => {})),
    ]
    for (const said of await Promise.all(works.map(whileHeld))) {
      expect(said).toEndWith(' is in use: no lock within 10 seconds')
    }
  }, 180_000)

  /** Its error while another session has a table locked; nothing may have changed afterwards. */
  async function whileHeld(work: (place: Place) => Promise<unknown>): Promise<string> {
    const place = await newPlace()
    await put(place)
    const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holder = withDatabase(place, (db) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
        await tx.execute(sql`lock table users in access exclusive mode`)
        held.resolve()
        await free.promise
      }),
    )
    await held.promise
    const said = await complaint(work(place))
    free.resolve()
    await holder
    expect(await count(place)).toBe(1)
    return said
  }
})

describe('a folder whose replacement was killed', () => {
  let filled: string
  beforeAll(async () => {
    filled = await mkdtemp(join(tmpdir(), 'parley-test-'))
    await putEmbeddedDatabase(filled)
    await put(placeOf(filled))
  }, 120_000)
  afterAll(() => rm(filled, { recursive: true }))

  /** Between its two steps; and other runs were killed while they made theirs. */
  async function leftBehind(): Promise<Place> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    undo.push(() => rm(folder, { recursive: true }))
    cpSync(join(filled, 'pglite'), join(folder, 'pglite.old'), { recursive: true })
    for (const name of ['pglite.filled-a1B2c3', 'pglite.new-d4E5f6']) {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'PG_VERSION'), 'half')
    }
    return placeOf(folder)
  }
  const lying = async ({ where }: Place) => (await readdir(where)).filter((name) => name.startsWith('pglite')).sort()

  test.each<[string, (place: Place) => Promise<unknown>, string]>([
    ['read', count, 'no complaint'],
    ['filled', (place) => withEmpty(place, false, async () => {}), 'only an empty database is filled'],
    ['replaced by something that fails', (place) => withEmpty(place, true, () => Promise.reject(new Error('on the way'))), 'on the way'],
    ['started', async ({ where }) => (await openStore({ dataFolder: where, clock, random })).close(), 'no complaint'],
  ])(
    'has its old database again when it is %s, and nothing half-made',
    async (_, work, said) => {
      const place = await leftBehind()
      expect(await complaint(work(place))).toEndWith(said)
      expect(await lying(place)).toEqual(['pglite'])
      expect(await count(place)).toBe(1)
    },
    180_000,
  )

  test('loses the old database when the new one is in its place', async () => {
    const place = await leftBehind()
    await rename(join(place.where, 'pglite.old'), join(place.where, 'pglite'))
    await mkdir(join(place.where, 'pglite.old'))
    expect(await count(place)).toBe(1)
    expect(await lying(place)).toEqual(['pglite'])
  }, 180_000)

  test('is left alone while somebody else has it', async () => {
    const place = await leftBehind()
    const before = await lying(place)
    const lock = lockFolder(place.where)
    for (const work of [() => count(place), () => withEmpty(place, true, async () => {})]) {
      expect(await complaint(work())).toEndWith(' is used by another Parley')
    }
    expect(await lying(place)).toEqual(before)
    lock.release()
  }, 180_000)
})
