/** What a request is paid from: the wallet of its user, and every budget that bounds it. All of them pay, or nothing is taken. */

export interface Account {
  /** The user's id for a wallet. For a budget: `budget:<key|user|group>:<id>:<total|day|week|month>:<its first instant, or nothing>`. */
  id: string
  /** Only for budgets: what the account begins with when nobody has used it yet. */
  budget?: BudgetWindow
}

export interface BudgetWindow {
  /** Nano-dollars that may be spent in this window. A change of it moves what is left by the difference. */
  limit: bigint
  of: 'key' | 'user' | 'group'
  /** Whose usage counts: the id of the key or user, the name of the group. */
  ofId: string
  span: 'total' | 'day' | 'week' | 'month'
  /** First instant that counts; null: since ever. */
  from: Date | null
  /** First instant that counts no more; null: never ends. */
  until: Date | null
}
