/** Who is calling, as every room above sees it. Plain data from memory; nothing here reads the database. */
import type { Budget, Limits } from '#shared/console/limits'
import type { Role } from '#shared/ids'
import type { UserRecord } from '#store/accounts/users'

/** What is done to a row, in the audit trail. */
export type Verb = 'create' | 'change' | 'remove'

/** Who may change a row: parley.yaml or the console. */
export type Managed = UserRecord['managed']

export interface User {
  id: string
  name: string
  role: Role
  group: string
  /** Always contains `group`. */
  groups: readonly string[]
  enabled: boolean
  managed: Managed
  createdAt: Date
  budget: Budget | null
  limits: Limits | null
}

export interface ApiKey {
  id: string
  userId: string
  name: string
  hint: string
  group: string | null
  models: readonly string[] | null
  expiresAt: Date | null
  enabled: boolean
  strict: boolean
  logBodies: boolean
  budget: Budget | null
  limits: Limits | null
  managed: Managed
  createdAt: Date
  lastUsedAt: Date | null
}

export interface Group {
  name: string
  description: string
  /** Millionths. */
  ratio: bigint
  budget: Budget | null
  limits: Limits | null
  enabled: boolean
  managed: Managed
}

export interface Caller {
  user: User
  /** Null on `/pg`, where the session speaks. */
  key: ApiKey | null
  group: Group
  /** Null: every model of the group. */
  models: ReadonlySet<string> | null
  strict: boolean
}
