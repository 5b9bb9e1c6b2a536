import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { audit, groups, users } from '#db/schema'
import { mirror } from '#store/engine/mirror'
import { sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { registerInstance } from '#store/ledger/instances'
import { syncBooks } from '#store/ledger/leases'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { usageRow } from '#testing/usage-row'
import { audited, auditedAll, note, onRecord, pageAudit } from './audit.ts'
import { insertGroup, loadGroup, loadGroups, updateGroup } from './groups.ts'
import { loadUser, type UserRecord, updateUser } from './users.ts'

const by = { id: 'u1', name: 'Root', requestId: 'req_1' }
const at = new Date(1_700_000_000_000)

const group = (name: string) => ({
  name,
  description: 'd',
  ratio: 800_000n,
  keepBodies: null,
  budget: null,
  limits: null,
  fallbacks: null,
  enabled: true,
  managed: 'console' as const,
  createdAt: at,
})

const failure = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe.each(sampledEngines(import.meta.file))('the audit trail on %s', (engine) => {
  let base: Throwaway
  let store: Store
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
  }, 60_000)
  afterAll(() => base.close())

  const writeGroup = <T>(action: string, name: string, work: (store: Store) => Promise<T>) =>
    audited(store, by, { action, target: name }, (store) => loadGroup(store, name), work)
  const latest = async () => (await pageAudit(store, { limit: 1 })).rows[0]

  test('says what became different, and who did it', async () => {
    await writeGroup('group.create', 'a', (store) => insertGroup(store, group('a')))
    expect(await latest()).toMatchObject({
      ...{ actor: 'u1', actorName: 'Root', action: 'group.create', target: 'a', targetName: 'a', requestId: 'req_1', before: null },
      after: { name: 'a', description: 'd', ratio: '800000', enabled: true, managed: 'console' },
    })
    await writeGroup('group.change', 'a', (store) => updateGroup(store, 'a', { ratio: 5n, limits: { rpm: 3 } }))
    expect(await latest()).toMatchObject({ before: { ratio: '800000', limits: null }, after: { ratio: '5', limits: { rpm: 3 } } })
    expect(Object.keys((await latest())?.after ?? {}).sort()).toEqual(['limits', 'ratio'])
  })

  test('says nothing where nothing changed', async () => {
    const before = await latest()
    await writeGroup('group.change', 'a', (store) => updateGroup(store, 'a', { ratio: 5n }))
    expect(await latest()).toEqual(before)
  })

  test('of many rows at once it has one for each that changed', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `many-${n}`)
    const deeds = names.map((target) => ({ action: 'group.change', target }))
    const look = async (store: Store, targets: readonly string[]) =>
      new Map((await loadGroups(store, targets)).map((row) => [row.name, { ...row, ratio: String(row.ratio) }]))
    const change = (ratio: (n: number) => bigint) =>
      auditedAll(store, by, deeds, look, async (store) => {
        for (const [n, name] of names.entries()) await updateGroup(store, name, { ratio: ratio(n) })
      })
    for (const name of names) if (name !== 'many-7') await insertGroup(store, group(name))
    const before = (await latest())?.id ?? 0n
    await change((n) => (n % 10 === 0 ? 1n : 800_000n))
    const rows = (await pageAudit(store, { limit: 50 })).rows.filter(({ id }) => id > before).reverse()
    expect(rows.map(({ target, before, after }) => [target, before, after])).toEqual(
      ['many-0', 'many-10', 'many-20'].map((target) => [target, { ratio: '800000' }, { ratio: '1' }]),
    )
    await change(() => 800_000n)
    await change(() => 800_000n)
    expect((await pageAudit(store, { limit: 50 })).rows.filter(({ id }) => id > before)).toHaveLength(6)
  })

  if (engine === 'postgres') {
    test('while it is written, however long that takes, requests are settled', async () => {
      const instance = await registerInstance(store, { folder: 'f' })
      const settled = await onRecord(store, async () => {
        const lines = [{ row: usageRow({ requestId: 'meanwhile' }), accounts: [], owed: 0n, covered: 0n }]
        return syncBooks(base.store, { instance, seq: 1n, lines, own: [], ask: [] })
      })
      expect(settled.short.size).toBe(0)
    }, 20_000)
  }

  test('comes with its change or not at all, and is published after the commit', async () => {
    const before = await latest()
    const mirrored = await mirror(store, {
      table: 'groups',
      id: (row: { name: string }) => row.name,
      loadAll: () => store.db.select().from(groups),
      load: (name) => loadGroup(store, name),
    })
    const broken = writeGroup('group.create', 'b', async (store) => {
      await insertGroup(store, group('b'))
      throw new Error('too late')
    })
    expect(await failure(broken)).toMatchObject({ message: 'too late' })
    expect(await latest()).toEqual(before)
    expect(await loadGroup(store, 'b')).toBeUndefined()
    expect(mirrored.get('b')).toBeUndefined()
    await writeGroup('group.create', 'b', async (store) => {
      await insertGroup(store, group('b'))
      expect(mirrored.get('b')).toBeUndefined()
    })
    expect(mirrored.get('b')).toBeDefined()
  })

  test('of secrets it knows only that there are some', async () => {
    const user: UserRecord = {
      ...{ id: 'x', name: 'x', role: 'user', passwordHash: 'hash-one', group: 'default', groups: ['default'], budget: null },
      ...{ limits: null, fallbacks: null, enabled: true, managed: 'console', createdAt: at },
    }
    const write = (work: (store: Store) => Promise<unknown>) =>
      audited(store, by, { action: 'user.change', target: 'x' }, (store) => loadUser(store, 'x'), work)
    await write((store) => store.db.insert(users).values(user))
    expect((await latest())?.after).toMatchObject({ name: 'x', passwordHash: 'set' })
    await write((store) => updateUser(store, 'x', { passwordHash: 'hash-two' }))
    expect(await latest()).toMatchObject({ before: { passwordHash: 'set' }, after: { passwordHash: 'changed' } })
    await write((store) => updateUser(store, 'x', { passwordHash: null }))
    expect(await latest()).toMatchObject({ before: { passwordHash: 'set' }, after: { passwordHash: null } })
    let seen: object | undefined
    const look = (secrets: object) => {
      const work = async () => {
        seen = secrets
      }
      return audited(store, by, { action: 'a.b', target: 't' }, async () => seen, work)
    }
    await look({ headers: { 'x-team': 'hidden-a' }, keys: [{ name: 'k', sealed: 'hidden-b' }] })
    expect((await latest())?.after).toEqual({ headers: { 'x-team': 'set' }, keys: [{ name: 'k', sealed: 'set' }] })
    await look({ headers: { 'x-team': 'hidden-c' }, keys: [{ name: 'k', sealed: 'hidden-d' }] })
    expect((await latest())?.after).toEqual({ headers: 'changed', keys: 'changed' })
    const everything = JSON.stringify((await pageAudit(store, { limit: 200 })).rows.map((row) => ({ ...row, id: 0 })))
    expect(everything).not.toMatch(/hash-one|hash-two|hidden/)
  })

  test('cannot be rewritten', async () => {
    for (const change of [store.db.update(audit).set({ actor: 'nobody' }), store.db.delete(audit), store.db.execute(sql`truncate audit`)]) {
      expect(sqlState(await failure(change))).toBe('23000')
    }
  })

  test('is read page by page, filtered, and not shifted by what comes in', async () => {
    const write = (n: number) =>
      onRecord(store, (store) =>
        note(store, { id: `p${n % 2}`, name: null }, { action: n < 3 ? 'page.one' : 'pages.two', target: `t${n}`, name: 'page' }),
      )
    await Promise.all([0, 1, 2, 3, 4, 5].map(write))
    const seen: string[] = []
    let after: string | undefined
    do {
      const page = await pageAudit(store, { limit: 2, target: 'page', ...(after !== undefined && { after }) })
      seen.push(...page.rows.map(({ target }) => target))
      after = page.next ?? undefined
      await onRecord(store, (store) => note(store, by, { action: 'late.one', target: 'late', name: 'page' }))
    } while (after !== undefined)
    expect([...seen].sort()).toEqual(['t0', 't1', 't2', 't3', 't4', 't5'])
    const found = async (asked: object) => (await pageAudit(store, { limit: 50, ...asked })).rows.map(({ target }) => target).sort()
    expect(await found({ action: 'page' })).toEqual(['t0', 't1', 't2'])
    expect(await found({ action: 'page.one', actor: 'p1' })).toEqual(['t1'])
    expect(await found({ target: 't4' })).toEqual(['t4'])
    expect(await found({ action: 'pag' })).toEqual([])
    for (const wrong of ['x', '-1', '1.5', '9'.repeat(30)]) {
      expect(await failure(pageAudit(store, { limit: 1, after: wrong }))).toMatchObject({ code: 'invalid_value', param: 'after' })
    }
  })
})
