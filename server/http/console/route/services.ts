/** Dependencies of the console routes for accounts, created once in `server/app`. Other routes declare their own. */

import type { Accounts } from '#accounts/accounts'
import type { IdentityProvider } from '#accounts/identity/provider'
import type { BudgetsLeft } from '#billing/ledger/budgets-left'
import type { Bodies } from '#bodies/bodies'
import type { ConfigState } from '#shared/console/model'
import type { ConsoleDeps } from './console-route.ts'

export interface ConsoleServices extends ConsoleDeps {
  accounts: Accounts
  budgetsLeft: BudgetsLeft
  /** Undefined where people sign in with passwords only. */
  identityProvider?: IdentityProvider | undefined
  bodies: Pick<Bodies, 'settled' | 'read' | 'lines' | 'remove' | 'removeAll' | 'keptAmong' | 'state'>
  version: string
  /** The banner for signed-in users; null: none. */
  banner(): string | null
  /** The name of this installation, such as `staging`. */
  environment?: string | undefined
  /** Whether the demo channel is available now. */
  demo(): boolean
  /** Whether the current parley.yaml is in effect. */
  config(): ConfigState
}
