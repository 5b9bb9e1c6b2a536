/** What time does to sign-ins: when a proof is old, a step is over, and an invitation ends; and that factors and sessions are whose they are. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Accounts, createAccounts } from '#accounts/accounts'
import { createFactors } from '#accounts/factors/factors'
import { createInvitations } from '#accounts/invitations/invitations'
import { createBudgetsLeft } from '#billing/ledger/budgets-left'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { systemRandom as random } from '#runtime/clock'
import { sealer } from '#runtime/secrets'
import type { SecondFactorRule } from '#shared/console/settings'
import { appCode } from '#testing/authenticator-app'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { type HandClock, handClock } from '#testing/hand-clock'
import { noBodies } from '#testing/no-bodies'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { type Visitor, visitor } from '#testing/visits'
import { factorRoutes } from './factors.ts'
import { invitationRoutes } from './invitations.ts'
import { managementKeyRoutes } from './management-keys.ts'
import { sessionRoutes } from './session.ts'
import { signInStepRoutes } from './sign-in-steps.ts'
import { userRoutes } from './users.ts'

afterAll(makePasswordsCheap())

const password = 'correct horse'
const origin = 'http://localhost:3000'
const minute = 60_000
const day = 24 * 60 * minute

let base: Throwaway
let clock: HandClock
let accounts: Accounts
let call: Visitor
let admin: string
let required: SecondFactorRule

const cookieOf = (headers: Headers, name = 'parley') =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}=`)) ?? ''
const signIn = async (name: string) => cookieOf((await call('POST', '/api/session', { body: { name, password } })).headers)

beforeAll(async () => {
  base = await throwawayDatabase(sampledEngine(import.meta.file))
}, 60_000)
afterAll(() => base.close())

beforeEach(async () => {
  const { store } = base
  await runSql(store, 'truncate users, groups, settings cascade')
  clock = handClock()
  required = 'off'
  const publicUrl = new URL(origin)
  const factors = await createFactors({ store, sealer: sealer('a'.repeat(64)), clock, random, publicUrl })
  accounts = await createAccounts({ store, clock, random, factors, secondFactor: () => ({ required, afterProvider: false }) })
  const invitations = createInvitations({
    store,
    directory: accounts.directory,
    clock,
    random,
    sessions: accounts,
    quotas: () => ({ invitations: 5 }),
  })
  const services: ConsoleServices = {
    ...{ accounts, publicUrl, clock, bodies: noBodies, version: '1', answered: async () => undefined },
    budgetsLeft: createBudgetsLeft({ store, clock }),
    ...{ demo: () => false, banner: () => null, config: () => ({ state: 'ok', message: null, at: '2026-01-01T00:00:00.000Z' }) as const },
  }
  const routes: Route[] = [
    ...[sessionRoutes, userRoutes, managementKeyRoutes].flatMap((make) => make(services)),
    ...[signInStepRoutes, factorRoutes].flatMap((make) => make({ ...services, factors })),
    ...invitationRoutes({ ...services, invitations }),
  ]
  call = visitor(routes, origin)
  await accounts.ensureAdmin('root', password)
  admin = await signIn('root')
  await accounts.users.create({ id: 'test', name: null }, { name: 'ann', password })
})

describe('a proof', () => {
  const newKey = (cookie: string) => call('POST', '/api/management-keys', { cookie, body: { name: 'k', scopes: ['read'] } })

  test('is a sign-in for a quarter of an hour, and then asked for anew; reading never asks', async () => {
    await clock.advance(15 * minute - 1)
    expect(await newKey(admin)).toMatchObject({ status: 201 })
    await clock.advance(1)
    expect(await newKey(admin)).toMatchObject({ status: 403, code: 'reauthentication_required' })
    expect(await call('GET', '/api/management-keys', { cookie: admin })).toMatchObject({ status: 200 })
    expect(await call('GET', '/api/session/proof', { cookie: admin })).toMatchObject({
      body: { password: true, app: false, provider: false },
    })
    const wrong = await call('POST', '/api/session/proof', { cookie: admin, body: { password: 'not it' } })
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_credentials' })
    expect(await newKey(admin)).toMatchObject({ status: 403 })
    const proved = await call('POST', '/api/session/proof', { cookie: admin, body: { password } })
    expect(proved).toMatchObject({ status: 204 })
    const cookie = cookieOf(proved.headers)
    expect(await newKey(cookie)).toMatchObject({ status: 201 })
    await clock.advance(15 * minute)
    expect(await newKey(cookie)).toMatchObject({ status: 403 })
  })

  test('gives the session another token and ends the old one; what runs goes on, and of two at once one has it', async () => {
    const tokenOf = (cookie: string) => cookie.split('=')[1] ?? ''
    const other = await signIn('root')
    const running = accounts.admitSession(tokenOf(admin))
    const [first, second] = await Promise.all([1, 2].map(() => call('POST', '/api/session/proof', { cookie: admin, body: { password } })))
    const cookies = [first, second].flatMap((reply) => (reply && cookieOf(reply.headers)) || [])
    expect([first?.status, cookies.length]).toEqual([204, 1])
    const [cookie = ''] = cookies
    expect(await call('GET', '/api/session', { cookie: admin })).toMatchObject({ status: 401, code: 'not_signed_in' })
    expect(await call('GET', '/api/session', { cookie })).toMatchObject({ status: 200 })
    expect(await call('GET', '/api/session', { cookie: other })).toMatchObject({ status: 200 })
    expect(accounts.refusalOf(running)).toBeUndefined()
    // It is one session still, and another start of the program knows it by its new token alone.
    const { body } = await call('GET', '/api/sessions', { cookie })
    expect(body.data.filter(({ current }: { current: boolean }) => current)).toHaveLength(1)
    const again = await createAccounts({ store: base.store, clock, random })
    expect([again.userOfSession(tokenOf(admin)), again.userOfSession(tokenOf(cookie))?.name]).toEqual([undefined, 'root'])
    await call('DELETE', '/api/session', { cookie })
    expect(accounts.refusalOf(running)?.code).toBe('not_signed_in')
    expect(await call('GET', '/api/session', { cookie })).toMatchObject({ status: 401 })
  })

  test('holds for its own session only, and a management key is not asked', async () => {
    const { body } = await newKey(admin)
    const { body: all } = await call('POST', '/api/management-keys', { cookie: admin, body: { name: 'u', scopes: ['users'] } })
    await clock.advance(20 * minute)
    const other = await signIn('root')
    expect(await newKey(admin)).toMatchObject({ status: 403 })
    expect(await newKey(other)).toMatchObject({ status: 201 })
    const ann = accounts.directory.userNamed('ann')
    const headers = { authorization: `Bearer ${all.key}` }
    const reset = await call('DELETE', `/api/users/${ann?.id}/factors`, { headers })
    expect(reset).toMatchObject({ status: 204 })
    expect(body.key).toStartWith('pk-')
  })

  test.each([
    ['POST', '/api/session/factors/apps', { name: 'Phone' }],
    ['DELETE', '/api/session/factors/x', undefined],
    ['POST', '/api/session/recovery-codes', undefined],
    ['DELETE', '/api/users/x', undefined],
    ['DELETE', '/api/users/x/factors', undefined],
    ['PATCH', '/api/users/x', { password: 'another one here' }],
    ['PATCH', '/api/users/x', { role: 'admin' }],
    ['POST', '/api/users', { name: 'rich', balance: '5' }],
    ['POST', '/api/users/x/credit', { amount: '1', reason: 'r' }],
    ['POST', '/api/invitations', { role: 'admin' }],
    ['POST', '/api/invitations', { team: 'x' }],
    ['PATCH', '/api/users/x', { group: 'vip' }],
  ] as const)('is asked for by %s %s', async (method, path, body) => {
    await clock.advance(16 * minute)
    const answer = await call(method, path, { cookie: admin, ...(body && { body }) })
    expect(answer).toMatchObject({ status: 403, code: 'reauthentication_required' })
  })

  test('takes exactly one thing', async () => {
    for (const body of [{}, { password, code: '123456' }]) {
      expect(await call('POST', '/api/session/proof', { cookie: admin, body })).toMatchObject({ status: 400, code: 'invalid_value' })
    }
  })
})

describe('a sign-in that waits', () => {
  async function withApp(): Promise<string[]> {
    const cookie = await signIn('ann')
    const { body } = await call('POST', '/api/session/factors/apps', { cookie, body: { name: 'Phone' } })
    const code = appCode(body.secret, clock.now())
    return (await call('POST', `/api/session/factors/apps/${body.id}`, { cookie, body: { code } })).body.recoveryCodes
  }

  test('is over after ten minutes, and when the password was changed meanwhile', async () => {
    const [first = '', second = ''] = await withApp()
    const begin = async () => cookieOf((await call('POST', '/api/session', { body: { name: 'ann', password } })).headers, 'parley-step')
    const late = await begin()
    const changed = await begin()
    const ann = accounts.directory.userNamed('ann')
    expect(await call('PATCH', `/api/users/${ann?.id}`, { cookie: admin, body: { password: 'another one here' } })).toMatchObject({
      status: 200,
    })
    expect(await call('POST', '/api/session/step', { cookie: changed, body: { recoveryCode: first } })).toMatchObject({ status: 401 })
    await call('PATCH', `/api/users/${ann?.id}`, { cookie: admin, body: { password } })
    const again = await begin()
    await clock.advance(10 * minute)
    for (const cookie of [late, again]) {
      expect(await call('POST', '/api/session/step', { cookie, body: { recoveryCode: first } })).toMatchObject({ code: 'not_signed_in' })
    }
    const inTime = await begin()
    await clock.advance(10 * minute - 1)
    expect(await call('POST', '/api/session/step', { cookie: inTime, body: { recoveryCode: second } })).toMatchObject({ status: 200 })
  })

  test('waits longer after each wrong code, but only whoever is wrong', async () => {
    const codes = await withApp()
    const begin = async (address: string) =>
      cookieOf((await call('POST', '/api/session', { body: { name: 'ann', password }, address })).headers, 'parley-step')
    const give = async (address: string, recoveryCode: string) =>
      call('POST', '/api/session/step', { cookie: await begin(address), body: { recoveryCode }, address })
    for (let tries = 0; tries < 5; tries++) expect(await give('10.9.9.9', 'wrong')).toMatchObject({ status: 401 })
    expect(await give('10.9.9.9', codes[0] ?? '')).toMatchObject({ status: 429, code: 'too_many_attempts' })
    expect(await give('10.1.1.1', codes[0] ?? '')).toMatchObject({ status: 200 })
  })
})

test('of two removals of the last two factors at once one is refused, where a factor is asked for', async () => {
  const cookie = await signIn('ann')
  const ids: string[] = []
  for (const name of ['Phone', 'Tablet']) {
    const { body } = await call('POST', '/api/session/factors/apps', { cookie, body: { name } })
    await call('POST', `/api/session/factors/apps/${body.id}`, { cookie, body: { code: appCode(body.secret, clock.now()) } })
    ids.push(body.id)
  }
  required = 'everybody'
  const answers = await Promise.all(ids.map((id) => call('DELETE', `/api/session/factors/${id}`, { cookie })))
  expect(answers.map(({ status, code }) => `${status} ${code ?? ''}`).sort()).toEqual(['204 ', '409 still_in_use'])
  expect((await call('GET', '/api/session/factors', { cookie })).body.factors).toHaveLength(1)
})

describe('an invitation', () => {
  test('is one of a number that its maker may have, however many are made at once', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/api/invitations', { cookie: admin, body: {} })))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(made.find(({ status }) => status !== 201)).toMatchObject({
      code: 'quota_exceeded',
      message: 'The quota for invitations of a user is 5. Delete some, or ask an administrator for more.',
    })
    const pages: string[][] = []
    for (let next: string | null = ''; next !== null; ) {
      const { body } = await call('GET', `/api/invitations?limit=2${next && `&after=${next}`}`, { cookie: admin })
      pages.push(body.data.map(({ id }: { id: string }) => id))
      next = body.next
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1])
    expect(new Set(pages.flat()).size).toBe(5)
    await call('DELETE', `/api/invitations/${pages[0]?.[0]}`, { cookie: admin })
    expect(await call('POST', '/api/invitations', { cookie: admin, body: {} })).toMatchObject({ status: 201 })
  })

  test('ends with its days, and whoever comes by it is asked for a second factor like everybody', async () => {
    const invite = async (days: number) => {
      const { body } = await call('POST', '/api/invitations', { cookie: admin, body: { days } })
      return new URL(body.link).hash.slice(1)
    }
    const [short, long] = [await invite(1), await invite(2)]
    await clock.advance(day)
    expect(await call('POST', '/api/join', { body: { token: short, name: 'bob', password } })).toMatchObject({ status: 404 })
    required = 'everybody'
    const joined = await call('POST', '/api/join', { body: { token: long, name: 'bob', password } })
    expect(joined).toMatchObject({ status: 201, body: { user: { name: 'bob' }, mustEnrol: true } })
    expect(await call('GET', '/api/management-keys', { cookie: cookieOf(joined.headers) })).toMatchObject({
      code: 'second_factor_required',
    })
    expect(await call('GET', '/api/session/factors', { cookie: cookieOf(joined.headers) })).toMatchObject({
      status: 200,
      body: { required: true },
    })
  })
})
