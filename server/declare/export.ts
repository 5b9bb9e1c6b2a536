/**
 * The console's rows as a parley.yaml: for another installation, or for a repository. Pure. Contains no secrets:
 * `${NAME}` takes their place, and the names are listed at the top. Defaults are omitted.
 */
import { stringify } from 'yaml'
import type { ChannelRow } from '#shared/console/channel'
import type { ManagedGroup } from '#shared/console/group'
import type { KeyRow } from '#shared/console/key'
import type { PriceRow } from '#shared/console/price'
import type { DeclaredHold, PlanRow } from '#shared/console/selling'
import type { DeclaredRouting, Fallback } from '#shared/console/settings'
import type { MemberRow, TeamRow } from '#shared/console/team'
import type { AccountRow } from '#shared/console/user'
import { isObject } from '#shared/json'

/** A team with its members. */
export interface MadeTeam {
  row: TeamRow
  members: readonly MemberRow[]
}

/** The rows of the console. Those of the file, and disabled groups, users and teams, which a file cannot express, are left out. */
export interface MadeRows {
  groups: readonly ManagedGroup[]
  channels: readonly ChannelRow[]
  prices: readonly PriceRow[]
  plans: readonly Omit<PlanRow, 'holders'>[]
  /** The current plans of users and teams that the file did not give, by their ids. */
  held: ReadonlyMap<string, DeclaredHold>
  users: readonly AccountRow[]
  teams: readonly MadeTeam[]
  keys: readonly KeyRow[]
  fallbacks: Readonly<Record<string, Fallback>>
  routing: DeclaredRouting
}

/** A vendor's defaults for channels. */
export type VendorDefaults = Pick<ChannelRow, 'baseUrl' | 'speaks' | 'operations'>

/** The file's text. `vendorOf`: the vendor defaults by channel id. */
export function exportText(made: MadeRows, vendorOf: (channelId: string) => VendorDefaults): string {
  const variables = variableNames()
  const users = made.users.filter(({ enabled }) => enabled)
  const owners = new Set(users.map(({ id }) => id))
  const teams = made.teams.filter(({ row }) => row.enabled)
  const payers = new Set(teams.map(({ row }) => row.id))
  const given = new Set(made.plans.filter(({ enabled }) => enabled).map(({ name }) => name))
  /** A deleted or disabled plan could not be given again. */
  const heldOf = (id: string) => {
    const plan = made.held.get(id)
    return plan && given.has(plan.name) ? { plan } : {}
  }
  const sections = {
    groups: Object.fromEntries(own(made.groups).map((row) => [row.name, variables.instead(row.name, groupOf(row))])),
    channels: own(made.channels).map((row) => channelOf(row, vendorOf(row.id), variables)),
    prices: Object.fromEntries(own(made.prices).map(({ model, managed: _, ...fields }) => [model, fields])),
    plans: own(made.plans)
      .filter(({ enabled }) => enabled)
      .map(({ name, group, windows }) => ({ name, ...besides({ group, windows }, { windows: [] }) })),
    users: own(users).map((row) => ({ ...userOf(row, variables), ...heldOf(row.id) })),
    teams: teams
      .filter(({ row }) => row.managed === 'console')
      .map((team) => ({ ...teamOf(team, owners, variables), ...heldOf(team.row.id) })),
    keys: distinct(
      own(made.keys)
        .filter(({ user, team }) => owners.has(user.id) && (team === null || payers.has(team.id)))
        .map((row) => keyOf(row, variables)),
    ),
    fallbacks: made.fallbacks,
    routing: made.routing,
  }
  const present = Object.entries(sections).filter(([, section]) => Object.keys(section).length > 0)
  const content = present.length > 0 ? stringify(Object.fromEntries(present), { lineWidth: 0 }) : '{}\n'
  return `${head(variables.all())}\n${content}`
}

const own = <Row extends { managed: 'file' | 'console' }>(rows: readonly Row[]) => rows.filter(({ managed }) => managed === 'console')

/** The rows with a number after names that an earlier row has: in the file a key is known by its name, in the console by its id. */
function distinct<Row extends { name: string }>(rows: readonly Row[]): Row[] {
  const names = new Set<string>()
  const taken = new Set(rows.map(({ name }) => name))
  return rows.map((row) => {
    let { name } = row
    for (let at = 2; names.has(name) || (name !== row.name && taken.has(name)); at += 1) name = `${row.name} ${at}`
    names.add(name)
    return { ...row, name }
  })
}

function head(variables: readonly string[]): string {
  const lines = ['What the console of Parley holds. Balances are not in it.']
  if (variables.length > 0)
    lines.push('No secret is in it either: set these variables in the environment.', ...variables.map((name) => `  ${name}`))
  return lines.map((line) => `# ${line}\n`).join('')
}

interface Variables {
  /** A reference to a variable with a unique name derived from these words. */
  of(...words: string[]): string
  /** The value, with each text that shows a secret, or that the file would read as a reference, replaced by a reference. */
  instead<Value>(name: string, value: Value): Value
  all(): string[]
}

/** A secret's hint in the console (`server/routing/channel-secrets.ts`), also inside a URL; or the beginning of a reference. */
const unwritable = /hidden(?: |%20|\+)(?:sk-)?\.\.\.|\$\{/

function variableNames(): Variables {
  const names = new Set<string>()
  function of(...words: string[]): string {
    const plain = words
      .join('_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_|_$/g, '')
    const wanted = /^[A-Z]/.test(plain) ? plain : `PARLEY_${plain}`
    let name = wanted
    for (let at = 2; names.has(name); at += 1) name = `${wanted}_${at}`
    names.add(name)
    return `\${${name}}`
  }
  function replaced(value: unknown, place: string[]): unknown {
    if (typeof value === 'string') return unwritable.test(value) ? of(...place) : value
    if (Array.isArray(value)) return value.map((part) => replaced(part, place))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part, [...place, name])]))
  }
  return { of, instead: (name, value) => replaced(value, [name]) as typeof value, all: () => [...names] }
}

/** The fields that differ from their defaults. */
function besides(fields: Readonly<Record<string, unknown>>, usual: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isUsual = (name: string, value: unknown) => JSON.stringify(value) === JSON.stringify(usual[name] ?? null)
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value != null && !isUsual(name, value)))
}

const groupOf = ({ description, ratio, enabled, logBodies, budget, limits, fallbacks }: ManagedGroup) =>
  besides(
    { description, ratio, enabled, logBodies, budget, limits, fallbacks },
    { description: '', ratio: '1', enabled: true, logBodies: false, fallbacks: {} },
  )

const usualChannel = {
  ...{ groups: ['default'], priority: 0, weight: 1, enabled: true, strict: false, headers: {}, params: {}, timeouts: {} },
  ...{ options: {}, costs: {}, foreignState: 'deny', proxy: '', tls: {}, tags: [] },
}

function channelOf(row: ChannelRow, usual: VendorDefaults, variables: Variables) {
  const { id: _, createdAt, managed, name, vendor, keys, models, ...fields } = row
  const secrets = keys.map((key) => {
    const secret = variables.of(name, 'key')
    return /^key \d+$/.test(key.name) ? secret : { key: secret, name: key.name }
  })
  return {
    ...{ name, vendor },
    ...(secrets.length > 0 && { keys: secrets }),
    models,
    ...variables.instead(name, besides(fields, { ...usualChannel, ...usual })),
  }
}

function userOf({ name, role, group, groups, signsIn, budget, limits }: AccountRow, variables: Variables) {
  const usual = { role: 'user', group: 'default', groups: [group] }
  return { name, ...(signsIn && { password: variables.of(name, 'password') }), ...besides({ role, group, groups, budget, limits }, usual) }
}

function teamOf({ row, members }: MadeTeam, users: ReadonlySet<string>, variables: Variables) {
  const { name, group, groups, models, claim, budget, limits } = row
  const listed = members.filter(({ id }) => users.has(id))
  const places = listed.map(({ name: user, role, budget }) => ({ user, ...besides({ role, budget }, { role: 'member' }) }))
  const fields = besides({ group, groups, models, claim, budget, limits }, { group: 'default', groups: [group] })
  return { name, ...variables.instead(name, fields), ...(places.length > 0 && { members: places }) }
}

function keyOf(row: KeyRow, variables: Variables) {
  const { name, user, team, group, models, expiresAt, enabled, strict, logBodies, addresses, budget, limits } = row
  const fields = { group, models, expiresAt, enabled, strict, logBodies, addresses, budget, limits }
  const usual = { enabled: true, strict: false, logBodies: false }
  const payer = team && { team: team.name }
  return { name, user: user.name, ...payer, key: variables.of(user.name, name, 'key'), ...variables.instead(name, besides(fields, usual)) }
}
