/** Commands for keys and users. */
import type { KeyRow } from '#shared/console/key'
import type { AccountRow } from '#shared/console/user'
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
  queryOf,
  switchFlags,
  table,
} from './command.ts'

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
const seg = encodeURIComponent

const keyFlags: Readonly<Record<string, Flag>> = {
  group: { value: 'GROUP', help: 'Group in which it acts' },
  models: { value: 'A,B', help: 'Models that it may use' },
  expires: { value: 'TIME', help: 'RFC 3339' },
  addresses: { value: 'A,B', help: 'Addresses and ranges that may use it' },
  note: { value: 'TEXT', help: 'For people' },
  ...boundFlags,
}
const keyFields = (flags: Input['flags']) => ({
  ...pick(flags, ['group', 'note']),
  ...(flags.expires !== undefined && { expiresAt: flags.expires }),
  ...(flags.models !== undefined && { models: listOf(flags.models) }),
  ...(flags.addresses !== undefined && { addresses: listOf(flags.addresses) }),
  ...boundsOf(flags),
})
const userFlags: Readonly<Record<string, Flag>> = {
  role: { value: 'ROLE', help: 'user or admin', of: ['user', 'admin'] },
  group: { value: 'GROUP', help: 'The usual group' },
  groups: { value: 'A,B', help: 'All groups' },
  'password-file': { value: 'FILE', help: 'File with the password, - for standard input' },
  ...boundFlags,
}

async function userFields({ flags, readText }: Input): Promise<Record<string, unknown>> {
  const file = flags['password-file']
  return {
    ...pick(flags, ['role', 'group']),
    ...(flags.groups !== undefined && { groups: listOf(flags.groups) }),
    ...(file !== undefined && { password: (await readText(file)).replace(/\r?\n$/, '') }),
    ...boundsOf(flags),
  }
}

const keyNamed = async ({ api, args: [word = ''] }: Input) =>
  named(await api.list<KeyRow>(`/api/keys${queryOf({ q: word, ...(await everybody(api)) })}`), word)
const userNamed = async ({ api, args: [word = ''] }: Input) => named(await api.list<AccountRow>('/api/users'), word)

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
  {
    words: 'keys show',
    args: ['KEY'],
    help: 'One key, by id or name',
    async run(input) {
      const row = await keyNamed(input)
      return { value: row, text: facts(row) }
    },
  },
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
  {
    words: 'keys set',
    args: ['KEY'],
    flags: { name: { value: 'NAME', help: 'A new name' }, ...keyFlags, ...switchFlags },
    help: 'Changes a key',
    async run(input) {
      const fields = { ...pick(input.flags, ['name']), ...keyFields(input.flags), ...enabledOf(input.flags) }
      const row = await input.api.call<KeyRow>('PATCH', `/api/keys/${seg((await keyNamed(input)).id)}`, fields)
      return { value: row, text: table([row], keyColumns, '') }
    },
  },
  {
    words: 'keys rotate',
    args: ['KEY'],
    flags: { overlap: { value: 'HOURS', help: 'How long the old secret stays valid; 24 when absent' } },
    help: 'Gives a key a new secret and prints it, once',
    async run(input) {
      const overlap = input.flags.overlap ?? '24'
      if (!/^\d{1,6}(\.\d{1,6})?$/.test(overlap)) throw new CommandError('--overlap takes a number of hours.', 2)
      const made = await input.api.call<KeyRow & { key: string }>('POST', `/api/keys/${seg((await keyNamed(input)).id)}/rotate`, {
        overlapHours: Number(overlap),
      })
      return { value: made, text: made.key }
    },
  },
  {
    words: 'keys delete',
    args: ['KEY'],
    help: 'Deletes a key; calls with it fail at once',
    async run(input) {
      const { id, name } = await keyNamed(input)
      await input.api.call('DELETE', `/api/keys/${seg(id)}`)
      return { value: { deleted: id }, text: `Deleted the key ${name}.` }
    },
  },
  {
    words: 'users list',
    help: 'Users with their balances',
    async run({ api }) {
      const rows = await api.list<AccountRow>('/api/users')
      return { value: rows, text: table(rows, userColumns, 'No users.') }
    },
  },
  {
    words: 'users show',
    args: ['USER'],
    help: 'One user, by id or name',
    async run(input) {
      const row = await userNamed(input)
      return { value: row, text: facts(row) }
    },
  },
  {
    words: 'users create',
    args: ['NAME'],
    flags: { balance: { value: 'USD', help: 'Opening grant' }, ...userFlags },
    help: 'Creates a user',
    async run(input) {
      const fields = { name: input.args[0], ...pick(input.flags, ['balance']), ...(await userFields(input)) }
      const row = await input.api.call<AccountRow>('POST', '/api/users', fields)
      return { value: row, text: table([row], userColumns, '') }
    },
  },
  {
    words: 'users set',
    args: ['USER'],
    flags: { name: { value: 'NAME', help: 'A new name' }, ...userFlags, ...switchFlags },
    help: 'Changes a user',
    async run(input) {
      const fields = { ...pick(input.flags, ['name']), ...(await userFields(input)), ...enabledOf(input.flags) }
      const row = await input.api.call<AccountRow>('PATCH', `/api/users/${seg((await userNamed(input)).id)}`, fields)
      return { value: row, text: table([row], userColumns, '') }
    },
  },
  {
    words: 'users credit',
    args: ['USER', 'USD'],
    flags: {
      reason: { value: 'TEXT', help: 'Recorded in the ledger; required' },
      once: { value: 'ID', help: 'Repeating it with the same id posts nothing' },
    },
    help: 'Adds credit; a negative amount is withdrawn',
    async run(input) {
      const { reason, once } = input.flags
      if (reason === undefined) throw new CommandError('Give a reason with --reason.', 2)
      const { id } = await userNamed(input)
      const headers = { 'idempotency-key': once ?? crypto.randomUUID() }
      const row = await input.api.call<AccountRow>('POST', `/api/users/${seg(id)}/credit`, { amount: input.args[1], reason }, headers)
      return { value: row, text: table([row], userColumns, '') }
    },
  },
  {
    words: 'users delete',
    args: ['USER'],
    help: 'Deletes a user with all keys and sessions',
    async run(input) {
      const { id, name } = await userNamed(input)
      await input.api.call('DELETE', `/api/users/${seg(id)}`)
      return { value: { deleted: id }, text: `Deleted the user ${name}.` }
    },
  },
]
