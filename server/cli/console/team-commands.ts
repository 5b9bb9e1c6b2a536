/** Commands for teams, their members and caps. Keys of a team: `keys create --team`. */
import type { Budget } from '#shared/console/limits'
import type { MemberRow, TeamRow } from '#shared/console/team'
import { teamRoles } from '#shared/ids'
import { CommandError } from './api.ts'
import { boundFlags, boundsOf, type Column, type Command, changed, type Flag, type Input, listOf, named, pick, table } from './command.ts'
import {
  addressOf,
  changes,
  createCommand,
  creditCommand,
  deleteCommand,
  listCommand,
  type Resource,
  rowOf,
  setCommand,
  showCommand,
} from './resource.ts'

const seg = encodeURIComponent

const columns: readonly Column<TeamRow>[] = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['groups', (row) => row.groups.join(',')],
  ['models', (row) => row.models?.join(',') ?? 'all'],
  ['members', (row) => row.members],
  ['balance', (row) => row.balance],
  ['held', (row) => row.held],
  ['state', (row) => (row.enabled ? 'on' : 'off')],
]
const windows = ['daily', 'weekly', 'monthly', 'total'] as const
const memberColumns: readonly Column<MemberRow>[] = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['role', (row) => row.role],
  ['cap', (row) => windows.flatMap((one) => (row.budget?.[one] === undefined ? [] : `${one}:${row.budget[one]}`)).join(',') || '-'],
  ['spent this month', (row) => row.spent],
]

const teamFlags: Readonly<Record<string, Flag>> = {
  group: { value: 'GROUP', help: 'The usual group' },
  groups: { value: 'A,B', help: 'All groups' },
  models: { value: 'A,B', help: 'Models and patterns that it may use; all: every model of its groups' },
  claim: { value: 'VALUE', help: 'Value of the identity provider’s claim that makes users members; none: nobody' },
  ...boundFlags,
}
const teamFields = (flags: Input['flags'], before?: TeamRow) => ({
  ...pick(flags, ['group']),
  ...(flags.groups !== undefined && { groups: listOf(flags.groups) }),
  ...(flags.models !== undefined && { models: flags.models === 'all' ? null : listOf(flags.models) }),
  ...(flags.claim !== undefined && { claim: flags.claim === 'none' ? null : flags.claim }),
  ...boundsOf(flags, before),
})

const role: Flag = { value: 'ROLE', help: teamRoles.join(', '), of: teamRoles }
const capFlags: Readonly<Record<string, Flag>> = {
  daily: { value: 'USD', help: 'Cap per day' },
  weekly: { value: 'USD', help: 'Cap per week' },
  monthly: { value: 'USD', help: 'Cap per month' },
  total: { value: 'USD', help: 'Cap in total' },
  timezone: { value: 'ZONE', help: 'IANA zone in which days and months begin' },
}

const teams: Resource<TeamRow> = { noun: 'team', path: '/api/teams', columns }

/** The members of the named team, and their address. */
async function membersOf(input: Input): Promise<{ team: TeamRow; path: string; rows: MemberRow[] }> {
  const team = await rowOf(teams, input)
  const path = `/api/teams/${seg(team.id)}/members`
  return { team, path, rows: await input.api.list<MemberRow>(path) }
}

/** The cap with the windows that the flags name; `none` removes one. */
const capOf = (before: Budget | null, flags: Input['flags']) => changed(before, pick(flags, Object.keys(capFlags)))

const memberCommands: readonly Command[] = [
  {
    words: 'teams members',
    args: ['TEAM'],
    help: 'Members of a team, with their caps and what they spent',
    async run(input) {
      const { rows } = await membersOf(input)
      return { value: rows, text: table(rows, memberColumns, 'No members.') }
    },
  },
  {
    words: 'teams add-member',
    args: ['TEAM', 'USER'],
    flags: { role, ...capFlags },
    help: 'Adds a user as a member, or in another role',
    async run(input) {
      const { api, args, flags } = input
      const budget = capOf(null, flags)
      const row = await api.call<MemberRow>('POST', `${await addressOf(teams, input)}/members`, {
        user: args[1],
        ...pick(flags, ['role']),
        ...(Object.keys(budget).length > 0 && { budget }),
      })
      return { value: row, text: table([row], memberColumns, '') }
    },
  },
  {
    words: 'teams caps',
    args: ['TEAM', 'USER'],
    flags: { role, ...capFlags },
    help: 'Changes the cap or the role of a member; windows that are not named stay, none removes one',
    async run(input) {
      const { args, flags, api } = input
      if (Object.keys(pick(flags, ['role', ...Object.keys(capFlags)])).length === 0)
        throw new CommandError('Give something to change: --daily, --weekly, --monthly, --total, --timezone or --role.', 2)
      const { path, rows } = await membersOf(input)
      const { id, budget } = named(rows, args[1] ?? '')
      const fields = { ...pick(flags, ['role']), budget: capOf(budget, flags) }
      const row = await api.call<MemberRow>('PATCH', `${path}/${seg(id)}`, fields)
      return { value: row, text: table([row], memberColumns, '') }
    },
  },
  {
    words: 'teams remove-member',
    args: ['TEAM', 'USER'],
    help: 'Removes a member; keys that they created stay the team’s',
    async run(input) {
      const { team, path, rows } = await membersOf(input)
      const { id, name } = named(rows, input.args[1] ?? '')
      await input.api.call('DELETE', `${path}/${seg(id)}`)
      return { value: { removed: id }, text: `Removed ${name} from the team ${team.name}.` }
    },
  },
]

/** `teams`. */
export const teamCommands: readonly Command[] = [
  listCommand(teams, 'Teams with their balances; for administrators all of them'),
  showCommand(teams),
  createCommand(teams, { balance: { value: 'USD', help: 'Opening grant' }, ...teamFlags }, ({ flags }) => ({
    ...pick(flags, ['balance']),
    ...teamFields(flags),
  })),
  setCommand(teams, teamFlags, ({ flags }, before) => teamFields(flags, before), changes('team')),
  ...memberCommands,
  creditCommand(teams, 'Adds credit to the wallet of a team; a negative amount is withdrawn'),
  deleteCommand(teams, 'Deletes a team; its keys stop, its wallet and its ledger stay'),
]
