import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Clock, systemRandom } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import type { MirroredTable, Store } from '#store/engine/store'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { type Accounts, createAccounts } from './accounts.ts'

afterAll(makePasswordsCheap())

const by = { id: 'someone', name: 'Someone' }

const secret = 'sk-declared-0123456789'

describe('what parley.yaml declares', () => {
  let base: Throwaway
  let store: Store
  let accounts: Accounts
  let clock: Clock
  /** Rows that were written, in order. */
  const writes: string[] = []

  beforeAll(async () => {
    base = await throwawayDatabase(sampledEngine(import.meta.file))
    const publish = (table: MirroredTable, id: string) => {
      writes.push(table)
      return base.store.changes.publish(table, id)
    }
    store = { ...base.store, changes: { ...base.store.changes, publish } }
  }, 60_000)
  afterAll(() => base.close())
  beforeEach(async () => {
    await runSql(store, 'truncate users, groups cascade')
    clock = handClock()
    accounts = await createAccounts({ store, clock, random: systemRandom })
    writes.length = 0
  })

  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'it succeeded',
      (error: unknown) => error,
    )
  const file = {
    groups: [{ name: 'vip', fields: { ratio: '0.8', description: 'Priority', budget: { daily: '5' } } }],
    users: [
      {
        name: 'ops',
        role: 'admin' as const,
        password: 'correct horse',
        groups: ['vip'],
        balance: '100',
        limits: { rpm: 5, concurrency: 1 },
      },
      { name: 'bot', group: 'vip' },
    ],
    keys: [
      {
        name: 'ci',
        user: 'bot',
        key: secret,
        models: ['a'],
        expiresAt: '2030-01-01T00:00:00Z',
        budget: { total: '1', timezone: 'Asia/Tokyo' },
      },
    ],
  }
  async function apply({ groups, users, keys }: typeof file = file) {
    await accounts.declareGroups(groups)
    await accounts.declareUsers(users)
    await accounts.declareKeys(keys)
  }
  const named = (name: string) => [...accounts.users.all()].find((user) => user.name === name)
  const signsIn = async (name: string, password: string) =>
    (await accounts.signIn(name, password, '10.0.0.1').catch(() => undefined)) !== undefined

  test('is there, and writes nothing the second time', async () => {
    await apply()
    expect(accounts.admitKey(secret)).toMatchObject({
      user: { name: 'bot', groups: ['vip'] },
      key: { name: 'ci', managed: 'file' },
      group: { ratio: 800_000n },
    })
    expect(accounts.setupNeeded()).toBe(false)
    const ops = named('ops')
    expect(ops && (await accounts.users.rows([ops]))).toMatchObject([
      { groups: ['default', 'vip'], balance: '100', managed: 'file', limits: { rpm: 5, concurrency: 1 } },
    ])
    writes.length = 0
    await apply()
    accounts = await createAccounts({ store, clock, random: systemRandom })
    writes.length = 0
    await apply()
    expect(writes).toEqual([])
    expect(ops && (await accounts.users.row(ops)).balance).toBe('100')
  })

  test('follows the file: ratio, password, groups, key', async () => {
    await apply()
    const { token } = await accounts.signIn('ops', 'correct horse', '10.0.0.1')
    await apply({
      groups: [{ name: 'vip', fields: { ...file.groups[0]?.fields, ratio: '2' } }],
      users: file.users.map((user) =>
        user.name === 'ops' ? { ...user, password: 'another horse', balance: '500' } : user,
      ) as typeof file.users,
      keys: file.keys.map((key) => ({ ...key, name: 'renamed' })),
    } as typeof file)
    expect(accounts.admitKey(secret)).toMatchObject({ key: { name: 'renamed' }, group: { ratio: 2_000_000n } })
    expect(accounts.userOfSession(token)).toBeUndefined()
    expect(await signsIn('ops', 'correct horse')).toBe(false)
    expect(await signsIn('ops', 'another horse')).toBe(true)
    const ops = named('ops')
    expect(ops && (await accounts.users.row(ops)).balance).toBe('100')
    await apply({ ...file, users: file.users.map(({ password: _, ...user }) => user) as typeof file.users })
    expect(await signsIn('ops', 'another horse')).toBe(false)
    expect(accounts.setupNeeded()).toBe(true)
  })

  test('is disabled, not deleted, when it leaves the file, and comes back with it', async () => {
    await apply()
    await accounts.declareKeys([])
    expect(() => accounts.admitKey(secret)).toThrow('not valid')
    await accounts.declareUsers([])
    await accounts.declareGroups([])
    expect(named('bot')).toMatchObject({ enabled: false })
    expect(accounts.groups.get('vip')).toBeUndefined()
    expect(await signsIn('ops', 'correct horse')).toBe(false)
    const id = named('bot')?.id
    await apply()
    expect(accounts.admitKey(secret).user.id).toBe(id ?? '')
  })

  test('never touches what the console made', async () => {
    const made = await accounts.ensureAdmin('ops', 'console horse')
    const admin = made?.user
    if (admin === undefined) throw new Error('no administrator')
    await accounts.groups.create(by, { name: 'vip', ratio: '3' })
    expect(await failure(accounts.declareGroups(file.groups))).toMatchObject({ code: 'name_taken', param: '0.name' })
    expect(await failure(accounts.declareUsers([{ name: 'fine' }, { name: 'ops' }]))).toMatchObject({ code: 'name_taken', param: '1.name' })
    const key = { name: 'ci', user: 'ops', key: made?.key.key ?? '' }
    expect(await failure(accounts.declareKeys([key]))).toMatchObject({ code: 'name_taken', param: '0.key' })
    await accounts.declareGroups([])
    await accounts.declareUsers([])
    await accounts.declareKeys([])
    expect(accounts.admitKey(made?.key.key ?? '').user.enabled).toBe(true)
    expect(accounts.groups.get('vip')?.ratio).toBe(3_000_000n)
  })

  test('may give a secret that one gives up to another, in any order, and swap them', async () => {
    const [one, two] = [secret, `${secret}-2`]
    await apply()
    const key = (name: string, key: string) => ({ name, user: 'bot', key })
    await accounts.declareKeys([key('a', one), key('b', two)])
    const ids = [one, two].map((key) => accounts.admitKey(key).key?.id)
    await accounts.declareKeys([key('a', two), key('b', one)])
    expect([two, one].map((key) => accounts.admitKey(key).key?.id)).toEqual(ids)
    await accounts.declareKeys([key('b', two), key('a', one)])
    expect([one, two].map((key) => accounts.admitKey(key).key?.id)).toEqual(ids)
    const same = [key('b', one), key('a', one)]
    expect(await failure(accounts.declareKeys(same))).toMatchObject({ param: '0.key', message: expect.stringContaining('this secret') })
    await accounts.declareKeys([key('b', one), key('a', `${secret}-3`)])
    expect([`${secret}-3`, one].map((key) => accounts.admitKey(key).key?.id)).toEqual(ids)
    expect(() => accounts.admitKey(two)).toThrow('not valid')
    await accounts.declareKeys([key('a', `${secret}-3`), key('b', two), key('c', one)])
    expect(accounts.admitKey(one).key?.name).toBe('c')
    // Around in a circle, a new one among them.
    await accounts.declareKeys([key('a', two), key('b', one), key('c', `${secret}-4`), key('d', `${secret}-3`)])
    expect([two, one, `${secret}-4`, `${secret}-3`].map((key) => accounts.admitKey(key).key?.name)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('may be known by its digest alone: it stays valid', async () => {
    await apply()
    const held = `${secret}-held`
    await accounts.declareKeys([{ name: 'moved', user: 'bot', digest: sha256Hex(held) }])
    expect(accounts.admitKey(held).key).toMatchObject({ name: 'moved', hint: 'sk-...' })
    writes.length = 0
    await accounts.declareKeys([{ name: 'moved', user: 'bot', digest: sha256Hex(held) }])
    expect(writes).toEqual([])
    // The key itself is no digest of itself.
    expect(() => accounts.admitKey(sha256Hex(held))).toThrow()
  })

  test('is read-only in the console', async () => {
    await apply()
    const bot = named('bot')
    if (bot === undefined) throw new Error('no user')
    const [key] = accounts.keys.ownedBy(bot)
    const refused = { code: 'managed_by_file', status: 409 }
    expect(await failure(accounts.users.change(by, bot.id, { enabled: false }))).toMatchObject(refused)
    expect(await failure(accounts.users.remove(by, bot.id))).toMatchObject(refused)
    expect(await failure(accounts.groups.change(by, 'vip', { ratio: '1' }))).toMatchObject(refused)
    expect(await failure(accounts.groups.remove(by, 'vip'))).toMatchObject(refused)
    expect(await failure(accounts.keys.change(bot, key?.id ?? '', { enabled: false }))).toMatchObject(refused)
    expect(await failure(accounts.keys.remove(bot, key?.id ?? ''))).toMatchObject(refused)
  })

  test('may speak for `default`, which goes back to what it was', async () => {
    await accounts.declareGroups([{ name: 'default', fields: { ratio: '0.5' } }])
    expect(accounts.groups.get('default')).toMatchObject({ ratio: 500_000n, managed: 'file' })
    await accounts.declareGroups([])
    expect(accounts.groups.get('default')).toMatchObject({ ratio: 1_000_000n, managed: 'console', enabled: true })
  })

  test('may switch a group off and keep users in it; a group that has left it has none', async () => {
    await accounts.declareGroups([{ name: 'closed', fields: { enabled: false } }])
    await accounts.declareUsers([{ name: 'guest', groups: ['default', 'closed'] }])
    expect(accounts.groups.get('closed')).toBeUndefined()
    await accounts.declareGroups([])
    expect(await failure(accounts.declareUsers([{ name: 'guest', groups: ['default', 'closed'] }]))).toMatchObject({ param: '0.groups' })
    await accounts.declareUsers([])
  })

  test('names the place of what is wrong', async () => {
    expect(
      await failure(
        accounts.declareGroups([
          { name: 'a', fields: {} },
          { name: 'b', fields: { ratio: '0.1234567' } },
        ]),
      ),
    ).toMatchObject({ param: '1.ratio' })
    expect(await failure(accounts.declareUsers([{ name: 'a', groups: ['none'] }]))).toMatchObject({
      code: 'invalid_value',
      param: '0.groups',
    })
    expect(await failure(accounts.declareUsers([{ name: 'a', budget: { daily: '1', timezone: 'Mars/Base' } }]))).toMatchObject({
      param: '0.budget.timezone',
    })
    await accounts.declareUsers([{ name: 'a' }])
    expect(await failure(accounts.declareKeys([{ name: 'k', user: 'nobody', key: secret }]))).toMatchObject({ param: '0.user' })
    expect(await failure(accounts.declareKeys([{ name: 'k', user: 'a', key: secret, group: 'b' }]))).toMatchObject({ param: '0.group' })
    expect(await failure(accounts.declareKeys([{ name: 'k', user: 'a', key: secret, expiresAt: '1900-01-01T00:00:00Z' }]))).toMatchObject({
      param: '0.expiresAt',
    })
  })
})
