/** What pays for a request: the wallet of its user or team and every budget that applies. All of them pay, or none does. */

/** One payer. */
export interface Account {
  /** A user or team id for a wallet, else `budget:<key|user|group|member>:<id>:<total|day|week|month|plan-...>:<start or empty>`. */
  id: string
  /** Owner, for messages: `team` where a team pays. */
  whose?: 'team'
  /** Only for budgets: the terms with which the account is created on first use. */
  budget?: BudgetWindow
}

/** A budget in one window of time. */
export interface BudgetWindow {
  /** Nano-dollars that may be spent in this window. A change changes what is left by the difference. */
  limit: bigint
  of: 'key' | 'user' | 'group' | 'member'
  /** Whose usage counts: the id of the key, user, team (`user`) or member, the name of the group. */
  ofId: string
  /** `plan-5h`: a window of a plan, with its length. */
  span: 'total' | 'day' | 'week' | 'month' | `plan-${string}`
  /** The first instant that counts; null: no beginning. */
  from: Date | null
  /** The first instant that no longer counts; null: no end. */
  until: Date | null
}
