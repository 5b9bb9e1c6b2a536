/** API keys of a user. Only the response to POST contains the key itself. */
import { Exact, Name, type Static, Type } from '../typebox.ts'
import { Budget, type BudgetLeft, Limits } from './limits.ts'

const settings = {
  group: Type.Optional(Name()),
  models: Type.Optional(Type.Array(Name(256), { maxItems: 10_000 })),
  expiresAt: Type.Optional(Type.Union([Type.String({ format: 'instant' }), Type.Null()])),
  enabled: Type.Optional(Type.Boolean()),
  strict: Type.Optional(Type.Boolean()),
  logBodies: Type.Optional(Type.Boolean()),
  budget: Type.Optional(Budget),
  limits: Type.Optional(Limits),
}

/** Also null, as in rows: the user's group, all of its models. Not accepted in the file, where an empty value could mean it by mistake. */
const openSettings = {
  ...settings,
  group: Type.Optional(Type.Union([Name(), Type.Null()])),
  models: Type.Optional(Type.Union([Type.Array(Name(256), { maxItems: 10_000 }), Type.Null()])),
}

/** POST /api/keys */
export const NewKey = Exact({ name: Name(), ...openSettings })
export type NewKey = Static<typeof NewKey>

/** PATCH /api/keys/:id */
export const KeyPatch = Exact({ name: Type.Optional(Name()), ...openSettings })
export type KeyPatch = Static<typeof KeyPatch>

/** An entry of `keys` in parley.yaml. */
export const DeclaredKey = Exact({
  name: Name(),
  user: Name(),
  key: Type.String({ pattern: '^sk-[\\u0021-\\u007e]{8,200}$' }),
  ...settings,
})
export type DeclaredKey = Static<typeof DeclaredKey>

/** A row of GET /api/keys. `group` and `models` are null when those of the user apply. */
export interface KeyRow {
  id: string
  name: string
  createdAt: string
  group: string | null
  models: string[] | null
  expiresAt: string | null
  enabled: boolean
  strict: boolean
  logBodies: boolean
  budget: Budget | null
  /** Absent without a budget. */
  budgetLeft?: BudgetLeft
  limits: Limits | null
  /** `sk-...Ab3d` */
  hint: string
  managed: 'file' | 'console'
  lastUsedAt: string | null
}
