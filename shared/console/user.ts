/** Users, setup, invitations, and stored and shared conversations. Money is a decimal string in USD. */
import { type EntryKind, roles, type TeamRole, teamRoles } from '../ids.ts'
import { Decimal, Exact, Int, Name, OneOf, SignedDecimal, type Static, Text, Type } from '../typebox.ts'
import { Budget, type BudgetLeft, Limits, openBounds } from './limits.ts'
import { DeclaredHold } from './selling.ts'

/** A password: 8 to 1024 characters. */
export const Password = Type.String({ minLength: 8, maxLength: 1024 })

const optional = {
  role: Type.Optional(OneOf(roles)),
  password: Type.Optional(Password),
  group: Type.Optional(Name()),
  groups: Type.Optional(Type.Array(Name(), { maxItems: 1000 })),
  budget: Type.Optional(Budget),
  limits: Type.Optional(Limits),
}

const fresh = { name: Name(), balance: Type.Optional(Decimal()), ...optional }
/** POST /api/users. `balance` is an opening grant, posted once. */
export const NewUser = Exact({ ...fresh, ...openBounds })
export type NewUser = Static<typeof NewUser>

/** An entry of `users` in parley.yaml. */
export const DeclaredUser = Exact({ ...fresh, plan: Type.Optional(DeclaredHold) })
export type DeclaredUser = Static<typeof DeclaredUser>

/** PATCH /api/users/:id */
export const UserPatch = Exact({ name: Type.Optional(Name()), enabled: Type.Optional(Type.Boolean()), ...optional, ...openBounds })
export type UserPatch = Static<typeof UserPatch>

/** POST /api/setup */
export const Setup = Exact({ token: Type.String({ maxLength: 200 }), name: Name(), password: Password })
/** POST /api/session */
export const SignIn = Exact({ name: Type.String({ maxLength: 200 }), password: Type.String({ maxLength: 1024 }) })

/** POST /api/users/:id/credit. A negative amount is withdrawn, at most what is spendable. */
export const Credit = Exact({
  amount: SignedDecimal(),
  reason: Type.String({ maxLength: 500, pattern: '\\S', description: 'a short reason' }),
})
export type Credit = Static<typeof Credit>

/** A user as the console returns it. */
export interface UserRow {
  id: string
  name: string
  role: 'user' | 'admin'
  group: string
  groups: string[]
  /** Includes open holds; what can be spent is balance minus held. */
  balance: string
  held: string
}

/** Who is signed in: GET and POST /api/session. */
export interface SignedIn {
  user: UserRow
  /** The administrators' banner, as plain text. Absent: none. */
  banner?: string
  /** The address this request came from, as a key's `addresses` would see it. Only in GET. */
  address?: string
  /** The session is of no use until the user has added the second factor that the installation requires. */
  mustEnrol?: true
}

/** A user as administrators see it: a row of GET /api/users. */
export interface AccountRow extends UserRow {
  createdAt: string
  enabled: boolean
  /** When a key or session of the user was last used; null when none of the existing ones was. Up to half a minute late. */
  lastSeenAt: string | null
  /** Whether a password is set. */
  signsIn: boolean
  /** Whether the user has a second factor. */
  secondFactor: boolean
  managed: 'file' | 'console'
  /** Number of the user's valid management keys. They become invalid when the user's role changes. */
  managementKeys: number
  budget: Budget | null
  /** Absent without a budget. */
  budgetLeft?: BudgetLeft
  limits: Limits | null
}

/** GET /api/users/totals: totals over all users, in USD. */
export interface UserTotals {
  users: number
  enabled: number
  balance: string
  held: string
  /** Enabled users whose balance is below `lowBelow`. */
  low: number
  lowBelow: string
}

/** An entry of a wallet: a row of GET /api/users/:id/entries. The amounts of all entries add up to the balance, disregarding open holds. */
export interface EntryRow {
  id: string
  at: string
  kind: EntryKind
  /** USD; negative for withdrawals and charges. */
  amount: string
  /** USD: the sum of this entry and of all older ones. */
  balance: string
  /** The cause: `usage:<request id>`, `grant:<user id>`, `credit:<key>`, `code:<code id>`, `payment:<reference>`, `refund:<reference>`. */
  ref: string
  /** A user's id, or `file`, `setup`, `environment`. */
  actor: string
  /** The user's name; null for others and for users who are gone. */
  actorName: string | null
  reason: string
  /** Only with `by=day`, for one day's charges, summed in `amount`: date and count. Id, time, balance: the newest's; no cause and actor. */
  day?: string
  entries?: number
}

/** Most characters of a conversation; a request may have at most 1 MiB. */
const mostText = 1_000_000

/** PUT /api/conversations/:id: stores a conversation of the playground. A version older than the stored one changes nothing. */
export const KeptConversation = Exact({
  /** When it was last changed, RFC 3339. */
  changedAt: Type.String({ format: 'instant' }),
  /** The conversation in the playground's file format: JSON text. */
  text: Text(mostText),
})
export type KeptConversation = Static<typeof KeptConversation>

/** A row of GET /api/conversations, without its text. */
export interface KeptRow {
  id: string
  changedAt: string
  bytes: number
}

/** POST /api/shares. */
export const NewShare = Exact({
  title: Name(200),
  /** The conversation in the playground's file format: JSON text. */
  text: Text(mostText),
  /** Days until the link ends. */
  days: Int(1, 365),
})
export type NewShare = Static<typeof NewShare>

/** A row of GET /api/shares: a link that the caller created. */
export interface ShareRow {
  id: string
  title: string
  createdAt: string
  expiresAt: string
}

/** GET /api/shares/:id, for anyone who has the link. */
export interface SharedConversation {
  title: string
  createdAt: string
  expiresAt: string
  text: string
}

/** POST /api/invitations. */
export const NewInvitation = Exact({
  /** For people only. */
  note: Type.Optional(Name(200)),
  /** Role of the new users; administrators only. */
  role: Type.Optional(OneOf(roles)),
  group: Type.Optional(Name()),
  /** Id or name of a team that they join. */
  team: Type.Optional(Name()),
  teamRole: Type.Optional(OneOf(teamRoles)),
  /** How many people may use it. */
  uses: Type.Optional(Int(1, 1000)),
  /** Days until it ends. */
  days: Type.Optional(Int(1, 90)),
})
export type NewInvitation = Static<typeof NewInvitation>

const token = Type.String({ maxLength: 100 })

/** POST /api/join/look and POST /api/invitations/accept. */
export const InvitationToken = Exact({ token })

/** POST /api/join */
export const Join = Exact({ token, name: Name(), password: Password })
export type Join = Static<typeof Join>

/** An invitation: a row of GET /api/invitations. */
export interface InvitationRow {
  id: string
  note: string | null
  role: 'user' | 'admin'
  group: string
  team: { id: string; name: string } | null
  teamRole: TeamRole | null
  /** How many people may use it, and how many have. */
  most: number
  uses: number
  /** Who made it; it ends when they lose the right to invite. */
  by: { id: string; name: string }
  createdAt: string
  expiresAt: string
  /** Whether it is valid now. */
  valid: boolean
}

/** What anyone with the link sees: POST /api/join/look. */
export interface InvitationFacts {
  /** Who invites. */
  by: string
  /** The name of the team; null without one. */
  team: string | null
  teamRole: TeamRole | null
  role: 'user' | 'admin'
  expiresAt: string
}
