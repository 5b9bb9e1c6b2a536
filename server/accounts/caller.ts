/** The caller, as all modules above see it. Plain data from memory; nothing here reads the database. */
import type { KeepBodies } from '#shared/console/body'
import type { Budget, Limits } from '#shared/console/limits'
import type { HeldPlan } from '#shared/console/selling'
import type { Fallback } from '#shared/console/settings'
import type { Role } from '#shared/ids'
import type { TeamMemberRecord, TeamRecord } from '#store/accounts/teams'
import type { UserRecord } from '#store/accounts/users'

/** The action on a row, as the audit trail names it. */
export type Verb = 'create' | 'change' | 'remove'

/** Who may change a row: parley.yaml or the console. */
export type Managed = UserRecord['managed']

/** A user as requests see one: no password hash. */
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
  /** The current or last plan; of a caller only one in force. */
  plan?: HeldPlan | null
}

/** An API key without its secret. */
export interface ApiKey {
  id: string
  /** Its user; for a team's key the user who created it, who may be gone. */
  userId: string
  /** The team that pays and owns it; null = its user. */
  teamId: string | null
  name: string
  hint: string
  group: string | null
  models: readonly string[] | null
  expiresAt: Date | null
  enabled: boolean
  strict: boolean
  /** Which of its requests are stored. */
  keepBodies: KeepBodies
  budget: Budget | null
  limits: Limits | null
  managed: Managed
  createdAt: Date
  lastUsedAt: Date | null
  lastUsedFrom: string | null
  note: string | null
  /** Addresses and ranges that may use it; null = all. */
  addresses: readonly string[] | null
  /** Until when the secret before the last rotation is valid. */
  previousUntil: Date | null
}

/** A group of users and channels with its price ratio. */
export interface Group {
  name: string
  description: string
  /** Millionths. */
  ratio: bigint
  /** Which of its requests are stored; null = none. */
  keepBodies: KeepBodies | null
  budget: Budget | null
  limits: Limits | null
  /** Fallback models by model, replacing those of the installation. */
  fallbacks: Readonly<Record<string, Fallback>> | null
  enabled: boolean
  managed: Managed
}

/** A team: a wallet that its members spend from. */
export type Team = TeamRecord

/** A user's membership in a team. */
export type Member = TeamMemberRecord

/** The identity a request runs as. */
export interface Caller {
  /** The payer and owner of state and conversations: a user, or a team, represented as a user without a role. */
  user: User
  /** The team that pays, if one does. */
  team?: Team
  /** If a team pays: the member whose cap applies; undefined once the member has left. */
  member?: Member | undefined
  /** Null on `/pg`, which authenticates by session. */
  key: ApiKey | null
  group: Group
  /** The models the caller may use; null = every model of the group. */
  models: ReadonlySet<string> | null
  strict: boolean
  /** On `/pg`, the name of the session; the request stops when it ends. */
  session?: string
}

/** Where a request comes from. Reading the address may cost a system call. */
export interface Sender {
  readonly clientAddress: string
}
