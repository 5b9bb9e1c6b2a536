/** Which keys a list shows, and in which order. All parameters throw `invalid_value`. */
import type { User } from '#accounts/caller'
import { readOne } from '#http/console/route/one-value'
import type { KeyRow } from '#shared/console/key'
import { GatewayError } from '#shared/errors'

/** Query parameters of the list, besides paging. */
export const keyFilters = ['all', 'user', 'team', 'q', 'status', 'group', 'sort'] as const

const states = ['active', 'off', 'expired'] as const
const orders = ['created', '-created', 'name', '-name', 'lastUsed', '-lastUsed'] as const
type Order = (typeof orders)[number]

/** What a list of keys is asked for. */
export interface KeyQuestion {
  /** Everybody's; or those of a user by id or name; own ones when neither is given. */
  all: boolean
  user?: string
  /** Those of a team, by its id. */
  team?: string
  /** Part of the name, note, owner or id; or the last characters of the secret. */
  q?: string
  status?: (typeof states)[number]
  group?: string
  sort: Order
}

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** The question of this query. Throws `not_permitted` where somebody asks for the keys of others without being an administrator. */
export function readKeyQuestion(query: URLSearchParams, asker: User): KeyQuestion {
  const [all, user, team, q, status, group] = ['all', 'user', 'team', 'q', 'status', 'group'].map((name) => readOne(query, name))
  if (all !== undefined && all !== 'true' && all !== 'false') throw invalid('all', "'true' or 'false'")
  const others = all === 'true' || (team === undefined && user !== undefined && user !== asker.id && user !== asker.name)
  if (others && asker.role !== 'admin') {
    throw new GatewayError('not_permitted', 'Only administrators may list the keys of others.', { param: all === 'true' ? 'all' : 'user' })
  }
  return {
    all: all === 'true',
    ...(user !== undefined && { user }),
    ...(team !== undefined && { team }),
    ...(q !== undefined && q !== '' && { q: q.toLowerCase() }),
    ...(status !== undefined && { status: oneOf(states, status, 'status') }),
    ...(group !== undefined && { group }),
    sort: oneOf(orders, readOne(query, 'sort') ?? 'created', 'sort'),
  }
}

function oneOf<Value extends string>(values: readonly Value[], given: string, param: string): Value {
  const found = values.find((value) => value === given)
  if (found === undefined) throw invalid(param, `one of ${values.join(', ')}`)
  return found
}

/** Whether the row is wanted. `now` in milliseconds since the epoch. */
export function matches(row: KeyRow, { user, q, status, group }: KeyQuestion, now: number): boolean {
  if (user !== undefined && row.user.id !== user && row.user.name !== user) return false
  if (group !== undefined && row.group !== group) return false
  if (status !== undefined && stateOf(row, now) !== status) return false
  if (q === undefined) return true
  const words = [row.name, row.user.name, row.id, row.note ?? ''].map((text) => text.toLowerCase())
  // A whole secret may be pasted: only its end is known here.
  return words.some((text) => text.includes(q)) || row.hint.slice(-4).toLowerCase() === q.slice(-4)
}

const stateOf = (row: KeyRow, now: number) =>
  row.expiresAt !== null && Date.parse(row.expiresAt) <= now ? 'expired' : row.enabled ? 'active' : 'off'

/** The text by which the list is ordered, unique for each row, and whether it is read backwards. */
export function orderOf(sort: Order): { by(row: KeyRow): string; down: boolean } {
  const field = sort.replace('-', '')
  const by = (row: KeyRow) => (field === 'name' ? row.name.toLowerCase() : field === 'lastUsed' ? (row.lastUsedAt ?? '') : row.createdAt)
  return { by: (row) => `${by(row)} ${row.id}`, down: sort.startsWith('-') }
}
