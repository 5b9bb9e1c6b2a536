/**
 * Budgets as accounts: one per key, user and group and per window in which its usage counts. Days, weeks (from Monday) and months
 * begin at midnight in the budget's own time zone, so a day has 23 to 25 hours. Pure.
 */

import type { Account, BudgetWindow } from '#billing/lease/account'
import type { Budget } from '#shared/console/limits'
import type { HeldPlan } from '#shared/console/selling'
import { parseUsd } from '#shared/money'
import { inForce, windowAt } from '#shared/plan-windows'

/** A budget, and the windows of the plan that its owner has or had last. */
export type Terms = Budget & { plan?: HeldPlan }

/** A key, user or group that may have a budget. `id`: for a group its name. */
export interface Budgeted {
  of: BudgetWindow['of']
  id: string
  budget: Terms | null
}

type Span = 'day' | 'week' | 'month'

/** The span of a plan's window of this length. */
const planSpan = (every: string) => `plan-${every}` as const
/** Whether it is a window of a plan. */
export const isOfPlan = (span: BudgetWindow['span']): boolean => span.startsWith('plan-')

/** The account with the current limit of its budget, where known; undefined when the budget was removed. */
export function withLimitOf(budget: Terms | null | undefined, account: Account): Account | undefined {
  if (!account.budget || budget === undefined) return account
  const { span } = account.budget
  const { total, monthly, weekly, daily, plan } = budget ?? {}
  const own: Readonly<Record<string, string | undefined>> = { total, month: monthly, week: weekly, day: daily }
  const amount = isOfPlan(span) ? plan?.windows.find(({ every }) => planSpan(every) === span)?.amount : own[span]
  return amount === undefined ? undefined : { ...account, budget: { ...account.budget, limit: parseUsd(amount) } }
}

/** The accounts of all budgets at `now` (milliseconds since 1970), in the order given, the longest window first. */
export function budgetAccounts(all: readonly Budgeted[], now: number): Account[] {
  return all.flatMap((one) => (one.budget === null ? [] : accountsOf(one, one.budget, now)))
}

function accountsOf({ of, id }: Budgeted, { total, monthly, weekly, daily, timezone, plan }: Terms, now: number): Account[] {
  const account = (span: BudgetWindow['span'], amount: string | undefined, from: Date | null, until: Date | null): Account[] => {
    if (amount === undefined) return []
    // Another zone is another window: its first instant is part of the name.
    const name = `budget:${of}:${id}:${span}:${from?.toISOString() ?? ''}`
    return [{ id: name, budget: { limit: parseUsd(amount), of, ofId: id, span, from, until } }]
  }
  const window = (span: Span, amount: string | undefined): Account[] => {
    if (amount === undefined) return []
    const from = startOf(
      span,
      Temporal.Instant.fromEpochMilliseconds(now)
        .toZonedDateTimeISO(timezone ?? 'UTC')
        .startOfDay(),
    )
    return account(span, amount, instant(from), instant(from.add({ [`${span}s`]: 1 }).startOfDay()))
  }
  const own = [...account('total', total, null, null), ...window('month', monthly), ...window('week', weekly), ...window('day', daily)]
  if (!plan || !inForce(plan, now)) return own
  const ofPlan = plan.windows.flatMap(({ every, amount }) => {
    const { from, until } = windowAt(every, new Date(plan.from), now)
    return account(planSpan(every), amount, from, until)
  })
  return [...own, ...ofPlan]
}

function startOf(span: Span, today: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  if (span === 'day') return today
  if (span === 'week') return today.subtract({ days: today.dayOfWeek - 1 }).startOfDay()
  return today.with({ day: 1 }).startOfDay()
}

const instant = (at: Temporal.ZonedDateTime): Date => new Date(at.epochMilliseconds)
