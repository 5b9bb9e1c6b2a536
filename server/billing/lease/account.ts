/** What pays for a request: the wallet of its user and every budget that applies. All of them pay, or none does. */

/** One payer. */
export interface Account {
  /** The user's id for a wallet. For a budget: `budget:<key|user|group>:<id>:<total|day|week|month>:<its first instant, or nothing>`. */
  id: string
  /** Only for budgets: what the account begins with when it is first used. */
  budget?: BudgetWindow
}

/** A budget in one window of time. */
export interface BudgetWindow {
  /** Nano-dollars that may be spent in this window. When it changes, what is left changes by the difference. */
  limit: bigint
  of: 'key' | 'user' | 'group'
  /** Whose usage counts: the id of the key or user, the name of the group. */
  ofId: string
  span: 'total' | 'day' | 'week' | 'month'
  /** The first instant that counts; null: no beginning. */
  from: Date | null
  /** The first instant that no longer counts; null: no end. */
  until: Date | null
}
