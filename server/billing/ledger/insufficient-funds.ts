/** The error for a request that its accounts cannot pay. */

import type { Account } from '#billing/lease/account'
import { GatewayError } from '#shared/errors'

const spans = { total: 'total', day: 'daily', week: 'weekly', month: 'monthly' } as const

/** `insufficient_quota`, naming the account that cannot pay. */
export function insufficientFunds({ budget }: Account): GatewayError {
  const what = budget ? `The ${spans[budget.span]} budget of this ${budget.of}` : 'The balance'
  return new GatewayError('insufficient_quota', `${what} does not cover the largest cost of this request. Nothing was charged.`)
}
