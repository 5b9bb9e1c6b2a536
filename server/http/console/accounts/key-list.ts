/** Filter and order of the list of keys. All parameters throw `invalid_value`. */
import type { ApiKey, User } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import { contains, type Order, readOneOf, readOrder, readSearch } from '#http/console/route/list-order'
import { readOne } from '#http/console/route/one-value'
import type { KeyRow } from '#shared/console/key'
import { GatewayError } from '#shared/errors'

/** Query parameters of the list, besides paging. */
export const keyFilters = ['all', 'user', 'team', 'q', 'status', 'group', 'sort'] as const

const states = ['active', 'off', 'expired'] as const
const orders = ['created', 'name', 'lastUsed'] as const

/** Filter and order of a list of keys. */
export interface KeyQuestion {
  /** All users' keys; or those of a user by id or name; the caller's own when neither is given. */
  all: boolean
  user?: string | undefined
  /** Those of a team, by its id. */
  team?: string | undefined
  /** Part of the name, note, owner or id; or the last characters of the secret. */
  q?: string | undefined
  status?: (typeof states)[number] | undefined
  /** The group they act in, their own or their owner's. */
  group?: string | undefined
  order: Order<(typeof orders)[number]>
}

/** Parses the query. Throws `not_permitted` for others' keys unless the caller is an administrator. */
export function readKeyQuestion(query: URLSearchParams, asker: User): KeyQuestion {
  const [user, team, group] = ['user', 'team', 'group'].map((name) => readOne(query, name))
  const all = readOneOf(query, 'all', ['true', 'false']) === 'true'
  const others = all || (team === undefined && user !== undefined && user !== asker.id && user !== asker.name)
  if (others && asker.role !== 'admin') {
    throw new GatewayError('not_permitted', 'Only administrators may list the keys of others.', { param: all ? 'all' : 'user' })
  }
  const [q, status, order] = [readSearch(query), readOneOf(query, 'status', states), readOrder(query, orders, 'created')]
  return { all, user, team, q, status, group, order }
}

/** Whether the row matches. `groupOf`: the group it acts in. `now` in milliseconds since the epoch. */
export function matches(
  row: KeyRow,
  { user, q, status, group }: KeyQuestion,
  groupOf: (row: KeyRow) => string | null,
  now: number,
): boolean {
  if (user !== undefined && row.user.id !== user && row.user.name !== user) return false
  if (group !== undefined && groupOf(row) !== group) return false
  if (status !== undefined && stateOf(row, now) !== status) return false
  // A whole secret may be pasted: only its end is stored.
  return contains(q, row.name, row.user.name, row.id, row.note ?? '') || row.hint.slice(-4).toLowerCase() === q?.slice(-4)
}

const stateOf = (row: KeyRow, now: number) =>
  row.expiresAt !== null && Date.parse(row.expiresAt) <= now ? 'expired' : row.enabled ? 'active' : 'off'

/** The group a key acts in: its own, else that of its user or team. */
export const groupOfKey = ({ users, teams }: Directory, { group, userId, teamId }: Pick<ApiKey, 'group' | 'userId' | 'teamId'>) =>
  group ?? (teamId === null ? users.get(userId) : teams.get(teamId)?.team)?.group ?? null

/** The sort key of the list, unique for each row. */
export function orderOf({ field }: KeyQuestion['order']): (row: KeyRow) => string {
  const by = (row: KeyRow) => (field === 'name' ? row.name.toLowerCase() : field === 'lastUsed' ? (row.lastUsedAt ?? '') : row.createdAt)
  return (row) => `${by(row)} ${row.id}`
}
