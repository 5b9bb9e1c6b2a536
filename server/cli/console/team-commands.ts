/** Commands for teams, their members and caps. Keys of a team: `keys create --team`. */
import type { Budget } from '#shared/console/limits'
import type { MemberRow, TeamRow } from '#shared/console/team'
import { teamRoles } from '#shared/ids'
import { CommandError } from './api.ts'
import {
  boundFlags,
  boundsOf,
  type Column,
  type Command,
  enabledOf,
  type Flag,
  facts,
  type Input,
  listOf,
  named,
  pick,
  switchFlags,
  table,
} from './command.ts'

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
const teamFields = (flags: Input['flags']) => ({
  ...pick(flags, ['group']),
  ...(flags.groups !== undefined && { groups: listOf(flags.groups) }),
  ...(flags.models !== undefined && { models: flags.models === 'all' ? null : listOf(flags.models) }),
  ...(flags.claim !== undefined && { claim: flags.claim === 'none' ? null : flags.claim }),
  ...boundsOf(flags),
})

const role: Flag = { value: 'ROLE', help: teamRoles.join(', '), of: teamRoles }
const capFlags: Readonly<Record<string, Flag>> = {
  daily: { value: 'USD', help: 'Cap per day' },
  weekly: { value: 'USD', help: 'Cap per week' },
  monthly: { value: 'USD', help: 'Cap per month' },
  total: { value: 'USD', help: 'Cap in total' },
  timezone: { value: 'ZONE', help: 'IANA zone in which days and months begin' },
}

const teamNamed = async ({ api, args: [word = ''] }: Input) => named(await api.list<TeamRow>('/api/teams'), word)

/** The members of the named team, and their address. */
async function membersOf(input: Input): Promise<{ team: TeamRow; path: string; rows: MemberRow[] }> {
  const team = await teamNamed(input)
  const path = `/api/teams/${seg(team.id)}/members`
  return { team, path, rows: await input.api.list<MemberRow>(path) }
}

/** The cap with the windows that the flags name; `none` removes one. */
function capOf(before: Budget | null, flags: Input['flags']): Record<string, string> {
  const cap = { ...before, ...pick(flags, Object.keys(capFlags)) }
  return Object.fromEntries(Object.entries(cap).filter(([, amount]) => amount !== 'none'))
}

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
      const row = await api.call<MemberRow>('POST', `/api/teams/${seg((await teamNamed(input)).id)}/members`, {
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
  {
    words: 'teams list',
    help: 'Teams with their balances; for administrators all of them',
    async run({ api }) {
      const rows = await api.list<TeamRow>('/api/teams')
      return { value: rows, text: table(rows, columns, 'No teams.') }
    },
  },
  {
    words: 'teams show',
    args: ['TEAM'],
    help: 'One team, by id or name',
    async run(input) {
      const row = await teamNamed(input)
      return { value: row, text: facts(row) }
    },
  },
  {
    words: 'teams create',
    args: ['NAME'],
    flags: { balance: { value: 'USD', help: 'Opening grant' }, ...teamFlags },
    help: 'Creates a team',
    async run({ api, args: [name], flags }) {
      const row = await api.call<TeamRow>('POST', '/api/teams', { name, ...pick(flags, ['balance']), ...teamFields(flags) })
      return { value: row, text: table([row], columns, '') }
    },
  },
  {
    words: 'teams set',
    args: ['TEAM'],
    flags: { name: { value: 'NAME', help: 'A new name' }, ...teamFlags, ...switchFlags },
    help: 'Changes a team',
    async run(input) {
      const fields = { ...pick(input.flags, ['name']), ...teamFields(input.flags), ...enabledOf(input.flags) }
      const row = await input.api.call<TeamRow>('PATCH', `/api/teams/${seg((await teamNamed(input)).id)}`, fields)
      return { value: row, text: table([row], columns, '') }
    },
  },
  ...memberCommands,
  {
    words: 'teams credit',
    args: ['TEAM', 'USD'],
    flags: {
      reason: { value: 'TEXT', help: 'Recorded in the ledger; required' },
      once: { value: 'ID', help: 'Repeating it with the same id posts nothing' },
    },
    help: 'Adds credit to the wallet of a team; a negative amount is withdrawn',
    async run(input) {
      const { reason, once } = input.flags
      if (reason === undefined) throw new CommandError('Give a reason with --reason.', 2)
      const { id } = await teamNamed(input)
      const headers = { 'idempotency-key': once ?? crypto.randomUUID() }
      const row = await input.api.call<TeamRow>('POST', `/api/teams/${seg(id)}/credit`, { amount: input.args[1], reason }, headers)
      return { value: row, text: table([row], columns, '') }
    },
  },
  {
    words: 'teams delete',
    args: ['TEAM'],
    help: 'Deletes a team; its keys stop, its wallet and its ledger stay',
    async run(input) {
      const { id, name } = await teamNamed(input)
      await input.api.call('DELETE', `/api/teams/${seg(id)}`)
      return { value: { deleted: id }, text: `Deleted the team ${name}.` }
    },
  },
]
