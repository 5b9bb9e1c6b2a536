import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { type Accounts, createAccounts } from '#accounts/accounts'
import { createDeclaredPlans } from '#accounts/selling/declared-plans'
import { createPlans } from '#accounts/selling/plans'
import { createDeclaredTeams } from '#accounts/teams/declared-teams'
import { createTeams } from '#accounts/teams/teams'
import { createPrices, type Prices } from '#billing/pricing/prices'
import { resolveRates } from '#billing/pricing/rates'
import { type ChannelRegistry, createChannels } from '#routing/channels'
import { systemRandom } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { sealer } from '#runtime/secrets'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { makePasswordsCheap } from '#testing/program/cheap-passwords'
import { applyDeclaration } from './apply.ts'
import { readDeclaration } from './declaration.ts'

afterAll(makePasswordsCheap())

const by = { id: 'someone', name: 'Someone' }

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const secret = 'sk-upstream-0123456789'
const env = { UPSTREAM: secret, PASSWORD: 'correct horse', KEY: 'sk-ci-0123456789' }

const full = `
groups:
  default: { ratio: 1 }
  vip: { ratio: 0.8 }
channels:
  - { name: main, vendor: openai, keys: ["\${UPSTREAM}"], groups: [default, vip], models: [gpt-5] }
prices:
  gpt-5: { input: 1.25, output: 10 }
users:
  - { name: ops, role: admin, password: "\${PASSWORD}", groups: [default, vip], balance: 100 }
keys:
  - { name: ci, user: ops, key: "\${KEY}", group: vip, budget: { daily: 5 } }
fallbacks:
  gpt-5: { error: [gpt-5, nobody] }
routing: { checkMinutes: 5 }
`

let database: Throwaway
let accounts: Accounts
let channels: ChannelRegistry
let prices: Prices
let kept: unknown
let keptRouting: unknown

beforeEach(async () => {
  database = await throwawayDatabase(sampledEngine(import.meta.file))
  await start()
})
afterEach(() => database.close())

/** The rooms as a fresh start of the program makes them. */
async function start(): Promise<void> {
  const { store } = database
  const clock = handClock()
  accounts = await createAccounts({ store, clock, random: systemRandom })
  const groupExists = (name: string) => ['default', 'vip'].includes(name)
  const rules = { assertAddress() {}, assertProxy() {}, assertTls() {}, assertPrice: resolveRates, groupExists }
  channels = await createChannels({ store, clock, random: systemRandom, log, sealer: sealer('ab'.repeat(32)), demo: 'auto', rules })
  prices = await createPrices({ store, log, demo: channels.demo })
}

const parts = () => ({ store: database.store, directory: accounts.directory, clock: handClock(), random: systemRandom })

async function apply(text: string): Promise<string[]> {
  const keepFallbacks = async (fallbacks: unknown) => {
    kept = fallbacks
  }
  const keepRouting = async (routing: unknown) => {
    keptRouting = routing
  }
  return applyDeclaration(readDeclaration(text, env), {
    accounts: { ...accounts, ...createDeclaredTeams(parts()), ...createDeclaredPlans(parts()) },
    ...{ channels, prices, keepFallbacks, keepRouting },
  })
}

/** Every table that the file mentions, as text. */
const dump = () =>
  dumpTables(database.store, [
    'users',
    'groups',
    'channels',
    'channel_keys',
    'prices',
    'api_keys',
    'accounts',
    'entries',
    'audit',
    'teams',
    'team_members',
    'plans',
  ])

const refusal = (text: string) =>
  apply(text).then(
    () => 'not refused',
    (thrown: Error) => thrown.message,
  )

test('a key that could be guessed is warned of, without repeating it', async () => {
  const users = 'users:\n  - { name: ops }\n'
  const [warning] = await apply(`${users}keys:\n  - { name: k, user: ops, key: sk-hunter22 }`)
  expect(warning).toStartWith('parley.yaml:4:32: keys.0.key: This key is short enough to be guessed')
  expect(warning).not.toContain('hunter22')
  expect(await apply(`${users}keys:\n  - { name: k, user: ops, key: sk-4fJq9ZrT0vLmX2bN }`)).toEqual([])
})

test('everything the file declares is there, and the secrets are in no table', async () => {
  const warnings = await apply(full)
  expect(accounts.admitKey('sk-ci-0123456789')).toMatchObject({ user: { name: 'ops' }, group: { name: 'vip', ratio: 800_000n } })
  expect(channels.offering('vip', 'gpt-5').map((channel) => channel.keys[0]?.secret)).toEqual([secret])
  expect(prices.get('gpt-5')?.managed).toBe('file')
  expect(kept).toEqual({ 'gpt-5': { error: ['gpt-5', 'nobody'] } })
  expect(keptRouting).toEqual({ checkMinutes: 5 })
  expect(warnings).toEqual(['parley.yaml:14:27: fallbacks.gpt-5.error.1: No channel offers this model'])
  const tables = await dump()
  for (const value of Object.values(env)) expect(tables).not.toContain(value)
})

test('applied again, also after a restart, nothing is written', async () => {
  await apply(full)
  const before = await dump()
  let written = 0
  for (const table of ['users', 'groups', 'channels', 'prices', 'api_keys'] as const) {
    database.store.changes.subscribe(table, async () => void written++)
  }
  await apply(full)
  expect(written).toBe(0)
  await start()
  await apply(full)
  expect(await dump()).toBe(before)
})

test('what leaves the file is disabled, not deleted, and returns as it was', async () => {
  await apply(full)
  const [id] = channels.rows().map((row) => row.id)
  await apply('')
  expect(channels.rows()).toMatchObject([{ id, name: 'main', enabled: false }])
  expect(prices.get('gpt-5')).toBeUndefined()
  expect(() => accounts.admitKey('sk-ci-0123456789')).toThrow()
  await apply(full)
  expect(channels.rows()).toMatchObject([{ id, enabled: true }])
  expect(accounts.admitKey('sk-ci-0123456789').user.name).toBe('ops')
})

test('a clash with the console, or a name that does not exist, is refused with its place', async () => {
  await channels.create(by, { name: 'main', vendor: 'demo', models: ['m'] })
  await prices.put(by, 'gpt-5', { request: '1' })
  expect(await refusal(full)).toBe(
    'parley.yaml:6:13: channels.0.name: A channel with this name was already created in the console. Rename or delete one of the two.',
  )
  expect(await refusal('prices:\n  gpt-5: { input: 1, output: 1 }')).toStartWith(
    'parley.yaml:2:10: prices.gpt-5.model: A price for this model was set',
  )
  expect(await refusal('channels:\n  - name: c\n    vendor: demo\n    models: [m]\n    groups: [default, nobody]')).toStartWith(
    'parley.yaml:5:23: channels.0.groups.1: There is no such group',
  )
  expect(await refusal('channels:\n  - name: c\n    vendor: openai\n    models: [m]')).toStartWith(
    'parley.yaml:2:5: channels.0.keys: This vendor needs',
  )
  expect(await refusal('keys:\n  - { name: k, user: nobody, key: sk-12345678 }')).toBe(
    'parley.yaml:2:22: keys.0.user: expected a user that exists.',
  )
  expect(await refusal('users:\n  - { name: u, group: nobody }')).toBe('parley.yaml:2:23: users.0.group: expected a group that exists.')
  expect(channels.rows()).toMatchObject([{ name: 'main', managed: 'console', vendor: 'demo', enabled: true }])
})

const withTeams = (members: string, more = '') => `
users:
  - { name: mara }
  - { name: nils }
teams:
  - name: apps
    balance: 200
    models: [gpt-5]
    budget: { monthly: 400 }
    members: ${members}
keys:
  - { name: apps-ci, user: nils, team: apps, key: sk-apps-4fJq9ZrT0vLmX2bN }
${more}`

test('teams of the file have their money once, their members as listed, and keys that they pay', async () => {
  const apply2 = () => apply(withTeams('[{ user: mara, role: manager }, { user: nils, budget: { daily: 0.5 } }]'))
  await apply2()
  const team = accounts.directory.teamNamed('apps')?.team
  expect(team).toMatchObject({ managed: 'file', models: ['gpt-5'], budget: { monthly: '400' }, enabled: true })
  const id = team?.id ?? ''
  const wallet = async () => {
    const rows = createTeams({ store: database.store, directory: accounts.directory, clock: handClock(), random: systemRandom }).rows
    return team && (await rows({ ...caller.user }, [team]))[0]?.balance
  }
  const caller = accounts.admitKey('sk-apps-4fJq9ZrT0vLmX2bN')
  expect(await wallet()).toBe('200')
  expect(caller).toMatchObject({ user: { id, name: 'apps' }, team: { id }, member: { budget: { daily: '0.5' }, role: 'member' } })
  expect([caller.models?.has('gpt-5'), caller.models?.has('other')]).toEqual([true, false])
  const before = await dump()
  await apply2()
  expect(await dump()).toBe(before)
  // A member removed from the row leaves the team; the key keeps working, without a member.
  await apply(withTeams('[{ user: mara, role: owner }]'))
  expect([...accounts.directory.members.all()].map(({ role }) => role)).toEqual(['owner'])
  expect(accounts.admitKey('sk-apps-4fJq9ZrT0vLmX2bN').member).toBeUndefined()
  expect(await wallet()).toBe('200')
  // A team that left the file is switched off, and so are its keys.
  await apply('users: [{ name: mara }, { name: nils }]')
  expect(accounts.directory.teamNamed('apps')?.team.enabled).toBe(false)
  expect(() => accounts.admitKey('sk-apps-4fJq9ZrT0vLmX2bN')).toThrow('not valid')
})

test.each([
  ['[{ user: nobody }]', '', 'parley.yaml:10:23: teams.0.members.0.user: expected a user that exists'],
  ['[{ user: mara }, { user: mara }]', '', 'teams.0.members: This name is taken'],
  ['[]', '  - { name: other, user: mara, team: none, key: sk-other-4fJq9ZrT0vLmX2bN }', 'keys.1.team: expected a team that exists'],
])('a fault in a team has its place: %s%s', async (members, more, expected) => {
  expect(await refusal(withTeams(members, more))).toContain(expected)
})

const plansAnd = (rows: string) => `
groups: { vip: {} }
plans:
  - { name: pro, group: vip, windows: [{ every: 5h, amount: 2 }, { every: 1mo, amount: 30 }] }
${rows}`
const inDays = (days: number) => new Date(handClock().now() + days * 86_400_000).toISOString()

test('plans of the file, and who has them: given once, moved, ended with their line, and nobody else’s to change', async () => {
  const given = (until: string) => plansAnd(`users: [{ name: ann, plan: { name: pro, until: "${until}" } }]\nteams: [{ name: apps }]`)
  const plans = createPlans(parts())
  const heldBy = (name: string) => (accounts.directory.teamNamed(name)?.team ?? accounts.directory.userNamed(name))?.plan
  await apply(given(inDays(30)))
  const [plan] = await plans.rows()
  expect(plan).toMatchObject({ name: 'pro', group: 'vip', managed: 'file', enabled: true, holders: 1 })
  expect(heldBy('ann')).toMatchObject({ name: 'pro', until: inDays(30), byFile: true, windows: [{ every: '5h' }, { every: '1mo' }] })
  const { id: teamId } = accounts.directory.teamNamed('apps')?.team ?? { id: '' }
  await plans.give(by, teamId, { plan: 'pro', until: inDays(9) })
  const before = await dump()
  await apply(given(inDays(30)))
  expect(await dump()).toBe(before)
  const annId = accounts.directory.userNamed('ann')?.id ?? ''
  const codeOf = (work: Promise<unknown>) => work.then(String, (thrown) => thrown.code)
  expect(await codeOf(plans.give(by, annId, { plan: 'pro', until: inDays(60) }))).toBe('managed_by_file')
  expect(await codeOf(plans.take(by, annId))).toBe('managed_by_file')
  expect(await codeOf(plans.change(by, plan?.id ?? '', { windows: [] }))).toBe('managed_by_file')
  expect(await codeOf(plans.remove(by, plan?.id ?? ''))).toBe('managed_by_file')
  const from = heldBy('ann')?.from
  await apply(given(inDays(60)))
  expect(heldBy('ann')).toMatchObject({ from, until: inDays(60) })
  // Its line goes, and so does the plan; what the console gave stays, though the plan itself is switched off now.
  await apply('users: [{ name: ann }]\nteams: [{ name: apps }]')
  expect([heldBy('ann'), heldBy('apps')]).toMatchObject([null, { name: 'pro', until: inDays(9) }])
  expect(await plans.rows()).toMatchObject([{ name: 'pro', enabled: false, holders: 1 }])
  // One that has ended is none.
  await apply(given('2020-01-01T00:00:00Z'))
  expect(heldBy('ann')).toBeNull()
})

test.each([
  ['users: [{ name: u, plan: { name: none, until: "2030-01-01T00:00:00Z" } }]', 'users.0.plan.name: expected the name of a plan'],
  ['users: [{ name: u, plan: { name: pro, until: "2999-01-01T00:00:00Z" } }]', 'users.0.plan.until: expected a time within'],
  ['users: [{ name: u, plan: { name: pro, until: tomorrow } }]', 'users.0.plan.until'],
  ['users: [{ name: u, plan: { name: pro } }]', 'Missing field "until"'],
  ['  - { name: pro }', 'plans.1.name: Another entry has the same'],
  ['  - { name: other, group: nobody }', 'plans.1.group'],
  ['  - { name: other, windows: [{ every: 40d, amount: 1 }] }', 'plans.1.windows.0.every'],
])('a fault of a plan has its place: %s', async (rows, expected) => {
  expect(await refusal(plansAnd(rows))).toMatch(/^parley\.yaml:\d+:\d+: /)
  expect(await refusal(plansAnd(rows))).toContain(expected)
})
