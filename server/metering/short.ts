/** What a caller is told whose request cannot be paid: which of its accounts has too little. */
import { GatewayError } from '#shared/errors'
import type { Account } from './account.ts'

const spans = { total: 'total', day: 'daily', week: 'weekly', month: 'monthly' } as const

export function tooLittle({ budget }: Account): GatewayError {
  const what = budget ? `The ${spans[budget.span]} budget of this ${budget.of}` : 'The balance'
  return new GatewayError('insufficient_quota', `${what} does not cover the largest cost of this request. Nothing was charged.`)
}
