/** Adds what is left of their budgets to rows. */
import type { BudgetsLeft } from '#billing/ledger/budgets-left'
import type { Budget, BudgetLeft } from '#shared/console/limits'

interface Row {
  budget?: Budget | null
  budgetLeft?: BudgetLeft
}

/** The rows in the same order, with what is left of their budgets, if any. `id`: of the key or user, or the name of the group. */
export async function withBudgetsLeft<R extends Row>(
  budgetsLeft: BudgetsLeft,
  of: 'key' | 'user' | 'group' | 'member',
  id: (row: R) => string,
  rows: readonly R[],
): Promise<R[]> {
  const left = await budgetsLeft(rows.map((row) => ({ of, id: id(row), budget: row.budget ?? null })))
  return rows.map((row, n) => {
    const budgetLeft = left[n]
    return budgetLeft ? { ...row, budgetLeft } : row
  })
}
