import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { systemRandom } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { type HandClock, handClock } from '#testing/hand-clock'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { type Accounts, createAccounts } from './accounts.ts'
import type { User } from './caller.ts'
import { absoluteMs, idleMs } from './sessions.ts'

afterAll(makePasswordsCheap())

const password = 'correct horse'
const random = systemRandom

describe.each(sampledEngines(import.meta.file))('accounts on %s', (engine) => {
  let base: Throwaway
  let store: Store
  let clock: HandClock
  let accounts: Accounts
  let admin: User
  let adminKey: string

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
  }, 60_000)
  afterAll(() => base.close())

  beforeEach(async () => {
    await runSql(store, 'truncate users, groups, settings cascade')
    clock = handClock()
    accounts = await createAccounts({ store, clock, random })
    const made = await accounts.ensureAdmin('root', password)
    if (made === undefined) throw new Error('an administrator was there already')
    admin = made.user
    adminKey = made.key.key
  })

  const refusal = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      if (error instanceof GatewayError) return error.code
      throw error
    }
    return 'admitted'
  }
  // Not `expect().rejects`: it waits without processing messages of the embedded database's worker.
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'it succeeded',
      (error: unknown) => error,
    )
  const create = (name: string, more: object = {}) => accounts.users.create(admin, { name, ...more })

  describe('the first administrator', () => {
    test('has the grant, the group and a key that works', async () => {
      expect(await accounts.users.row(admin)).toMatchObject({
        name: 'root',
        role: 'admin',
        group: 'default',
        groups: ['default'],
        balance: '100',
        held: '0',
      })
      expect(adminKey).toMatch(/^sk-[0-9A-Za-z]{48}$/)
      expect(accounts.admitKey(adminKey)).toMatchObject({
        user: { id: admin.id },
        key: { name: 'first' },
        group: { name: 'default', ratio: 1_000_000n },
        models: null,
      })
      expect(accounts.setupNeeded()).toBe(false)
      expect(await accounts.ensureAdmin('other', password)).toBeUndefined()
    })
    test('is made once, however many try at once on however many instances', async () => {
      await runSql(store, 'truncate users, groups, settings cascade')
      const instances = await Promise.all(Array.from({ length: 3 }, () => createAccounts({ store, clock, random })))
      const made = await Promise.all(
        instances.flatMap((each, n) => [each.ensureAdmin(`a${n}`, password), each.ensureAdmin(`b${n}`, password)]),
      )
      expect(made.filter((one) => one !== undefined).length).toBe(1)
      const restarted = await createAccounts({ store, clock, random })
      expect([...restarted.users.all()].length).toBe(1)
    })
    test('by the setup page needs the token of this process', async () => {
      await runSql(store, 'truncate users, groups, settings cascade')
      const fresh = await createAccounts({ store, clock, random })
      expect(fresh.setupNeeded()).toBe(true)
      for (const token of ['', 'x', accounts.setupToken, `${fresh.setupToken} `]) {
        expect(await failure(fresh.runSetup({ token, name: 'me', password }))).toMatchObject({ code: 'invalid_setup_token', status: 401 })
      }
      const { user, key } = await fresh.runSetup({ token: fresh.setupToken, name: 'me', password })
      expect(fresh.admitKey(key.key).user.id).toBe(user.id)
      expect(await failure(fresh.runSetup({ token: fresh.setupToken, name: 'you', password }))).toMatchObject({
        code: 'setup_done',
        status: 409,
      })
    })
  })

  describe('keys', () => {
    test('everything that is not a live key gets the same refusal', async () => {
      const { secret: off } = await accounts.keys.create(admin, { name: 'off', enabled: false })
      const { key: gone, secret: deleted } = await accounts.keys.create(admin, { name: 'gone' })
      await accounts.keys.remove(admin, gone.id)
      const bob = await create('bob')
      const { secret: blocked } = await accounts.keys.create(bob, { name: 'bob' })
      await accounts.users.change(admin, bob.id, { enabled: false })
      const bad = [
        '',
        'sk-',
        'sk-abc',
        off,
        deleted,
        blocked,
        `${adminKey} `,
        ` ${adminKey}`,
        adminKey.slice(0, -1),
        adminKey.toLowerCase(),
        `sk-${'x'.repeat(12_000)}`,
        `sk-${'x'.repeat(198)}é`,
        'sk-0123456789\0',
        "sk-' or 1=1 --aaaa",
        'Bearer sk-01234567',
        '__proto__',
        admin.id,
      ]
      const messages = new Set(
        bad.map((secret) => {
          try {
            return accounts.admitKey(secret)
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_api_key', status: 401 })
            return (error as Error).message
          }
        }),
      )
      expect(messages.size).toBe(1)
    })
    test('end at the millisecond they expire', async () => {
      const { secret } = await accounts.keys.create(admin, { name: 'short', expiresAt: new Date(clock.now() + 1_000).toISOString() })
      await clock.advance(999)
      expect(accounts.admitKey(secret).key?.name).toBe('short')
      await clock.advance(1)
      expect(refusal(() => accounts.admitKey(secret))).toBe('invalid_api_key')
    })
    test('carry their models and strictness, and the group only while the user may use it', async () => {
      await accounts.groups.create(admin, { name: 'vip', ratio: '0.8' })
      const bob = await create('bob', { groups: ['vip'] })
      const { key, secret } = await accounts.keys.create(bob, { name: 'k', group: 'vip', models: ['a', 'b'], strict: true })
      expect(accounts.admitKey(secret)).toMatchObject({
        group: { name: 'vip', ratio: 800_000n },
        strict: true,
        models: new Set(['a', 'b']),
      })
      const now = await accounts.users.change(admin, bob.id, { groups: ['default'] })
      expect(refusal(() => accounts.admitKey(secret))).toBe('group_not_allowed')
      expect(await failure(accounts.keys.change(now, key.id, { group: 'vip' }))).toMatchObject({ code: 'group_not_allowed', status: 403 })
    })
    test('are shown once and kept as digests', async () => {
      const { key, secret } = await accounts.keys.create(admin, { name: 'k' })
      const { token } = await accounts.signIn('root', password, '10.0.0.1')
      expect(accounts.keys.row(key).hint).toBe(`sk-...${secret.slice(-4)}`)
      const stored = await dumpTables(store, ['users', 'api_keys', 'sessions', 'groups', 'settings', 'accounts', 'entries'])
      expect(stored).toContain(key.id)
      for (const hidden of [secret, adminKey, token, password]) expect(stored).not.toContain(hidden)
    })
    test('remember when they were last used, at once here and in the database after a flush', async () => {
      const { key, secret } = await accounts.keys.create(admin, { name: 'k' })
      expect(accounts.keys.row(key).lastUsedAt).toBeNull()
      const seen = async () => (await accounts.users.rows([accounts.users.find(key.userId)]))[0]?.lastSeenAt
      await clock.advance(5_000)
      accounts.admitKey(secret)
      const at = new Date(clock.now()).toISOString()
      expect(accounts.keys.row(key).lastUsedAt).toBe(at)
      expect(await seen()).toBe(at)
      await accounts.flushLastUsed()
      expect(await seen()).toBe(at)
      const restarted = await createAccounts({ store, clock, random })
      expect(
        restarted.keys
          .ownedBy(admin)
          .find(({ id }) => id === key.id)
          ?.lastUsedAt?.toISOString(),
      ).toBe(at)
    })
  })

  describe('sessions', () => {
    test('end after seven idle days and after thirty in all', async () => {
      const { token } = await accounts.signIn('root', password, '10.0.0.1')
      await clock.advance(idleMs - 1)
      expect(accounts.userOfSession(token)?.id).toBe(admin.id)
      await clock.advance(idleMs - 1)
      expect(accounts.userOfSession(token)?.id).toBe(admin.id)
      await clock.advance(idleMs)
      expect(accounts.userOfSession(token)).toBeUndefined()

      const { token: busy } = await accounts.signIn('root', password, '10.0.0.1')
      const day = idleMs / 7
      for (let used = 0; used < absoluteMs - day; used += day) {
        await clock.advance(day)
        expect(accounts.userOfSession(busy)?.id).toBe(admin.id)
      }
      await clock.advance(day)
      expect(accounts.userOfSession(busy)).toBeUndefined()
    })
    test('are remembered across a restart by their last use, and swept when they are over', async () => {
      const { token } = await accounts.signIn('root', password, '10.0.0.1')
      await clock.advance(idleMs - 1)
      accounts.userOfSession(token)
      await accounts.sweepSessions()
      await clock.advance(idleMs - 1)
      const restarted = await createAccounts({ store, clock, random })
      expect(restarted.userOfSession(token)?.id).toBe(admin.id)
      await restarted.sweepSessions()
      expect(await dumpTables(store, ['sessions'])).toContain(sha256Hex(token))
      await clock.advance(idleMs + 1)
      await restarted.sweepSessions()
      expect(await dumpTables(store, ['sessions'])).not.toContain(sha256Hex(token))
    })
    test('end on sign-out, password change, disabling, deletion; one user’s end is not another’s', async () => {
      const bob = await create('bob', { password })
      const session = async (name: string, pass = password) => (await accounts.signIn(name, pass, '10.0.0.1')).token
      const mine = await session('root')
      const first = await session('bob')
      await accounts.signOut(first)
      expect(accounts.userOfSession(first)).toBeUndefined()
      const second = await session('bob')
      await accounts.users.change(admin, bob.id, { password: 'another horse' })
      expect(accounts.userOfSession(second)).toBeUndefined()
      const third = await session('bob', 'another horse')
      await accounts.users.change(admin, bob.id, { enabled: false })
      expect(accounts.userOfSession(third)).toBeUndefined()
      await accounts.users.change(admin, bob.id, { enabled: true })
      expect(accounts.userOfSession(third)).toBeUndefined()
      const fourth = await session('bob', 'another horse')
      await accounts.users.remove(admin, bob.id)
      expect(accounts.userOfSession(fourth)).toBeUndefined()
      expect(accounts.userOfSession(mine)?.name).toBe('root')
    })
    test('speak for the user in one of the user’s groups', async () => {
      await accounts.groups.create(admin, { name: 'vip' })
      const bob = await create('bob', { password, groups: ['vip'] })
      const { token } = await accounts.signIn('bob', password, '10.0.0.1')
      expect(accounts.admitSession(token)).toMatchObject({ user: { id: bob.id }, key: null, group: { name: 'default' }, models: null })
      expect(accounts.admitSession(token, 'vip').group.name).toBe('vip')
      expect(accounts.groupsOf(bob).map(({ name }) => name)).toEqual(['default', 'vip'])
      for (const group of ['', 'none', '__proto__', 'VIP'])
        expect(refusal(() => accounts.admitSession(token, group))).toBe('group_not_allowed')
      for (const none of [undefined, '', 'x', 'a'.repeat(64)]) expect(refusal(() => accounts.admitSession(none))).toBe('not_signed_in')
    })
    test('an unknown name, a wrong password, no password and a disabled user get the same answer', async () => {
      await create('nopass')
      const off = await create('off', { password })
      await accounts.users.change(admin, off.id, { enabled: false })
      const tries = [
        ['nobody', password],
        ['root', 'wrong horse'],
        ['nopass', ''],
        ['off', password],
        ['ROOT', password],
        ['', ''],
      ] as const
      const outcomes = await Promise.all(
        tries.map(([name, pass], n) =>
          accounts.signIn(name, pass, `10.0.0.${n}`).catch((error: GatewayError) => `${error.code} ${error.message}`),
        ),
      )
      expect(new Set(outcomes).size).toBe(1)
      expect(outcomes[0]).toStartWith('invalid_credentials')
    })
    test('signing in often is no failure', async () => {
      for (let n = 0; n < 12; n++) expect((await accounts.signIn('root', password, '10.0.0.1')).user.id).toBe(admin.id)
    })
    test('failed attempts of strangers refuse no user at an address of an earlier sign-in', async () => {
      await accounts.signIn('root', password, '10.9.0.1')
      for (let n = 0; n < 10; n++)
        for (let tries = 0; tries < 10; tries++)
          expect(await failure(accounts.signIn('root', 'wrong', `10.0.${n}.1`))).toMatchObject({ code: 'invalid_credentials' })
      expect(await failure(accounts.signIn('root', password, '10.9.0.2'))).toMatchObject({ code: 'too_many_attempts', retryAfter: 1 })
      expect((await accounts.signIn('root', password, '10.9.0.1')).user.id).toBe(admin.id)
      const restarted = await createAccounts({ store, clock, random })
      expect((await restarted.signIn('root', password, '10.9.0.1')).user.id).toBe(admin.id)
      await clock.advance(1000)
      expect((await accounts.signIn('root', password, '10.9.0.2')).user.id).toBe(admin.id)
    }, 60_000)
  })

  describe('administrators', () => {
    test('the last administrator who can sign in cannot be removed', async () => {
      const second = await create('second', { role: 'admin' })
      for (const change of [{ role: 'user' as const }, { enabled: false }]) {
        expect(await failure(accounts.users.change(admin, admin.id, change))).toMatchObject({ code: 'still_in_use', status: 409 })
      }
      expect(await failure(accounts.users.remove(admin, admin.id))).toMatchObject({ code: 'still_in_use' })
      await accounts.users.change(admin, second.id, { password })
      expect((await accounts.users.change(admin, admin.id, { role: 'user' })).role).toBe('user')
    })
    test('of two administrators who resign at the same moment only one succeeds', async () => {
      const second = await create('second', { role: 'admin', password })
      for (let round = 0; round < 5; round++) {
        const both = await Promise.allSettled([admin, second].map(({ id }) => accounts.users.change(admin, id, { role: 'user' })))
        expect(both.filter(({ status }) => status === 'fulfilled').length).toBe(1)
        await Promise.all([admin, second].map(({ id }) => accounts.users.change(admin, id, { role: 'admin' })))
      }
    })
  })

  describe('money', () => {
    const rowOf = async (user: User) => (await accounts.users.row(user)).balance
    test('an opening balance is posted with the user, exactly', async () => {
      expect(await rowOf(await create('bob', { balance: '0.000000001' }))).toBe('0.000000001')
      expect(await rowOf(await create('ann'))).toBe('0')
      expect(await failure(create('ann', { balance: '1000000001' }))).toMatchObject({ code: 'invalid_value', param: 'balance' })
    })
    test('a credit happens once per key, also when sent at the same moment', async () => {
      const bob = await create('bob')
      const credit = { amount: '2.5', reason: 'thanks' }
      await Promise.all(Array.from({ length: 8 }, () => accounts.users.credit(admin, bob.id, 'one', credit)))
      expect(await rowOf(bob)).toBe('2.5')
      for (const other of [
        { ...credit, amount: '2' },
        { ...credit, reason: 'other' },
      ]) {
        expect(await failure(accounts.users.credit(admin, bob.id, 'one', other))).toMatchObject({
          code: 'idempotency_conflict',
          status: 409,
        })
      }
      expect(await failure(accounts.users.credit(admin, admin.id, 'one', credit))).toMatchObject({ code: 'idempotency_conflict' })
      await accounts.users.credit(admin, bob.id, 'two', { amount: '-2.5', reason: 'mistake' })
      expect(await rowOf(bob)).toBe('0')
    })
    test('no more is taken back than there is', async () => {
      const bob = await create('bob', { balance: '1' })
      expect(await failure(accounts.users.credit(admin, bob.id, 'three', { amount: '-1.000000001', reason: 'r' }))).toMatchObject({
        code: 'invalid_value',
        param: 'amount',
      })
      expect(await rowOf(bob)).toBe('1')
      expect(await failure(accounts.users.credit(admin, 'nobody', 'four', { amount: '1', reason: 'r' }))).toMatchObject({
        code: 'not_found',
      })
    })
  })

  describe('groups', () => {
    test('`default` is always there and stays', async () => {
      expect(accounts.groups.get('default')).toMatchObject({ ratio: 1_000_000n, enabled: true })
      expect(await failure(accounts.groups.remove(admin, 'default'))).toMatchObject({ code: 'still_in_use' })
      await accounts.groups.change(admin, 'default', { ratio: '0.000001' })
      const restarted = await createAccounts({ store, clock, random })
      expect(restarted.groups.get('default')?.ratio).toBe(1n)
    })
    test('are removed only when they are empty', async () => {
      await accounts.groups.create(admin, { name: 'vip' })
      const bob = await create('bob', { group: 'vip' })
      expect(bob.groups).toEqual(['vip'])
      expect(await failure(accounts.groups.remove(admin, 'vip'))).toMatchObject({ code: 'still_in_use', status: 409 })
      const moved = await accounts.users.change(admin, bob.id, { group: 'default' })
      expect(moved.groups).toEqual(['default'])
      await accounts.groups.remove(admin, 'vip')
      expect(accounts.groups.get('vip')).toBeUndefined()
      expect(await failure(accounts.groups.remove(admin, 'vip'))).toMatchObject({ code: 'not_found' })
    })
    test('that are off refuse requests, running ones too, and keep their members', async () => {
      await accounts.groups.create(admin, { name: 'vip' })
      const bob = await create('bob', { password, groups: ['vip'] })
      const { token } = await accounts.signIn('bob', password, '10.0.0.1')
      const caller = accounts.admitSession(token, 'vip')
      expect((await accounts.groups.change(admin, 'vip', { enabled: false })).enabled).toBe(false)
      expect(refusal(() => accounts.admitSession(token, 'vip'))).toBe('group_not_allowed')
      expect(accounts.refusalOf(caller, 'm')).toMatchObject({ code: 'group_not_allowed' })
      expect(accounts.groupsOf(bob).map(({ name }) => name)).toEqual(['default'])
      expect((await accounts.users.change(admin, bob.id, { groups: ['default', 'vip'] })).groups).toEqual(['default', 'vip'])
      await accounts.groups.change(admin, 'vip', { enabled: true })
      expect(accounts.admitSession(token, 'vip').group.name).toBe('vip')
    })
    test('`default` is always on', async () => {
      const refused = { code: 'invalid_value', param: 'enabled' }
      expect(await failure(accounts.groups.change(admin, 'default', { enabled: false }))).toMatchObject(refused)
      expect(await failure(accounts.declareGroups([{ name: 'default', fields: { enabled: false } }]))).toMatchObject({
        ...refused,
        param: '0.enabled',
      })
    })
  })
})
