/** The error for a request that its accounts cannot pay. */

import type { Account, BudgetWindow } from '#billing/lease/account'
import { GatewayError } from '#shared/errors'

const spans: Readonly<Record<string, string>> = { total: 'total', day: 'daily', week: 'weekly', month: 'monthly' }
const spanOf = ({ span }: BudgetWindow) => spans[span] ?? span.slice('plan-'.length)

/** `insufficient_quota`, naming the account that cannot pay. */
export function insufficientFunds(account: Account): GatewayError {
  return new GatewayError('insufficient_quota', `${nameOf(account)} does not cover the maximum cost of this request. Nothing was charged.`)
}

function nameOf({ budget, whose }: Account): string {
  if (!budget) return whose ? `The balance of this ${whose}` : 'The balance'
  if (budget.span.startsWith('plan-')) return `The ${spanOf(budget)} budget of the plan of this ${whose ?? 'user'}`
  if (budget.of === 'member') return `The ${spanOf(budget)} cap of this member of the team`
  return `The ${spanOf(budget)} budget of this ${budget.of === 'user' && whose ? whose : budget.of}`
}
