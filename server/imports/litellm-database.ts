/**
 * LiteLLM's database: rows of its tables to the sections of a parley.yaml. Pure: the caller reads the tables. Columns are those of the
 * project's public schema (`schema.prisma`). Its keys are stored as the SHA-256 of the secret, as here, so clients keep theirs.
 */
import { fromLiteLlm } from './litellm.ts'
import { liteLlmKeys } from './litellm-keys.ts'
import { liteLlmTeams, liteLlmUsers } from './litellm-people.ts'
import { isObject, type Row, textOf } from './litellm-rows.ts'
import { type LiteLlmContext, type LiteLlmTables, liteLlmContext } from './litellm-tables.ts'
import type { Moved } from './moved.ts'

/** How to read the rows. */
export interface LiteLlmReading {
  /** Opens a sealed value; undefined where it cannot. */
  open(sealed: string): string | undefined
  /** A parsed config.yaml, whose deployments and settings come first. */
  file?: unknown
  /** USD that payers without a total budget start with; absent: none. */
  balance?: string | undefined
}

/** The sections. */
export function fromLiteLlmDatabase(tables: LiteLlmTables, reading: LiteLlmReading): Moved {
  const models = deploymentsOf(tables.LiteLLM_ProxyModelTable ?? [], tables.LiteLLM_CredentialsTable ?? [], reading.open)
  const file = isObject(reading.file) ? reading.file : {}
  const list = Array.isArray(file.model_list) ? file.model_list : []
  const settings = settingsOf(tables.LiteLLM_Config ?? [])
  const moved = fromLiteLlm({ ...settings, ...file, model_list: [...list, ...models.deployments] })
  const context = liteLlmContext(tables, moved, reading.balance)
  for (const name of models.sealed)
    context.remarksOn(`model ${name}`)('litellm_params', 'is sealed: set LITELLM_SALT_KEY (or its master key) in the environment; left out')
  const people = liteLlmUsers(context)
  const teams = liteLlmTeams(context, people.holders)
  moved.keys.push(...liteLlmKeys(context, people, teams))
  moved.users.push(...people.users)
  moved.teams.push(...teams.values())
  remarkLeftOut(context)
  return moved
}

const leftOut = {
  LiteLLM_OrganizationTable: 'organizations: their teams stand by themselves',
  LiteLLM_EndUserTable: 'end users: keys and users have budgets and limits here',
  LiteLLM_ProjectTable: 'projects: their keys stand by themselves',
  LiteLLM_MCPServerTable: 'MCP servers: have no place here',
  LiteLLM_DeprecatedVerificationToken: 'keys from before a rotation: only the present ones are taken over',
} as const

/** A remark about each non-empty table that is not imported. */
function remarkLeftOut(context: LiteLlmContext): void {
  for (const [table, what] of Object.entries(leftOut)) {
    const { length } = context.of(table as keyof typeof leftOut)
    if (length > 0) context.remarksOn(table)('rows', `${length} ${what}`)
  }
}

/** Settings that its UI stores in the database, as sections of a config.yaml. */
function settingsOf(rows: readonly Row[]): Record<string, unknown> {
  return Object.fromEntries(rows.flatMap((row) => (isObject(row.param_value) ? [[textOf(row.param_name), row.param_value]] : [])))
}

/** Deployments in the form of a config.yaml, and the names of those that could not be read. */
function deploymentsOf(rows: readonly Row[], credentials: readonly Row[], open: LiteLlmReading['open']) {
  const opened = (values: unknown): Record<string, unknown> | undefined => {
    const pairs = Object.entries(isObject(values) ? values : {}).map(([name, value]) => {
      return [name, typeof value === 'string' ? open(value) : value] as const
    })
    return pairs.some(([name, value]) => value === undefined && isObject(values) && values[name] !== undefined)
      ? undefined
      : Object.fromEntries(pairs)
  }
  const known = new Map(credentials.map((row) => [textOf(row.credential_name), opened(row.credential_values)]))
  const deployments: unknown[] = []
  const sealed: string[] = []
  for (const row of rows) {
    const params = opened(row.litellm_params)
    const { litellm_credential_name: named, ...own } = params ?? {}
    const shared = named === undefined ? {} : known.get(textOf(named))
    if (params === undefined || shared === undefined) sealed.push(textOf(row.model_name))
    else deployments.push({ model_name: row.model_name, litellm_params: { ...shared, ...own }, model_info: row.model_info })
  }
  return { deployments, sealed }
}
