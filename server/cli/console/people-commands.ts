/** Commands about sign-in: invitations, and lost second factors. */
import type { AccountRow, InvitationRow } from '#shared/console/user'
import { type Column, type Command, named, pick, wholeNumber } from './command.ts'
import { type List, listCommand } from './resource.ts'

const columns: readonly Column<InvitationRow>[] = [
  ['id', (row) => row.id],
  ['to', (row) => row.team?.name ?? 'this server'],
  ['role', (row) => row.teamRole ?? row.role],
  ['by', (row) => row.by.name],
  ['used', (row) => `${row.uses} of ${row.most}`],
  ['until', (row) => row.expiresAt],
  ['state', (row) => (row.valid ? 'open' : 'over')],
]
const invitations: List<InvitationRow> = { noun: 'invitation', path: '/api/invitations', columns }
const seg = encodeURIComponent

/** `invitations`, and `users reset-second-factor`. */
export const peopleCommands: readonly Command[] = [
  listCommand(invitations, 'Invitation links', { team: { value: 'ID', help: 'Only those to this team' } }),
  {
    words: 'invitations create',
    flags: {
      group: { value: 'GROUP', help: 'Group of the new user' },
      team: { value: 'TEAM', help: 'Team that they join' },
      'team-role': { value: 'ROLE', help: 'Role in the team; member when absent', of: ['owner', 'manager', 'member', 'accountant'] },
      uses: { value: 'N', help: 'How many people may use it; 1 when absent' },
      days: { value: 'N', help: 'Days until it ends; 7 when absent' },
      note: { value: 'TEXT', help: 'For the list' },
    },
    help: 'Creates a link and prints it, once',
    async run({ api, flags }) {
      const { uses, days, 'team-role': teamRole } = flags
      const made = await api.call<InvitationRow & { link: string }>('POST', '/api/invitations', {
        ...pick(flags, ['group', 'team', 'note']),
        ...(teamRole !== undefined && { teamRole }),
        ...(uses !== undefined && { uses: wholeNumber(uses, 'uses') }),
        ...(days !== undefined && { days: wholeNumber(days, 'days') }),
      })
      return { value: made, text: made.link }
    },
  },
  {
    words: 'invitations revoke',
    args: ['ID'],
    help: 'Revokes an invitation; users who have accepted it stay',
    async run({ api, args: [id = ''] }) {
      await api.call('DELETE', `/api/invitations/${seg(id)}`)
      return { value: { revoked: id }, text: `Revoked the invitation ${id}.` }
    },
  },
  {
    words: 'users reset-second-factor',
    args: ['USER'],
    help: 'For a user who has lost it; not for administrators',
    async run({ api, args: [word = ''] }) {
      const { id, name } = named(await api.list<AccountRow>('/api/users'), word)
      await api.call('DELETE', `/api/users/${seg(id)}/factors`)
      return { value: { reset: id }, text: `${name} can now sign in without a second factor.` }
    },
  },
]
