import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { accounts, channels, entries, groups, settings, users } from '#db/schema'
import { openWallets, postGrant } from '#store/ledger/ledger'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { mirror } from './mirror.ts'
import { returned } from './rows.ts'
import { sqlState, uniqueViolation } from './sql-state.ts'

const at = new Date(1_700_000_000_123)

describe.each([...engines])('the engine %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  test('gives every value back as it went in', async () => {
    const { db } = base.store
    const texts = ['', 'plain', 'a,b', '{}', 'NULL', 'null', '"', "'", '\\', '\\"', 'a b', 'ü 😀', '\n\t']
    const value = { nested: [1, '2', null, true, { deep: '"\\' }], empty: {} }
    await db.insert(users).values({ id: 'u', name: 'u', groups: texts, createdAt: at })
    await db.insert(groups).values({ name: 'g', ratio: 9_223_372_036_854_775_807n, createdAt: at })
    const row = { id: 'c', name: 'c', vendor: 'openai', models: ['m'], groups: [], tags: texts, createdAt: at } as const
    await db.insert(channels).values({ ...row, groups: [], models: ['m'], tags: texts, params: { set: value } })
    expect((await db.select().from(users))[0]).toMatchObject({ groups: texts, createdAt: at, budget: null })
    expect((await db.select().from(groups))[0]?.ratio).toBe(9_223_372_036_854_775_807n)
    expect((await db.select().from(channels))[0]).toMatchObject({ groups: [], tags: texts, params: { set: value }, speaks: null })
  })

  test.each([['12'], [12], ['{"a":1}'], [{ a: '1' }], [[]], [true], ['null'], ['"quoted"']])(
    'keeps the JSON value %j as it is, encoded once',
    async (value) => {
      const { db } = base.store
      await db.insert(settings).values({ name: 'json', value }).onConflictDoUpdate({ target: settings.name, set: { value } })
      const [row] = await db.select().from(settings).where(eq(settings.name, 'json'))
      expect(row?.value).toEqual(value)
      const stored = returned<{ type: string }>(await db.execute(sql`select jsonb_typeof(value) as type from settings where name = 'json'`))
      const type = Array.isArray(value) ? 'array' : typeof value
      expect(stored[0]?.type).toBe(type)
    },
  )

  test('tells what went wrong by SQLSTATE', async () => {
    const { db } = base.store
    await openWallets(db, ['sqlstate'])
    expect(sqlState(await failure(db.insert(accounts).values({ id: 'sqlstate' })))).toBe(uniqueViolation)
    expect(sqlState(await failure(db.execute(sql`select 1/0`)))).toBe('22012')
    const posting = { walletId: 'nobody', amount: 1n, ref: 'x', kind: 'credit', actor: 'a', reason: 'r', at } as const
    expect(sqlState(await failure(postGrant(db, posting)))).toBe('23503')
  })

  test('commits a transaction whole or not at all', async () => {
    const { db } = base.store
    await db.transaction(async (tx) => {
      await tx.insert(settings).values({ name: 'kept', value: 1 })
      await tx.transaction((inner) => inner.insert(settings).values({ name: 'kept too', value: 1 }))
      await failure(
        tx.transaction(async (inner) => {
          await inner.insert(settings).values({ name: 'inner', value: 1 })
          throw new Error('inner')
        }),
      )
    })
    const whole = db.transaction(async (tx) => {
      await tx.insert(settings).values({ name: 'lost', value: 1 })
      throw new Error('whole')
    })
    expect(((await failure(whole)) as Error).message).toBe('whole')
    const names = (await db.select().from(settings)).map(({ name }) => name)
    expect(names).toContain('kept')
    expect(names).toContain('kept too')
    expect(names).not.toContain('inner')
    expect(names).not.toContain('lost')
  })

  test('keeps transactions and other queries apart', async () => {
    const { db } = base.store
    await db.insert(settings).values({ name: 'counter', value: 0 })
    const bump = () =>
      db.transaction(async (tx) => {
        const [row] = await tx.select().from(settings).where(eq(settings.name, 'counter')).for('update')
        await tx
          .update(settings)
          .set({ value: Number(row?.value) + 1 })
          .where(eq(settings.name, 'counter'))
      })
    const seen = await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? db.select().from(settings) : bump())))
    expect(seen).toHaveLength(60)
    const [row] = await db.select().from(settings).where(eq(settings.name, 'counter'))
    expect(row?.value).toBe(40)
  })

  test('keeps a mirror current: the writer reads its own write', async () => {
    const { store } = base
    const kept = await mirror(store, {
      table: 'groups',
      id: (row: typeof groups.$inferSelect) => row.name,
      loadAll: () => store.db.select().from(groups),
      load: async (name) => (await store.db.select().from(groups).where(eq(groups.name, name)))[0],
    })
    await store.db.insert(groups).values({ name: 'new', ratio: 1n, createdAt: at })
    expect(kept.get('new')).toBeUndefined()
    await store.changes.publish('groups', 'new')
    expect(kept.get('new')?.ratio).toBe(1n)
  })

  test('refuses to change an entry', async () => {
    const { db } = base.store
    await openWallets(db, ['w'])
    await postGrant(db, { walletId: 'w', amount: 5n, ref: 'grant:w', kind: 'grant', actor: 'a', reason: 'r', at })
    expect(sqlState(await failure(db.update(entries).set({ amount: 6n })))).toBe('23000')
    expect(sqlState(await failure(db.delete(entries)))).toBe('23000')
    expect(sqlState(await failure(db.execute(sql`truncate entries`)))).toBe('23000')
    expect((await db.select().from(entries))[0]?.amount).toBe(5n)
  })

  test('says whether it is alive', async () => {
    expect(await base.store.alive(1_000)).toBe(true)
    const other = await throwawayDatabase(engine)
    await other.close()
    expect(await other.store.alive(1_000)).toBe(false)
    expect(await failure(other.store.db.select().from(settings))).toMatchObject({ code: 'books_unavailable' })
    expect(await failure(other.store.db.transaction(async () => {}))).toMatchObject({ code: 'books_unavailable' })
  })
})

const failure = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
