/** `config plan`, `config apply` and `config export`: a file in the form of parley.yaml against a running Parley. */
import { type Declaration, readDeclaration } from '#declare/declaration'
import type { ChannelRow } from '#shared/console/channel'
import type { ManagedGroupRow } from '#shared/console/group'
import type { PriceRow } from '#shared/console/price'
import type { PlanRow, PlanState } from '#shared/console/selling'
import type { SettingsRow } from '#shared/console/settings'
import type { MemberRow, TeamRow } from '#shared/console/team'
import type { AccountRow } from '#shared/console/user'
import { GatewayError } from '#shared/errors'
import { CommandError } from './api.ts'
import { type Command, type Input, named, queryOf } from './command.ts'
import type { Change, Present } from './config-change.ts'
import { difference, differenceText } from './config-difference.ts'

/** The exit code of `config plan` when something differs. */
const differs = 3

async function planOf({ api, env, args: [file = ''], readText }: Input): Promise<Change[]> {
  const wanted = parsed(await readText(file), env, file)
  if (wanted.keys.length > 0) {
    throw new CommandError(
      'The file has keys, whose secrets only the parley.yaml that Parley reads can declare. Leave them out, and use `keys create`.',
    )
  }
  const [groups, channels, prices, users, settings, selling] = await Promise.all([
    api.list<ManagedGroupRow>('/api/groups?all=true'),
    api.list<ChannelRow>('/api/channels'),
    api.list<PriceRow>('/api/prices', 100_000),
    api.list<AccountRow>('/api/users', 100_000),
    api.call<SettingsRow>('GET', '/api/settings'),
    readSelling(api, wanted),
  ])
  return difference(wanted, {
    groups,
    channels,
    prices,
    users,
    settings,
    ...selling,
    held: await readHeld(api, wanted, users, selling.teams),
  })
}

/** Plans, and teams with the members of those that the file names; only sections in the file are queried. */
async function readSelling(api: Input['api'], { plans, users, teams }: Declaration): Promise<Pick<Present, 'plans' | 'teams' | 'members'>> {
  const named = new Set(teams.map(({ name }) => name))
  const speaksOfPlans = plans.length > 0 || [...users, ...teams].some(({ plan }) => plan !== undefined)
  const known = named.size === 0 ? [] : await api.list<TeamRow>('/api/teams', 100_000)
  const members = await Promise.all(
    known
      .filter(({ name }) => named.has(name))
      .map(async ({ id }) => [id, await api.list<MemberRow>(`/api/teams/${encodeURIComponent(id)}/members`, 100_000)] as const),
  )
  return { plans: speaksOfPlans ? await api.list<PlanRow>('/api/plans', 100_000) : [], teams: known, members: new Map(members) }
}

/** The current plans of those to whom the file gives one. */
async function readHeld(
  api: Input['api'],
  wanted: Declaration,
  users: readonly AccountRow[],
  teams: readonly TeamRow[],
): Promise<Present['held']> {
  const heldBy = (
    of: 'user' | 'team',
    rows: readonly { id: string; name: string }[],
    holders: readonly { name: string; plan?: unknown }[],
  ) =>
    holders
      .filter(({ plan }) => plan !== undefined)
      .flatMap(({ name }) => rows.find((row) => row.name === name) ?? [])
      .map(async ({ id }) => [id, (await api.call<PlanState>('GET', `/api/plan${queryOf({ [of]: id })}`)).plan] as const)
  return new Map(await Promise.all([...heldBy('user', users, wanted.users), ...heldBy('team', teams, wanted.teams)]))
}

/** Makes one change. */
async function write(api: Input['api'], { method, path, body, team }: Change['call']): Promise<void> {
  const id = team === undefined ? '' : named(await api.list<TeamRow>('/api/teams', 100_000), team).id
  await api.call(method, path.replace(':team', encodeURIComponent(id)), body)
}

function parsed(text: string, env: Input['env'], file: string) {
  try {
    return readDeclaration(text, env, file)
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw new CommandError(thrown.message)
    throw thrown
  }
}

/** The --json form of a change: without the call, whose body has secrets. */
const withoutCall = ({ call: _, ...change }: Change) => change

/** `config`. */
export const configCommands: readonly Command[] = [
  {
    words: 'config plan',
    args: ['FILE'],
    help: 'Shows what `config apply` would write; exit code 3 when something differs',
    async run(input) {
      const changes = await planOf(input)
      return { value: { changes: changes.map(withoutCall) }, text: differenceText(changes), code: changes.length > 0 ? differs : 0 }
    },
  },
  {
    words: 'config apply',
    args: ['FILE'],
    flags: { yes: { help: 'Do not ask; required without a terminal' } },
    help: 'Shows the difference, asks for confirmation, and writes it; rows that the file does not name stay',
    async run(input) {
      const changes = await planOf(input)
      input.say(differenceText(changes))
      const refused = changes.filter((change) => change.refused !== undefined)
      if (refused.length > 0) throw new CommandError('Nothing was written: the changes marked with ! are not possible.')
      if (changes.length === 0) return { value: { changes: [], applied: 0 }, text: '' }
      if (input.flags.yes === undefined && !(await input.confirm('Write this?'))) {
        throw new CommandError('Nothing was written. Answer y, or pass --yes.')
      }
      let applied = 0
      for (const { call, kind, name } of changes) {
        try {
          await write(input.api, call)
        } catch (thrown) {
          const why = thrown instanceof Error ? thrown.message : String(thrown)
          throw new CommandError(`${applied} of ${changes.length} changes were written. ${kind} ${name} was not: ${why}`)
        }
        applied += 1
      }
      return { value: { changes: changes.map(withoutCall), applied }, text: `${applied} ${applied === 1 ? 'change' : 'changes'} written.` }
    },
  },
  {
    words: 'config export',
    help: 'Prints the console’s configuration as a parley.yaml, with variables in place of secrets',
    async run({ api }) {
      const text = await api.text('/api/export')
      return { value: text, text: text.trimEnd() }
    },
  },
]
