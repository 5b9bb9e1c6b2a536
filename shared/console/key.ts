/** API keys of a user. Only the response to POST contains the key itself. */
import { Exact, Name, type Static, Text, Type } from '../typebox.ts'
import { KeepBodies } from './body.ts'
import { Budget, type BudgetLeft, Limits, openBounds } from './limits.ts'

const settings = {
  group: Type.Optional(Name()),
  /** Names, and patterns in which `*` stands for any characters: `claude-*`. All of the group when absent. */
  models: Type.Optional(Type.Array(Name(256), { maxItems: 10_000 })),
  expiresAt: Type.Optional(Type.Union([Type.String({ format: 'instant' }), Type.Null()])),
  enabled: Type.Optional(Type.Boolean()),
  strict: Type.Optional(Type.Boolean()),
  /** Which of its requests are stored. */
  logBodies: Type.Optional(KeepBodies),
  /** Addresses and ranges that may use it, such as `203.0.113.7` and `10.0.0.0/8`; all when absent. */
  addresses: Type.Optional(Type.Array(Type.String({ minLength: 2, maxLength: 64 }), { maxItems: 100 })),
  budget: Type.Optional(Budget),
  limits: Type.Optional(Limits),
}

/** Also null, as in rows: the user's group, all of its models, no limits. Not accepted in the file, as in `openBounds`. */
const openSettings = {
  ...settings,
  ...openBounds,
  group: Type.Optional(Type.Union([Name(), Type.Null()])),
  models: Type.Optional(Type.Union([Type.Array(Name(256), { maxItems: 10_000 }), Type.Null()])),
  addresses: Type.Optional(Type.Union([Type.Array(Type.String({ minLength: 2, maxLength: 64 }), { maxItems: 100 }), Type.Null()])),
  /** For people only. */
  note: Type.Optional(Type.Union([Text(500), Type.Null()])),
}

/** POST /api/keys */
export const NewKey = Exact({
  name: Name(),
  /** Id or name of the owner, for administrators; the caller when absent. With `team`, for its managers: the member. */
  user: Type.Optional(Name()),
  /** Id or name of the team that pays; the owner when absent. */
  team: Type.Optional(Name()),
  ...openSettings,
})
export type NewKey = Static<typeof NewKey>

/** PATCH /api/keys/:id */
export const KeyPatch = Exact({ name: Type.Optional(Name()), ...openSettings })
export type KeyPatch = Static<typeof KeyPatch>

/** POST /api/keys/:id/rotate. The old secret stays valid for this many hours. */
export const Rotation = Exact({ overlapHours: Type.Number({ minimum: 0, maximum: 720 }) })
export type Rotation = Static<typeof Rotation>

/** An entry of `keys` in parley.yaml. */
export const DeclaredKey = Exact({
  name: Name(),
  user: Name(),
  /** The team that pays; the user when absent. */
  team: Type.Optional(Name()),
  /** The key, or the SHA-256 of one that only its holder knows; one of the two. */
  key: Type.Optional(Type.String({ pattern: '^sk-[\\u0021-\\u007e]{8,200}$', description: 'sk- and 8 to 200 visible ASCII characters' })),
  digest: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits' })),
  ...settings,
})
export type DeclaredKey = Static<typeof DeclaredKey>

/** A row of GET /api/keys. `group` and `models` are null when those of the user apply, `addresses` when all may use it. */
export interface KeyRow {
  id: string
  name: string
  /** Its owner; for a team's key the user who created it, without a name once that user is gone. */
  user: { id: string; name: string }
  /** The team that pays and owns it; null when its owner pays. */
  team: { id: string; name: string } | null
  note: string | null
  createdAt: string
  group: string | null
  models: string[] | null
  expiresAt: string | null
  enabled: boolean
  strict: boolean
  logBodies: KeepBodies
  addresses: string[] | null
  budget: Budget | null
  /** Absent without a budget. */
  budgetLeft?: BudgetLeft
  limits: Limits | null
  /** `sk-...Ab3d` */
  hint: string
  managed: 'file' | 'console'
  lastUsedAt: string | null
  /** The address of the last use. */
  lastUsedFrom: string | null
  /** Until when the secret before the last rotation is valid; null when there is none. */
  previousUntil: string | null
}

/** GET /v1/key: what the holder of an API key may see of it without an account. */
export interface KeyFacts {
  name: string
  group: string
  /** The models that it may use now. */
  models: string[]
  /** RFC 3339; null: never. */
  expiresAt: string | null
  /** USD charged to this key since its creation. */
  spent: string
  /** What is left of its own budget; null without one. Those of its user and group may be smaller. */
  budgetLeft: BudgetLeft | null
  limits: Limits | null
}

/** GET /v1/key/usage: the budgets of an API key with their windows, and what it spent in the last thirty days (UTC). */
export interface KeyUsage {
  budgets: {
    window: string
    /** USD. */
    limit: string
    left: string
    /** When the next window begins; null for a total budget. */
    renewsAt: string | null
  }[]
  days: { day: string; requests: number; charged: string }[]
  /** Most expensive first. */
  models: { model: string; requests: number; charged: string }[]
}
