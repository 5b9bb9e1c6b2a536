/** What is left of the budgets of keys, users and groups in their current windows, for display. */
import type { Clock } from '#runtime/clock'
import type { BudgetLeft } from '#shared/console/limits'
import type { HeldPlan, PlanState } from '#shared/console/selling'
import { formatUsd } from '#shared/money'
import { inForce } from '#shared/plan-windows'
import type { Store } from '#store/engine/store'
import { readBudgetsLeft } from '#store/ledger/budgets-left'
import { type Budgeted, budgetAccounts, isOfPlan } from './budgets.ts'

/** US dollars left, in the order of `all`; undefined for one without a budget. A single query. */
export type BudgetsLeft = (all: readonly Budgeted[]) => Promise<(BudgetLeft | undefined)[]>

const names: Readonly<Record<string, string>> = { total: 'total', day: 'daily', week: 'weekly', month: 'monthly' }

/** Reads from the database; rejects when it does not answer. */
export function createBudgetsLeft({ store, clock }: { store: Store; clock: Clock }): BudgetsLeft {
  return async (all) => {
    const now = clock.now()
    const windows = all.map((one) => budgetAccounts([one], now).flatMap(({ id, budget }) => (budget ? [{ ...budget, account: id }] : [])))
    const left = await readBudgetsLeft(store, windows.flat())
    return windows.map((parts) => {
      if (parts.length === 0) return undefined
      return Object.fromEntries(parts.map(({ account, span, limit }) => [names[span] ?? span, formatUsd(left.get(account) ?? limit)]))
    })
  }
}

/** One window of a budget: its length (`daily`, or of a plan `5h`), USD, and when the next one begins; null where it has no end. */
export interface WindowLeft {
  window: string
  limit: string
  left: string
  renewsAt: string | null
}

/** The current windows of one budget, the longest first, those of a plan last. One query. */
export type WindowsLeft = (one: Budgeted) => Promise<WindowLeft[]>

/** Reads from the database; rejects when it does not answer. */
export function createWindowsLeft({ store, clock }: { store: Store; clock: Clock }): WindowsLeft {
  return async (one) => {
    const windows = budgetAccounts([one], clock.now()).flatMap(({ id, budget }) => (budget ? [{ ...budget, account: id }] : []))
    const left = await readBudgetsLeft(store, windows)
    return windows.map(({ account, span, limit, until }) => ({
      window: isOfPlan(span) ? span.slice('plan-'.length) : (names[span] ?? span),
      limit: formatUsd(limit),
      left: formatUsd(left.get(account) ?? limit),
      renewsAt: until?.toISOString() ?? null,
    }))
  }
}

/** The plan of this user or team with what is left of it; null where none is in force. */
export async function planLeft(
  windowsLeft: WindowsLeft,
  payerId: string,
  plan: HeldPlan | null | undefined,
  now: number,
): Promise<PlanState['plan']> {
  if (!plan || !inForce(plan, now)) return null
  const { id, name, group, from, until } = plan
  const windows = (await windowsLeft({ of: 'user', id: payerId, budget: { plan } })).map(({ window, limit, left, renewsAt }) => ({
    ...{ every: window, amount: limit, left },
    renewsAt: renewsAt !== null && renewsAt < until ? renewsAt : null,
  }))
  return { id, name, group, from, until, windows }
}
