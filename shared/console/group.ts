/** Groups: named sets of channels with a price ratio. */
import { Decimal, Exact, invisible, MapOf, type Static, Text, Type } from '../typebox.ts'
import { KeepBodies } from './body.ts'
import { Budget, type BudgetLeft, Limits, openBounds } from './limits.ts'
import { Fallback } from './settings.ts'

const settings = {
  description: Type.Optional(Text(500)),
  ratio: Type.Optional(Decimal()),
  /** Off: requests in it are refused, and nothing else changes. */
  enabled: Type.Optional(Type.Boolean()),
  /** Which requests of the group are stored. */
  logBodies: Type.Optional(KeepBodies),
  budget: Type.Optional(Budget),
  limits: Type.Optional(Limits),
  /** Fallback models by model: in this group they replace those of the installation. */
  fallbacks: Type.Optional(MapOf(256, Fallback)),
}

/** One group in parley.yaml, under its name. */
export const GroupFields = Exact(settings)
export type GroupFields = Static<typeof GroupFields>

/** `.` and `..` would be path segments in a URL, so they are not allowed as names. */
const GroupName = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: `^(?!\\.{1,2}$)[^${invisible}]+$`,
  description: 'visible characters, other than a single or double dot',
})

/** POST /api/groups */
export const NewGroup = Exact({ name: GroupName, ...settings, ...openBounds })
/** PATCH /api/groups/:name */
export const GroupPatch = Exact({ ...settings, ...openBounds })
export type GroupPatch = Static<typeof GroupPatch>

/** A row of GET /api/groups. `ratio` is a decimal string. */
export interface GroupRow {
  name: string
  description: string
  ratio: string
}

/** Counts for a group. */
export interface GroupContents {
  /** Who may use it. */
  users: number
  teams: number
  /** Keys that act in it, by themselves or because their owner does. */
  keys: number
  channels: number
  /** Models that its enabled channels offer. */
  models: number
}

/** A group with its settings. */
export interface ManagedGroup extends GroupRow {
  /** Whether the administrator who asks may use it. */
  usable: boolean
  enabled: boolean
  managed: 'file' | 'console'
  logBodies: KeepBodies
  budget: Budget | null
  /** Absent without a budget. */
  budgetLeft?: BudgetLeft
  limits: Limits | null
  fallbacks: Record<string, Fallback>
}

/** A group as administrators see it. */
export interface ManagedGroupRow extends ManagedGroup {
  contents: GroupContents
}
