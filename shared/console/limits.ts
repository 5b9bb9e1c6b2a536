/** Budgets and limits, the same for keys, users and groups. Money is a decimal string in USD. */
import { Decimal, Exact, Int, type Static, Type } from '../typebox.ts'

export const Budget = Exact({
  total: Type.Optional(Decimal()),
  daily: Type.Optional(Decimal()),
  weekly: Type.Optional(Decimal()),
  monthly: Type.Optional(Decimal()),
  /** IANA zone in which days, weeks and months begin; UTC when absent. */
  timezone: Type.Optional(Type.String({ maxLength: 64 })),
})
export type Budget = Static<typeof Budget>

/** What is left of a budget in its present windows, in USD; below zero where it was lowered. */
export interface BudgetLeft {
  total?: string
  daily?: string
  weekly?: string
  monthly?: string
}

export const Limits = Exact({
  /** Requests per minute. */
  rpm: Type.Optional(Int(1, 1_000_000)),
  /** Tokens per minute. */
  tpm: Type.Optional(Int(1, 1_000_000_000)),
  /** Requests at once. */
  concurrency: Type.Optional(Int(1, 1_000_000)),
})
export type Limits = Static<typeof Limits>
