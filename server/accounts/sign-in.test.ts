/** People and their passwords and sessions: own password, list of sessions, audit of sign-ins. */
import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { systemRandom as random } from '#runtime/clock'
import { platform } from '#runtime/platform'
import type { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { type HandClock, handClock } from '#testing/hand-clock'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { type Accounts, createAccounts } from './accounts.ts'
import type { User } from './caller.ts'

afterAll(makePasswordsCheap())

const password = 'correct horse'
const address = '10.0.0.1'

describe.each(sampledEngines(import.meta.file))('people on %s', (engine) => {
  let base: Throwaway
  let store: Store
  let clock: HandClock
  let accounts: Accounts
  let admin: User
  let ann: User
  /** Lines of the log. */
  let lines: [message: string, fields: object][] = []

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
  }, 60_000)
  afterAll(() => base.close())

  beforeEach(async () => {
    await runSql(store, 'truncate users, groups, settings cascade')
    clock = handClock()
    lines = []
    const log = { info: (fields: object, message: string) => void lines.push([message, fields]) }
    accounts = await createAccounts({ store, clock, random, log })
    const made = await accounts.ensureAdmin('root', password)
    if (made === undefined) throw new Error('an administrator was there already')
    admin = made.user
    ann = await accounts.users.create(admin, { name: 'ann', password })
  })

  const signIn = async (name = 'ann', pass = password) => (await accounts.signIn(name, pass, address, { agent: 'a browser' })).token
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'it succeeded',
      (error: GatewayError) => error.code,
    )
  /** What has been recorded of sessions, oldest first. */
  const trail = async () =>
    (await accounts.auditTrail.page({ limit: 200, action: 'session' })).data
      .map(({ action, actorName, targetName, after }) => ({ action, actorName, targetName, after }))
      .reverse()
      .slice(before)
  let before = 0
  beforeEach(async () => {
    before = 0
    before = (await trail()).length
  })

  test('a sign-in that fails costs the same work, whoever it names', async () => {
    await accounts.users.create(admin, { name: 'gone', password })
    await runSql(store, `update users set enabled = false where name = 'gone'`)
    await accounts.users.create(admin, { name: 'mute' })
    let asked: string[] = []
    const db = new Proxy(store.db, {
      get(target, name) {
        if (typeof name === 'string' && ['select', 'insert', 'update', 'delete', 'execute', 'transaction'].includes(name)) asked.push(name)
        return Reflect.get(target, name, target)
      },
    })
    const watched = await createAccounts({ store: { ...store, db }, clock, random })
    const verified = spyOn(platform, 'verifyPassword')
    const seen: Record<string, unknown> = {}
    for (const name of ['ann', 'nobody', 'gone', 'mute']) {
      asked = []
      verified.mockClear()
      await failure(watched.signIn(name, 'a wrong password', address))
      // What a hash costs is in its text, before the salt.
      seen[name] = [asked, verified.mock.calls.map(([, hash]) => hash.split('$').slice(0, 4))]
    }
    verified.mockRestore()
    expect(seen.ann).toEqual([['select', 'transaction'], [expect.any(Array)]])
    for (const name of ['nobody', 'gone', 'mute']) expect([name, seen[name]]).toEqual([name, seen.ann])
  })

  describe('one’s own password', () => {
    test('is changed with the old one, ends the other sessions, and is in the audit trail', async () => {
      const [here, there] = [await signIn(), await signIn()]
      const next = await accounts.changePassword(ann, { old: password, new: 'another horse' }, here, { address, requestId: 'req_1' })
      expect(accounts.userOfSession(next)?.id).toBe(ann.id)
      expect(accounts.userOfSession(here)).toBeUndefined()
      expect(accounts.userOfSession(there)).toBeUndefined()
      expect(await failure(accounts.signIn('ann', password, address))).toBe('invalid_credentials')
      expect(await signIn('ann', 'another horse')).toBeString()
      const [row] = (await accounts.auditTrail.page({ limit: 1, action: 'user.change' })).data
      expect(row).toMatchObject({ actor: ann.id, target: ann.id, after: { passwordHash: 'changed' }, requestId: 'req_1' })
    })
    test('is not changed with a wrong old one, which counts as a failed sign-in', async () => {
      const here = await signIn()
      const change = () => accounts.changePassword(ann, { old: 'wrong', new: 'another horse' }, here, { address })
      for (let n = 0; n < 10; n++) expect(await failure(change())).toBe('invalid_credentials')
      expect(await failure(change())).toBe('too_many_attempts')
      expect((await trail()).filter(({ action }) => action === 'session.refuse').length).toBe(11)
    })
    test('is refused when it is easy to guess, from whomever it comes', async () => {
      const here = await signIn()
      for (const weak of ['password1', 'ann ann ', 'aaaaaaaa'])
        expect(await failure(accounts.changePassword(ann, { old: password, new: weak }, here, { address }))).toBe('weak_password')
      expect(await failure(accounts.users.change(admin, ann.id, { password: 'sunshine' }))).toBe('weak_password')
      expect(await failure(accounts.users.create(admin, { name: 'marianne', password: 'marianne' }))).toBe('weak_password')
      expect(await failure(accounts.declareUsers([{ name: 'ops', password: 'iloveyou' }]))).toBe('weak_password')
    })
    test('of an administrator asks for the old one too', async () => {
      expect(await failure(accounts.users.change(admin, admin.id, { password: 'another horse' }))).toBe('not_permitted')
      const token = await signIn('root')
      await accounts.changePassword(admin, { old: password, new: 'another horse' }, token, { address })
      expect(await signIn('root', 'another horse')).toBeString()
    })
    test('that parley.yaml declares is changed there', async () => {
      await accounts.declareUsers([{ name: 'ops', password }])
      const ops = accounts.userOfSession(await signIn('ops'))
      if (ops === undefined) throw new Error('ops could not sign in')
      const change = accounts.changePassword(ops, { old: password, new: 'another horse' }, undefined, { address })
      expect(await failure(change)).toBe('managed_by_file')
    })
  })

  test('the first administrator’s password is refused when it is easy to guess', async () => {
    await runSql(store, 'truncate users, groups, settings cascade')
    const fresh = await createAccounts({ store, clock, random })
    expect(await failure(fresh.ensureAdmin('root', 'password'))).toBe('weak_password')
    expect(await failure(fresh.runSetup({ token: fresh.setupToken, name: 'root', password: 'rootroot' }))).toBe('weak_password')
    expect(fresh.setupNeeded()).toBe(true)
  })

  describe('sessions', () => {
    test('are listed to their owner, newest first, and ended one by one', async () => {
      const there = await signIn()
      await clock.advance(1000)
      const here = await signIn()
      await signIn('root')
      const rows = accounts.sessionsOf(ann, here)
      expect(rows).toMatchObject([
        { address, agent: 'a browser', current: true, at: new Date(clock.now()).toISOString() },
        { address, agent: 'a browser', current: false },
      ])
      expect(JSON.stringify(rows)).not.toContain(here)
      const id = rows[1]?.id ?? ''
      expect(await failure(accounts.endSession(admin, admin, id))).toBe('not_found')
      await accounts.endSession(ann, ann, id)
      expect(accounts.userOfSession(there)).toBeUndefined()
      expect(accounts.userOfSession(here)?.id).toBe(ann.id)
      expect(accounts.sessionsOf(ann, here).length).toBe(1)
      expect(await failure(accounts.endSession(ann, ann, id))).toBe('not_found')
    })
    test('end what runs in them', async () => {
      const [here, there] = [await signIn(), await signIn()]
      const callers = [here, there].map((token) => accounts.admitSession(token))
      const reasons = () => callers.map((caller) => accounts.refusalOf(caller)?.code)
      expect(reasons()).toEqual([undefined, undefined])
      await accounts.signOut(there)
      expect(reasons()).toEqual([undefined, 'not_signed_in'])
      await accounts.users.change(admin, ann.id, { password: 'another horse' })
      expect(reasons()).toEqual(['not_signed_in', 'not_signed_in'])
    })
  })

  test('a narrowed key ends what it may no longer do', async () => {
    await accounts.groups.create(admin, { name: 'vip' })
    await accounts.users.change(admin, ann.id, { groups: ['vip'] })
    const owner = accounts.users.get(ann.id) ?? ann
    const { key, secret } = await accounts.keys.create(owner, { name: 'k', models: ['a', 'b'] })
    const caller = accounts.admitKey(secret)
    const reasons = () => ['a', 'b', undefined].map((model) => accounts.refusalOf(caller, model)?.code)
    expect(reasons()).toEqual([undefined, undefined, undefined])
    await accounts.keys.change(owner, key.id, { models: ['b'] })
    expect(reasons()).toEqual(['model_not_found', undefined, undefined])
    await accounts.keys.change(owner, key.id, { group: 'vip' })
    expect(reasons()).toEqual(['group_not_allowed', 'group_not_allowed', 'group_not_allowed'])
    expect(accounts.refusalOf(accounts.admitKey(secret), 'b')).toBeUndefined()
  })

  describe('the audit trail of sign-ins', () => {
    test('has successes, failures and ends, with address and program; of a name only whether it is a user’s', async () => {
      const token = await signIn()
      await failure(accounts.signIn('ann', 'wrong', '10.0.0.2', { agent: 'x'.repeat(300) }))
      await failure(accounts.signIn('a password typed as a name', 'wrong', '10.0.0.2'))
      await accounts.signOut(token)
      expect(await trail()).toEqual([
        { action: 'session.start', actorName: 'ann', targetName: 'ann', after: { address, agent: 'a browser' } },
        {
          action: 'session.refuse',
          actorName: null,
          targetName: 'ann',
          after: { address: '10.0.0.2', agent: 'x'.repeat(200), why: 'wrong' },
        },
        { action: 'session.refuse', actorName: null, targetName: 'unknown', after: { address: '10.0.0.2', agent: null, why: 'wrong' } },
        { action: 'session.end', actorName: 'ann', targetName: 'ann', after: null },
      ])
      expect(lines).toEqual([
        ['signed in', { user: 'ann', address, via: 'password' }],
        ['a sign-in was refused', { user: 'ann', address: '10.0.0.2', why: 'wrong' }],
        ['a sign-in was refused', { user: 'unknown', address: '10.0.0.2', why: 'wrong' }],
      ])
    })
    test('cannot be filled by strangers: twenty failures a minute, then their number', async () => {
      for (let n = 0; n < 45; n++) await failure(accounts.signIn(`n${n}`, 'wrong', `10.0.1.${n}`))
      expect((await trail()).length).toBe(20)
      await accounts.flushSignInLog()
      await accounts.flushSignInLog()
      const rows = await trail()
      expect(rows.length).toBe(21)
      expect(rows.at(-1)).toMatchObject({ action: 'session.refuse', targetName: 'many', after: { times: 25 } })
      await clock.advance(60_000)
      await failure(accounts.signIn('late', 'wrong', '10.0.2.1'))
      expect((await trail()).length).toBe(22)
      expect([lines.length, lines[20]]).toEqual([22, ['more sign-ins were refused', { times: 25 }]])
    }, 30_000)
  })
})
