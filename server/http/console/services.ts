/** What the console's routes about accounts are given: made once by `main`. Other routes name what they need beside them. */
import type { Accounts } from '#accounts/accounts'
import type { BudgetsLeft } from '#billing/ledger/budgets-left'
import type { ConfigState } from '#shared/console/model'
import type { ConsoleDeps } from './console-route.ts'

export interface ConsoleServices extends ConsoleDeps {
  accounts: Accounts
  budgetsLeft: BudgetsLeft
  version: string
  /** The demo channel is on offer now. */
  demo(): boolean
  /** Is what parley.yaml says in force? */
  config(): ConfigState
}
