/** What bounds a caller: the limits that a request counts against, and the accounts that it is paid from. */
import type { Caller } from '#accounts/caller'
import type { Account } from '#billing/lease/account'
import { budgetAccounts } from '#billing/ledger/budgets'
import type { Bounded } from '#billing/ratelimit/limits'

/** Everything whose limits a request is under. */
export function limitsOf({ key, user, group }: Caller): Bounded[] {
  return [
    ...(key ? [{ id: `key:${key.id}`, limits: key.limits }] : []),
    { id: `user:${user.id}`, limits: user.limits },
    { id: `group:${group.name}`, limits: group.limits },
  ]
}

/** The wallet first, then every budget that counts at `now` (milliseconds since 1970). */
export function accountsOf({ key, user, group }: Caller, now: number): Account[] {
  const wallet = { id: user.id }
  if (!key?.budget && !user.budget && !group.budget) return [wallet]
  const budgets = budgetAccounts(
    [
      ...(key ? [{ of: 'key' as const, id: key.id, budget: key.budget }] : []),
      { of: 'user', id: user.id, budget: user.budget },
      { of: 'group', id: group.name, budget: group.budget },
    ],
    now,
  )
  return [wallet, ...budgets]
}
