/** Budgets and limits, the same for keys, users and groups. Money is a decimal string in USD. */
import { Decimal, Exact, Int, type Static, Type } from '../typebox.ts'

/** How much may be spent, in total and per day, week and month. USD. */
export const Budget = Exact({
  total: Type.Optional(Decimal()),
  daily: Type.Optional(Decimal()),
  weekly: Type.Optional(Decimal()),
  monthly: Type.Optional(Decimal()),
  /** IANA zone in which days, weeks and months begin; UTC when absent. */
  timezone: Type.Optional(Type.String({ maxLength: 64 })),
})
export type Budget = Static<typeof Budget>

/** What is left of a budget in its current windows, in USD; negative when it was lowered below what is spent. */
export interface BudgetLeft {
  total?: string
  daily?: string
  weekly?: string
  monthly?: string
}

/** Limits on the rate of requests. */
export const Limits = Exact({
  /** Requests per minute. */
  rpm: Type.Optional(Int(1, 1_000_000)),
  /** Tokens per minute. */
  tpm: Type.Optional(Int(1, 1_000_000_000)),
  /** Concurrent requests. */
  concurrency: Type.Optional(Int(1, 1_000_000)),
})
export type Limits = Static<typeof Limits>

/** Both, also null, as in rows: none. Not accepted in the file, where an empty value could mean it by mistake. */
export const openBounds = {
  budget: Type.Optional(Type.Union([Budget, Type.Null()])),
  limits: Type.Optional(Type.Union([Limits, Type.Null()])),
}
