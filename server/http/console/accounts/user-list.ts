/** Filter and order of the list of users. Bad parameters throw `invalid_value`. */
import type { User } from '#accounts/caller'
import { contains, numberKey, type Order, readName, readOneOf, readOrder, readSearch } from '#http/console/route/list-order'
import type { ConsoleServices } from '#http/console/route/services'
import type { UserTotals } from '#shared/console/user'
import { roles } from '#shared/ids'
import { formatUsd, parseUsd } from '#shared/money'

/** Query parameters of the list, besides paging. */
export const userFilters = ['q', 'role', 'group', 'status', 'sort'] as const

const orders = ['name', 'created', 'balance', 'held', 'spent', 'lastSeen'] as const
type KnownUser = Parameters<ConsoleServices['accounts']['users']['rows']>[0][number]

/** Days of recent spend. */
const spentDays = 30
const dayMs = 86_400_000
/** Below this balance, in nano-dollars, a user counts as low. */
const lowNano = 5_000_000_000n

/** Filter and order of a list of users. */
export interface UserQuestion {
  /** Part of the name; or the whole id. */
  q?: string | undefined
  role?: (typeof roles)[number] | undefined
  /** Who may use it. */
  group?: string | undefined
  status?: 'on' | 'off' | undefined
  order: Order<(typeof orders)[number]>
}

/** Parses the query. */
export const readUserQuestion = (query: URLSearchParams): UserQuestion => ({
  q: readSearch(query),
  role: readOneOf(query, 'role', roles),
  group: readName(query, 'group'),
  status: readOneOf(query, 'status', ['on', 'off']),
  order: readOrder(query, orders, 'name'),
})

/** Whether the list shows this user. */
export function isWanted({ q, role, group, status }: UserQuestion, user: KnownUser): boolean {
  if (role !== undefined && user.role !== role) return false
  if (group !== undefined && !user.groups.includes(group)) return false
  if (status !== undefined && user.enabled !== (status === 'on')) return false
  return contains(q, user.name) || user.id.toLowerCase() === q
}

/** The sort key of the list, unique for each user; its data is read once for all users. */
export async function keysOf(
  { accounts, clock }: ConsoleServices,
  asker: User,
  { field }: UserQuestion['order'],
): Promise<(user: KnownUser) => string> {
  if (field === 'name') return ({ name }) => name
  if (field === 'created') return ({ createdAt, id }) => `${createdAt.toISOString()} ${id}`
  const numbers = await numbersBy(field)
  return ({ id }) => `${numberKey(numbers.get(id) ?? 0n)} ${id}`

  async function numbersBy(field: 'balance' | 'held' | 'spent' | 'lastSeen'): Promise<ReadonlyMap<string, bigint | number>> {
    if (field === 'lastSeen') return accounts.users.lastSeen()
    if (field === 'spent') return spentLately()
    const wallets = await accounts.users.wallets()
    return new Map([...wallets].map(([id, wallet]) => [id, wallet[field]]))
  }

  async function spentLately(): Promise<ReadonlyMap<string, bigint>> {
    const to = new Date(clock.now() + 1)
    const from = new Date(Math.floor((to.getTime() - spentDays * dayMs) / 3_600_000) * 3_600_000)
    const question = { from, to, by: ['user', 'team'] as const, timezone: 'UTC', filter: {}, limit: 1_000_000 }
    const { rows } = await accounts.usageReports.report(asker, question)
    return new Map(rows.flatMap(({ user, team, charged }) => (user && !team ? [[user.id, parseUsd(charged)]] : [])))
  }
}

/** Totals over all users. */
export async function totalsOf({ accounts }: ConsoleServices): Promise<UserTotals> {
  const users = [...accounts.users.all()]
  const enabled = users.filter((user) => user.enabled)
  const wallets = await accounts.users.wallets()
  const sum = (of: 'balance' | 'held') => formatUsd(users.reduce((all, { id }) => all + (wallets.get(id)?.[of] ?? 0n), 0n))
  const low = enabled.filter(({ id }) => (wallets.get(id)?.balance ?? 0n) < lowNano).length
  return { users: users.length, enabled: enabled.length, balance: sum('balance'), held: sum('held'), low, lowBelow: formatUsd(lowNano) }
}
