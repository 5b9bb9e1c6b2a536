/** The tables of LiteLLM's database, and helpers for their readers. */
import { type AddRemark, type Row, textOf } from './litellm-rows.ts'
import type { Moved } from './moved.ts'

/** The tables that are read, by their names in the database. */
export const liteLlmTables = [
  ...['LiteLLM_UserTable', 'LiteLLM_TeamTable', 'LiteLLM_TeamMembership', 'LiteLLM_VerificationToken', 'LiteLLM_BudgetTable'],
  ...['LiteLLM_ProxyModelTable', 'LiteLLM_CredentialsTable', 'LiteLLM_Config', 'LiteLLM_OrganizationTable', 'LiteLLM_EndUserTable'],
  ...['LiteLLM_ProjectTable', 'LiteLLM_MCPServerTable', 'LiteLLM_DeprecatedVerificationToken'],
] as const
/** The rows of each. */
export type LiteLlmTables = Readonly<Partial<Record<(typeof liteLlmTables)[number], readonly Row[]>>>

/** Columns by their names, separated by spaces. */
export const columns = (...names: string[]): ReadonlySet<string> => new Set(names.join(' ').split(' '))
/** Columns of users, teams and keys that are handled, or irrelevant. */
export const commonColumns =
  'created_at updated_at created_by updated_by budget_reset_at spend model_spend max_budget budget_duration rpm_limit tpm_limit max_parallel_requests models'

/** The rows, and the collector of remarks. */
export interface LiteLlmContext {
  of(table: (typeof liteLlmTables)[number]): readonly Row[]
  /** The shared budget that a row names. */
  budgetOf(row: Row): Row | undefined
  /** `about` as in `Remark`. */
  remarksOn(about: string): AddRemark
  /** Starting balance of a payer: what is left there, else the caller's value. */
  opening(left: string | undefined, remark: AddRemark): { balance?: string }
}

/** Remarks go to `moved`; `balance` as in `LiteLlmReading`. */
export function liteLlmContext(tables: LiteLlmTables, moved: Pick<Moved, 'remarks'>, balance: string | undefined): LiteLlmContext {
  const of: LiteLlmContext['of'] = (name) => tables[name] ?? []
  const budgets = new Map(of('LiteLLM_BudgetTable').map((row) => [textOf(row.budget_id), row]))
  return {
    of,
    budgetOf: (row) => budgets.get(textOf(row.budget_id)),
    remarksOn: (about) => (field, why) => void moved.remarks.push({ about, field, why }),
    opening(left, remark) {
      const begins = left ?? balance
      if (begins === undefined) remark('balance', 'has no starting amount there: add credit, or use --balance')
      return begins === undefined || begins === '0' ? {} : { balance: begins }
    },
  }
}
