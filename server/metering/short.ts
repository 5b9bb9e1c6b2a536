/** The error for a request that its accounts cannot pay. */
import { GatewayError } from '#shared/errors'
import type { Account } from './account.ts'

const spans = { total: 'total', day: 'daily', week: 'weekly', month: 'monthly' } as const

/** `insufficient_quota`, naming the account that cannot pay. */
export function insufficientFunds({ budget }: Account): GatewayError {
  const what = budget ? `The ${spans[budget.span]} budget of this ${budget.of}` : 'The balance'
  return new GatewayError('insufficient_quota', `${what} does not cover the largest cost of this request. Nothing was charged.`)
}
