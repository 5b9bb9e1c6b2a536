/** Commands for keys and users. */
import type { KeyRow } from '#shared/console/key'
import type { AccountRow } from '#shared/console/user'
import { CommandError } from './api.ts'
import { boundFlags, boundsOf, type Column, type Command, type Flag, type Input, listOf, pick, queryOf, table } from './command.ts'
import {
  addressOf,
  changes,
  createCommand,
  creditCommand,
  deleteCommand,
  listCommand,
  type Resource,
  setCommand,
  showCommand,
} from './resource.ts'

const keyColumns: readonly Column<KeyRow>[] = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['user', (row) => row.user.name],
  ['team', (row) => row.team?.name],
  ['key', (row) => row.hint],
  ['group', (row) => row.group],
  ['state', (row) => (row.enabled ? 'on' : 'off')],
  ['last used', (row) => row.lastUsedAt],
]
const userColumns: readonly Column<AccountRow>[] = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['role', (row) => row.role],
  ['groups', (row) => row.groups.join(',')],
  ['balance', (row) => row.balance],
  ['held', (row) => row.held],
  ['state', (row) => (row.enabled ? 'on' : 'off')],
]

const keyFlags: Readonly<Record<string, Flag>> = {
  group: { value: 'GROUP', help: 'Group in which it acts' },
  models: { value: 'A,B', help: 'Models that it may use; all: every model of its group' },
  expires: { value: 'TIME', help: 'RFC 3339; never: it does not expire' },
  addresses: { value: 'A,B', help: 'Addresses and ranges that may use it; all: every one' },
  note: { value: 'TEXT', help: 'For people' },
  ...boundFlags,
}
const keyFields = (flags: Input['flags'], before?: KeyRow) => ({
  ...pick(flags, ['group', 'note']),
  ...(flags.expires !== undefined && { expiresAt: flags.expires === 'never' ? null : flags.expires }),
  ...(flags.models !== undefined && { models: flags.models === 'all' ? null : listOf(flags.models) }),
  ...(flags.addresses !== undefined && { addresses: flags.addresses === 'all' ? null : listOf(flags.addresses) }),
  ...boundsOf(flags, before),
})
const userFlags: Readonly<Record<string, Flag>> = {
  role: { value: 'ROLE', help: 'user or admin', of: ['user', 'admin'] },
  group: { value: 'GROUP', help: 'The usual group' },
  groups: { value: 'A,B', help: 'All groups' },
  'password-file': { value: 'FILE', help: 'File with the password, - for standard input' },
  ...boundFlags,
}

async function userFields({ flags, readText }: Input, before?: AccountRow): Promise<Record<string, unknown>> {
  const file = flags['password-file']
  return {
    ...pick(flags, ['role', 'group']),
    ...(flags.groups !== undefined && { groups: listOf(flags.groups) }),
    ...(file !== undefined && { password: (await readText(file)).replace(/\r?\n$/, '') }),
    ...boundsOf(flags, before),
  }
}

const keys: Resource<KeyRow> = {
  noun: 'key',
  path: '/api/keys',
  columns: keyColumns,
  search: async (api, word) => api.list<KeyRow>(`/api/keys${queryOf({ q: word, ...(await everybody(api)) })}`),
}
const users: Resource<AccountRow> = { noun: 'user', path: '/api/users', columns: userColumns }

/** For administrators, the keys of all users. */
async function everybody(api: Input['api']): Promise<{ all?: string }> {
  const { user } = await api.call<{ user: { role: string } }>('GET', '/api/session')
  return user.role === 'admin' ? { all: 'true' } : {}
}

/** `keys` and `users`. */
export const accountCommands: readonly Command[] = [
  {
    words: 'keys list',
    flags: {
      user: { value: 'USER', help: 'Only keys of this user' },
      q: { value: 'TEXT', help: 'Part of a name, or the end of a key' },
      status: { value: 'STATE', help: 'active, off or expired', of: ['active', 'off', 'expired'] },
    },
    help: 'API keys; for administrators those of all users',
    async run({ api, flags }) {
      const rows = await api.list<KeyRow>(
        `/api/keys${queryOf({ ...pick(flags, ['user', 'q', 'status']), ...(flags.user === undefined && (await everybody(api))) })}`,
      )
      return { value: rows, text: table(rows, keyColumns, 'No keys.') }
    },
  },
  showCommand(keys),
  {
    words: 'keys create',
    args: ['NAME'],
    flags: {
      user: { value: 'USER', help: 'Its owner, for administrators' },
      team: { value: 'TEAM', help: 'The team that pays, by id or name' },
      ...keyFlags,
    },
    help: 'Creates a key and prints it, once',
    async run({ api, args: [name], flags }) {
      const made = await api.call<KeyRow & { key: string }>('POST', '/api/keys', {
        name,
        ...pick(flags, ['user', 'team']),
        ...keyFields(flags),
      })
      return { value: made, text: made.key }
    },
  },
  setCommand(keys, keyFlags, ({ flags }, before) => keyFields(flags, before), changes('key')),
  {
    words: 'keys rotate',
    args: ['KEY'],
    flags: { overlap: { value: 'HOURS', help: 'How long the old secret stays valid; 24 when absent' } },
    help: 'Gives a key a new secret and prints it, once',
    async run(input) {
      const overlap = input.flags.overlap ?? '24'
      if (!/^\d{1,6}(\.\d{1,6})?$/.test(overlap)) throw new CommandError('--overlap takes a number of hours.', 2)
      const made = await input.api.call<KeyRow & { key: string }>('POST', `${await addressOf(keys, input)}/rotate`, {
        overlapHours: Number(overlap),
      })
      return { value: made, text: made.key }
    },
  },
  deleteCommand(keys, 'Deletes a key; calls with it fail at once'),
  listCommand(users, 'Users with their balances'),
  showCommand(users),
  createCommand(users, { balance: { value: 'USD', help: 'Opening grant' }, ...userFlags }, async (input) => ({
    ...pick(input.flags, ['balance']),
    ...(await userFields(input)),
  })),
  setCommand(users, userFlags, userFields, changes('user')),
  creditCommand(users, 'Adds credit; a negative amount is withdrawn'),
  deleteCommand(users, 'Deletes a user with all keys and sessions'),
]
