/** Teams: a wallet that several users spend from. Money is a decimal string in USD. */
import { type TeamRole, teamRoles } from '../ids.ts'
import { Decimal, Exact, Name, OneOf, type Static, Type } from '../typebox.ts'
import { Budget, type BudgetLeft, Limits, openBounds } from './limits.ts'
import { DeclaredHold } from './selling.ts'

const settings = {
  group: Type.Optional(Name()),
  groups: Type.Optional(Type.Array(Name(), { maxItems: 1000 })),
  budget: Type.Optional(Budget),
  limits: Type.Optional(Limits),
}
/** Names, and patterns in which `*` stands for any characters. */
const Models = Type.Array(Name(256), { maxItems: 10_000 })
/** A value of the identity provider's group claim; users who sign in with it join the team. */
const Claim = Name(256)

/** Null = every model of the team's groups. */
const openModels = {
  models: Type.Optional(Type.Union([Models, Type.Null()])),
  /** Null = nobody joins by a claim. */
  claim: Type.Optional(Type.Union([Claim, Type.Null()])),
}

/** POST /api/teams. `balance` is an opening grant, posted once. */
export const NewTeam = Exact({ name: Name(), balance: Type.Optional(Decimal()), ...settings, ...openModels, ...openBounds })
export type NewTeam = Static<typeof NewTeam>

/** PATCH /api/teams/:id */
export const TeamPatch = Exact({
  name: Type.Optional(Name()),
  enabled: Type.Optional(Type.Boolean()),
  ...settings,
  ...openModels,
  ...openBounds,
})
export type TeamPatch = Static<typeof TeamPatch>

/** POST /api/teams/:id/members. `user`: an id or a name; `budget`: the member's cap. */
export const NewMember = Exact({ user: Name(), role: Type.Optional(OneOf(teamRoles)), budget: openBounds.budget })
export type NewMember = Static<typeof NewMember>

/** PATCH /api/teams/:id/members/:user */
export const MemberPatch = Exact({ role: Type.Optional(OneOf(teamRoles)), budget: openBounds.budget })
export type MemberPatch = Static<typeof MemberPatch>

/** An entry of `teams` in parley.yaml. `user` of a member: a name. */
export const DeclaredTeam = Exact({
  name: Name(),
  balance: Type.Optional(Decimal()),
  ...settings,
  models: Type.Optional(Models),
  claim: Type.Optional(Claim),
  members: Type.Optional(Type.Array(NewMember, { maxItems: 10_000 })),
  plan: Type.Optional(DeclaredHold),
})
export type DeclaredTeam = Static<typeof DeclaredTeam>

/** A team: a row of GET /api/teams. */
export interface TeamRow {
  id: string
  name: string
  group: string
  groups: string[]
  models: string[] | null
  budget: Budget | null
  /** Absent without a budget. */
  budgetLeft?: BudgetLeft
  limits: Limits | null
  /** A value of the identity provider's group claim: users who sign in with it are members. */
  claim: string | null
  enabled: boolean
  managed: 'file' | 'console'
  createdAt: string
  /** Includes open holds; what can be spent is balance minus held. */
  balance: string
  held: string
  /** Number of members. */
  members: number
  /** The caller's role in it; null for an administrator who is not a member. */
  role: TeamRole | null
}

/** A member: a row of GET /api/teams/:id/members. */
export interface MemberRow {
  /** The user's. */
  id: string
  name: string
  role: TeamRole
  /** The cap. */
  budget: Budget | null
  /** What is left of the cap; absent without one. */
  budgetLeft?: BudgetLeft
  /** Spent since the month began (UTC). */
  spent: string
  createdAt: string
}
