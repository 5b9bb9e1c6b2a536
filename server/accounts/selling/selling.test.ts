/** Codes, plans and credits over two instances of one database: once under any race, with everything or nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Accounts, createAccounts } from '#accounts/accounts'
import type { User } from '#accounts/caller'
import { createMembers } from '#accounts/teams/members'
import { createTeams } from '#accounts/teams/teams'
import { systemRandom as random } from '#runtime/clock'
import type { NewCodes } from '#shared/console/selling'
import { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import { readWallets } from '#store/ledger/ledger'
import { wrongBooks } from '#testing/books/invariants'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { type HandClock, handClock } from '#testing/hand-clock'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { codeLetters, codeOf } from './code-text.ts'
import { createCodes } from './codes.ts'
import { createCredits } from './credits.ts'
import { createPlans } from './plans.ts'

afterAll(makePasswordsCheap())

const dayMs = 86_400_000

describe('how a code is written', () => {
  test('it is read however it is typed, and nothing else is', () => {
    const code = codeOf('0123456789abcdef0123456789abcd')
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/)
    const letters = codeLetters(code)
    expect(codeLetters(` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}\n`)).toBe(letters)
    for (const other of ['', 'x', code.slice(1), `${code}0`, code.replace(/.$/, 'U'), code.replace(/.$/, '!')])
      expect(codeLetters(other)).toBeUndefined()
    expect(new Set(Array.from({ length: 100 }, () => codeOf(random.hex(15)))).size).toBe(100)
  })
})

describe.each(sampledEngines(import.meta.file))('selling on %s', (engine) => {
  let base: Throwaway
  let store: Store
  let clock: HandClock
  let accounts: Accounts
  let admin: User
  let ann: User
  const selling = () => ({ store, directory: accounts.directory, clock, random })
  let codes: ReturnType<typeof createCodes>
  let plans: ReturnType<typeof createPlans>
  let credits: ReturnType<typeof createCredits>

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    store = base.store
  }, 60_000)
  afterAll(() => base.close())

  beforeEach(async () => {
    await store.db.transaction(async (tx) => {
      // Entries are append-only, except for this test.
      await runSql({ db: tx }, 'set local session_replication_role = replica')
      await runSql({ db: tx }, 'truncate users, groups, settings, codes, plans, credits, teams, entries, accounts cascade')
    })
    clock = handClock()
    accounts = await createAccounts({ store, clock, random })
    const made = await accounts.ensureAdmin('root', 'correct horse')
    if (made === undefined) throw new Error('an administrator was there already')
    admin = made.user
    await accounts.groups.create(admin, { name: 'sold' })
    ann = await accounts.users.create(admin, { name: 'ann', password: 'password of ann' })
    codes = createCodes(selling())
    plans = createPlans(selling())
    credits = createCredits(selling())
  })

  const codeOfAttempt = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (thrown: unknown) => (thrown instanceof GatewayError ? thrown.code : String(thrown)),
    )
  const make = async (fields: Partial<NewCodes> = {}) =>
    (await codes.create(admin, { count: 1, value: '5', ...fields })).codes[0]?.code ?? ''
  const balance = async (id: string) => (await readWallets(store.db, [id])).get(id)?.balance
  const audit = async () => (await accounts.auditTrail.page({ limit: 50 })).data.map(({ action }) => action)
  const usd = 1_000_000_000n

  test('a code credits once, of fifty at once one', async () => {
    const code = await make()
    // From as many networks, since running attempts count as guesses.
    const attempts = await Promise.all(Array.from({ length: 50 }, (_, n) => codeOfAttempt(codes.redeem(ann, { code }, `203.0.${n}.1`))))
    expect(attempts.filter((one) => one === 'done')).toHaveLength(1)
    expect(attempts.filter((one) => one === 'code_used')).toHaveLength(49)
    expect(await balance(ann.id)).toBe(5n * usd)
    // Another user gets the same answer as for any code.
    expect(await codeOfAttempt(codes.redeem(admin, { code }, '203.0.113.2'))).toBe('invalid_code')
    expect(await audit()).toEqual(expect.arrayContaining(['code.create', 'code.redeem']))
    expect(await wrongBooks(store)).toEqual([])
    const { rows } = await codes.page({ limit: 5 })
    expect(rows).toMatchObject([{ state: 'redeemed', redeemedBy: { name: 'ann' }, wallet: { id: ann.id }, value: '5' }])
  })

  test('no code is in the database, in the list or in the audit trail', async () => {
    const code = await make()
    const stored = JSON.stringify([
      await codes.page({ limit: 5 }),
      await accounts.auditTrail.page({ limit: 50 }),
      await store.db.query.codes.findMany().then((rows) => rows.map((row) => ({ ...row, value: String(row.value) }))),
    ])
    expect(stored).not.toContain(code)
    expect(stored).not.toContain(code.replaceAll('-', ''))
    expect(stored).toContain(code.slice(-4))
  })

  test('expired, revoked, for somebody else, of another group: one answer, and nothing is credited', async () => {
    await accounts.users.create(admin, { name: 'bob', password: 'password of bob' })
    const expired = await make({ expiresAt: new Date(clock.now() + 1000).toISOString() })
    await clock.advance(1000)
    const { batch, codes: pair } = await codes.create(admin, { count: 2, value: '1' })
    expect(await codes.revoke(admin, batch)).toBe(2)
    expect(await codes.revoke(admin, pair[0]?.id ?? '')).toBe(0)
    const refused = [
      expired,
      pair[0]?.code ?? '',
      await make({ user: 'bob' }),
      await make({ group: 'sold' }),
      codeOf(random.hex(15)),
      'nonsense',
    ]
    for (const code of refused) expect(await codeOfAttempt(codes.redeem(ann, { code }, '203.0.113.1'))).toBe('invalid_code')
    expect(await balance(ann.id)).toBe(0n)
    expect(await codeOfAttempt(codes.revoke(admin, 'nothing'))).toBe('not_found')
    await accounts.users.change(admin, ann.id, { groups: ['default', 'sold'] })
    const now = accounts.users.get(ann.id) ?? ann
    expect(await codeOfAttempt(codes.redeem(now, { code: await make({ group: 'sold', user: 'ann' }) }, '203.0.113.1'))).toBe('done')
  })

  test('guesses wait by account and address, whatever instance made the code', async () => {
    const guess = () => codeOfAttempt(codes.redeem(ann, { code: codeOf(random.hex(15)) }, '203.0.113.1'))
    for (let n = 0; n < 10; n++) expect(await guess()).toBe('invalid_code')
    expect(await guess()).toBe('too_many_attempts')
    // The right one has to wait too; from elsewhere it has not.
    const code = await make()
    expect(await codeOfAttempt(codes.redeem(ann, { code }, '203.0.113.1'))).toBe('too_many_attempts')
    expect(await codeOfAttempt(codes.redeem(ann, { code }, '198.51.100.1'))).toBe('done')
  })

  test('a code for a team is redeemed by those who run it', async () => {
    const parts = { store, directory: accounts.directory, clock, random }
    const team = await createTeams(parts).create(admin, { name: 'apps' })
    expect(await codeOfAttempt(codes.redeem(ann, { code: await make(), team: 'apps' }, '203.0.113.1'))).toBe('team_not_allowed')
    const members = createMembers(parts)
    await members.add(admin, team.id, { user: 'ann', role: 'member' })
    const code = await make()
    expect(await codeOfAttempt(codes.redeem(ann, { code, team: 'apps' }, '203.0.113.1'))).toBe('not_permitted')
    await members.change(admin, team.id, ann.id, { role: 'manager' })
    expect(await codes.redeem(ann, { code, team: 'apps' }, '203.0.113.1')).toEqual({ value: '5', plan: null })
    expect([await balance(team.id), await balance(ann.id)]).toEqual([5n * usd, 0n])
    expect(await wrongBooks(store)).toEqual([])
  })

  test('a batch that cannot be is refused whole', async () => {
    const asked = (fields: object) => codeOfAttempt(codes.create(admin, { count: 2, ...fields }))
    for (const fields of [
      {},
      { value: '0' },
      { value: '1', days: 3 },
      { plan: 'none', days: 3 },
      { value: '1', user: 'nobody' },
      { value: '1', group: 'nowhere' },
    ])
      expect(await asked(fields)).toBe('invalid_value')
    expect((await codes.page({ limit: 5 })).rows).toEqual([])
  })

  test('pages of codes are complete and in order', async () => {
    await codes.create(admin, { count: 7, value: '1' })
    await clock.advance(1)
    await codes.create(admin, { count: 3, value: '2' })
    const seen: string[] = []
    let after: { at: Date; id: string } | undefined
    do {
      const { rows, more } = await codes.page({ limit: 4, ...(after && { after }) })
      seen.push(...rows.map(({ id }) => id))
      after = more ?? undefined
    } while (after)
    expect(new Set(seen).size).toBe(10)
  })

  describe('plans', () => {
    const until = (days: number) => new Date(clock.now() + days * dayMs).toISOString()
    const held = () => accounts.users.get(ann.id)?.plan

    test('the group of the plan is its holder’s for its time, and they fall back at its end', async () => {
      await plans.create(admin, { name: 'pro', group: 'sold', windows: [{ every: '5h', amount: '2' }] })
      await plans.give(admin, ann.id, { plan: 'pro', until: until(30) })
      const { key } = await accounts.keys.create(ann, { name: 'k' }).then(({ secret }) => ({ key: secret }))
      const caller = accounts.admitKey(key)
      expect(caller).toMatchObject({ group: { name: 'sold' }, user: { group: 'sold', plan: { name: 'pro' } } })
      expect(accounts.groupsOf(accounts.users.get(ann.id) ?? ann).map(({ name }) => name)).toEqual(['default', 'sold'])
      expect(accounts.budgetOf('user', ann.id)).toMatchObject({ plan: { windows: [{ every: '5h', amount: '2' }] } })
      await clock.advance(30 * dayMs)
      expect(accounts.admitKey(key)).toMatchObject({ group: { name: 'default' }, user: { plan: null } })
      // A request begun under the plan continues, unless the plan was taken away.
      expect(accounts.refusalOf(caller)).toBeUndefined()
      await plans.take(admin, ann.id)
      expect(accounts.refusalOf(caller)?.code).toBe('group_not_allowed')
    })

    test('who has a plan keeps it as it was given; giving it again moves its end', async () => {
      const { id } = await plans.create(admin, { name: 'pro', windows: [{ every: '1w', amount: '10' }] })
      await plans.give(admin, ann.id, { plan: id, until: until(7) })
      const first = held()
      await clock.advance(dayMs)
      expect(await plans.change(admin, id, { name: 'pro 2', windows: [{ every: '1w', amount: '3' }] })).toMatchObject({ holders: 1 })
      await plans.give(admin, ann.id, { plan: 'pro 2', until: until(20) })
      expect(held()).toEqual({ ...first, until: until(20) } as never)
      await plans.create(admin, { name: 'max' })
      await plans.give(admin, ann.id, { plan: 'max', until: until(1) })
      expect(held()).toMatchObject({ name: 'max', from: new Date(clock.now()).toISOString() })
      expect(await audit()).toEqual(expect.arrayContaining(['plan.create', 'plan.change', 'user.plan']))
    })

    test('a code gives a plan and money together, extends the same plan, and waits for another one', async () => {
      await plans.create(admin, { name: 'pro', windows: [{ every: '1mo', amount: '30' }] })
      await plans.create(admin, { name: 'max' })
      const redeem = async (fields: Partial<NewCodes>) => codes.redeem(ann, { code: await make(fields) }, '203.0.113.1')
      expect(await redeem({ value: '30', plan: 'pro', days: 30 })).toEqual({ value: '30', plan: { name: 'pro', until: until(30) } })
      await clock.advance(10 * dayMs)
      expect(await redeem({ value: '0', plan: 'pro', days: 30 })).toEqual({ value: '0', plan: { name: 'pro', until: until(50) } })
      const other = await make({ plan: 'max', days: 5 })
      expect(await codeOfAttempt(codes.redeem(ann, { code: other }, '203.0.113.1'))).toBe('plan_running')
      // Nothing of it was given, and it is still good.
      expect(await balance(ann.id)).toBe(30n * usd)
      await clock.advance(50 * dayMs)
      expect(await codeOfAttempt(codes.redeem(ann, { code: other }, '203.0.113.1'))).toBe('done')
      expect(await balance(ann.id)).toBe(35n * usd)
      expect(await codeOfAttempt(plans.remove(admin, (await plans.rows())[0]?.id ?? ''))).toBe('still_in_use')
      expect(await wrongBooks(store)).toEqual([])
    })

    test('windows that cannot be are refused', async () => {
      const asked = (windows: { every: string; amount: string }[]) => codeOfAttempt(plans.create(admin, { name: 'p', windows }))
      expect(await asked([{ every: '745h', amount: '1' }])).toBe('invalid_value')
      expect(await asked([{ every: '2mo', amount: '1' }])).toBe('invalid_value')
      expect(
        await asked([
          { every: '5h', amount: '1' },
          { every: '5h', amount: '2' },
        ]),
      ).toBe('invalid_value')
      expect(await codeOfAttempt(plans.create(admin, { name: 'p', group: 'nowhere' }))).toBe('invalid_value')
      await plans.create(admin, { name: 'p' })
      expect(await codeOfAttempt(plans.create(admin, { name: 'p' }))).toBe('name_taken')
      for (const end of [until(0), until(4000)])
        expect(await codeOfAttempt(plans.give(admin, ann.id, { plan: 'p', until: end }))).toBe('invalid_value')
    })
  })

  describe('credits of payment systems', () => {
    const pay = (reference: string, amount: string, more: object = {}) => credits.credit(admin, { reference, user: 'ann', amount, ...more })
    const refund = (of: string, reference: string, more: object = {}) => credits.refund(admin, { of, reference, ...more })

    test('the same reference with the same fields is one credit and one answer; with others a conflict', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => pay('inv-1', '12.5')))
      expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1)
      await clock.advance(dayMs)
      expect(await pay('inv-1', '12.50')).toEqual(answers[0] as never)
      expect(await codeOfAttempt(pay('inv-1', '12'))).toBe('idempotency_conflict')
      expect(await codeOfAttempt(credits.credit(admin, { reference: 'inv-1', user: 'root', amount: '12.5' }))).toBe('idempotency_conflict')
      expect(await balance(ann.id)).toBe(12_500_000_000n)
      // An Idempotency-Key of the same name is something else.
      await accounts.users.credit(admin, ann.id, 'inv-1', { amount: '1', reason: 'r' })
      expect(await balance(ann.id)).toBe(13_500_000_000n)
      expect(await wrongBooks(store)).toEqual([])
    })

    test('refunds take no more than their credit, together and at once', async () => {
      await pay('inv-1', '10')
      await pay('inv-2', '10')
      const codesOf = await Promise.all(Array.from({ length: 8 }, (_, n) => codeOfAttempt(refund('inv-1', `r-${n}`, { amount: '3' }))))
      expect(codesOf.filter((one) => one === 'done')).toHaveLength(3)
      expect(codesOf.filter((one) => one === 'refund_too_large')).toHaveLength(5)
      expect(await refund('inv-1', 'rest')).toMatchObject({ amount: '-1', of: 'inv-1' })
      expect(await codeOfAttempt(refund('inv-1', 'more'))).toBe('refund_too_large')
      expect(await balance(ann.id)).toBe(10n * usd)
      expect(await codeOfAttempt(refund('nothing', 'r'))).toBe('not_found')
      expect(await codeOfAttempt(refund('rest', 'r'))).toBe('not_found')
      expect((await credits.page({ limit: 50, reference: 'inv-1' })).rows).toHaveLength(5)
      expect((await credits.page({ limit: 50, wallet: 'ann' })).rows).toHaveLength(6)
      expect(await wrongBooks(store)).toEqual([])
    })

    test('a refund takes no more than is left, unless what is left will do', async () => {
      await pay('inv-1', '10')
      await accounts.users.credit(admin, ann.id, 'spent', { amount: '-7', reason: 'spent' })
      expect(await codeOfAttempt(refund('inv-1', 'r-1'))).toBe('balance_too_low')
      const done = await refund('inv-1', 'r-2', { partial: true })
      expect(done).toMatchObject({ amount: '-3' })
      expect(await refund('inv-1', 'r-2', { partial: true })).toEqual(done)
      expect(await codeOfAttempt(refund('inv-1', 'r-2'))).toBe('idempotency_conflict')
      expect(await codeOfAttempt(refund('inv-1', 'r-3', { partial: true }))).toBe('balance_too_low')
      // The refund that was refused has not taken its reference.
      await pay('inv-2', '7')
      expect(await refund('inv-1', 'r-1')).toMatchObject({ amount: '-7' })
      expect(await balance(ann.id)).toBe(0n)
      expect(await wrongBooks(store)).toEqual([])
    }, 20_000)

    test('what is no credit is refused', async () => {
      expect(await codeOfAttempt(pay('inv', '0'))).toBe('invalid_value')
      expect(await codeOfAttempt(pay('inv', '1', { team: 'apps' }))).toBe('invalid_value')
      expect(await codeOfAttempt(credits.credit(admin, { reference: 'inv', amount: '1' }))).toBe('invalid_value')
      expect(await codeOfAttempt(credits.credit(admin, { reference: 'inv', user: 'nobody', amount: '1' }))).toBe('invalid_value')
    })
  })
})
