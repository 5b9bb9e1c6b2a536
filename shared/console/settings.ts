/** GET and PATCH /api/settings: settings of the whole installation. */
import { Exact, Int, MapOf, Name, OneOf, type Static, Type } from '../typebox.ts'
import { type BodySettings, BodySettingsPatch } from './body.ts'
import { type Quotas, QuotasPatch } from './quota.ts'

const models = Type.Optional(Type.Array(Name(256), { minItems: 1, maxItems: 20 }))

/** Models to try instead of another: after an error, when the context is too long, or when a content filter stopped it. */
export const Fallback = Exact({ error: models, context: models, filter: models })
export type Fallback = Static<typeof Fallback>

/**
 * Which of several channels of one rank is tried first: drawn by weight, in turns, by the fewest open requests, by the lowest time to first
 * content, or by the lowest declared costs.
 */
export const balancingModes = ['weight', 'round_robin', 'least_open', 'first_token', 'cheapest'] as const
export type BalancingMode = (typeof balancingModes)[number]

/** Minutes after which a channel that rests is asked a small question. */
const CheckMinutes = Int(1, 1440)

/** The section `routing` of parley.yaml: settings that it declares cannot be changed elsewhere. */
export const DeclaredRouting = Exact({ balancing: Type.Optional(OneOf(balancingModes)), checkMinutes: Type.Optional(CheckMinutes) })
export type DeclaredRouting = Static<typeof DeclaredRouting>

/** Whom the installation asks for a second factor. */
export const secondFactorRules = ['off', 'administrators', 'everybody'] as const
export type SecondFactorRule = (typeof secondFactorRules)[number]

/** Changes to the settings. */
export const SettingsPatch = Exact({
  /** The model for moderation requests that name none. */
  moderationModel: Type.Optional(Name(256)),
  /** All fallbacks, by model. Those declared in parley.yaml may be left out, but not changed. */
  fallbacks: Type.Optional(MapOf(256, Fallback)),
  /** Months for which usage rows are kept; their sums and the ledger stay. Null keeps them for ever. */
  keepLogsMonths: Type.Optional(Type.Union([Int(1, 1200), Type.Null()])),
  balancing: Type.Optional(OneOf(balancingModes)),
  /** Minutes after which a channel that rests is asked a small question; null: never. */
  checkMinutes: Type.Optional(Type.Union([CheckMinutes, Type.Null()])),
  /** A line of plain text on top of every page of whoever is signed in; null: none. */
  banner: Type.Optional(Type.Union([Name(500), Type.Null()])),
  /** Whether users may make links by which anybody reads a copy of a conversation. */
  shareLinks: Type.Optional(Type.Boolean()),
  /** Who signs in with a second factor; whoever has none yet is led to one at once. Others may have one. */
  requireSecondFactor: Type.Optional(OneOf(secondFactorRules)),
  /** Whether a second factor is asked for here too where the identity provider has let somebody in, which has asked for its own. */
  secondFactorAfterProvider: Type.Optional(Type.Boolean()),
  /** Quotas of each user; those left out stay as they are. */
  quotas: Type.Optional(QuotasPatch),
  /** Kept bodies; what is left out stays as it is. */
  bodies: Type.Optional(BodySettingsPatch),
})
export type SettingsPatch = Static<typeof SettingsPatch>

/** The settings. */
export interface SettingsRow {
  moderationModel: string
  fallbacks: Record<string, Fallback>
  keepLogsMonths: number | null
  /** Absent: `weight`. */
  balancing?: BalancingMode
  /** Absent: channels that rest are not checked. */
  checkMinutes?: number
  /** Absent: no banner. */
  banner?: string
  shareLinks: boolean
  /** Absent: `off`. */
  requireSecondFactor?: SecondFactorRule
  /** Absent: false. */
  secondFactorAfterProvider?: boolean
  quotas: Quotas
  bodies: BodySettings
  /** What the configuration file declares: models with their fallbacks, and settings of routing. Read-only here. */
  managedByFile: { fallbacks: string[]; routing: (keyof DeclaredRouting)[] }
  /** What holds where nobody has chosen anything. */
  defaults: { moderationModel: string; keepLogsMonths: null; shareLinks: false; quotas: Quotas; bodies: BodySettings }
  /** Settings that were chosen in the console: `moderationModel`, `fallbacks`, `keepLogsMonths`, `shareLinks`, `quotas.keys` and so on. */
  changed: string[]
}

/** A row of GET /api/environment: what this instance was told by its environment. */
export interface EnvironmentRow {
  name: string
  /** What it does, in English. */
  meaning: string
  /** What holds where it is not set, in words. */
  default: string
  set: boolean
  /** Null when it is not set, and for secrets. */
  value: string | null
}
