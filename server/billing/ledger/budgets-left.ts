/** What is left of the budgets of keys, users and groups in their present windows, for display. */
import type { Clock } from '#runtime/clock'
import type { BudgetLeft } from '#shared/console/limits'
import { formatUsd } from '#shared/money'
import type { Store } from '#store/engine/store'
import { readBudgetsLeft } from '#store/ledger/budgets-left'
import { type Budgeted, budgetAccounts } from './budgets.ts'

/** US dollars left, in the order of `all`; undefined for one without a budget. One query, however many there are. */
export type BudgetsLeft = (all: readonly Budgeted[]) => Promise<(BudgetLeft | undefined)[]>

const names = { total: 'total', day: 'daily', week: 'weekly', month: 'monthly' } as const

/** Reads from the database; rejects when it does not answer. */
export function createBudgetsLeft({ store, clock }: { store: Store; clock: Clock }): BudgetsLeft {
  return async (all) => {
    const now = clock.now()
    const windows = all.map((one) => budgetAccounts([one], now).flatMap(({ id, budget }) => (budget ? [{ ...budget, account: id }] : [])))
    const left = await readBudgetsLeft(store, windows.flat())
    return windows.map((parts) => {
      if (parts.length === 0) return undefined
      return Object.fromEntries(parts.map(({ account, span, limit }) => [names[span], formatUsd(left.get(account) ?? limit)]))
    })
  }
}
