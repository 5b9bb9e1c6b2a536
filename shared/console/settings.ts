/** GET and PATCH /api/settings: settings of the whole installation. */
import { Exact, Int, MapOf, Name, OneOf, type Static, Type } from '../typebox.ts'
import { type BodySettings, BodySettingsPatch } from './body.ts'
import { type Quotas, QuotasPatch } from './quota.ts'

const models = Type.Optional(Type.Array(Name(256), { minItems: 1, maxItems: 20 }))

/** Models to try instead of another: after an error, when the context is too long, or when a content filter stopped it. */
export const Fallback = Exact({ error: models, context: models, filter: models })
export type Fallback = Static<typeof Fallback>

/**
 * Which of several channels of one rank is tried first: drawn by weight, round robin, by the fewest open requests, by the lowest time to
 * first content, or by the lowest declared costs.
 */
export const balancingModes = ['weight', 'round_robin', 'least_open', 'first_token', 'cheapest'] as const
export type BalancingMode = (typeof balancingModes)[number]

/** Minutes after which a resting channel is probed with a small request. */
const CheckMinutes = Int(1, 1440)

/** The section `routing` of parley.yaml: settings that it declares cannot be changed elsewhere. */
export const DeclaredRouting = Exact({ balancing: Type.Optional(OneOf(balancingModes)), checkMinutes: Type.Optional(CheckMinutes) })
export type DeclaredRouting = Static<typeof DeclaredRouting>

/** Who must use a second factor. */
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
  /** Minutes after which a resting channel is probed with a small request; null: never. */
  checkMinutes: Type.Optional(Type.Union([CheckMinutes, Type.Null()])),
  /** A line of plain text at the top of every page for signed-in users; null: none. */
  banner: Type.Optional(Type.Union([Name(500), Type.Null()])),
  /** Whether users may create links by which anyone can read a copy of a conversation. */
  shareLinks: Type.Optional(Type.Boolean()),
  /** Who must sign in with a second factor; those who have none yet must add one at sign-in. It is optional for the others. */
  requireSecondFactor: Type.Optional(OneOf(secondFactorRules)),
  /** Whether a second factor is also required after a sign-in by the identity provider, which may have asked for its own. */
  secondFactorAfterProvider: Type.Optional(Type.Boolean()),
  /** Quotas of each user; omitted ones stay as they are. */
  quotas: Type.Optional(QuotasPatch),
  /** Kept bodies; omitted fields stay as they are. */
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
  /** What the configuration file declares: models with fallbacks, and routing settings. Read-only here. */
  managedByFile: { fallbacks: string[]; routing: (keyof DeclaredRouting)[] }
  /** Defaults where nothing was chosen. */
  defaults: { moderationModel: string; keepLogsMonths: null; shareLinks: false; quotas: Quotas; bodies: BodySettings }
  /** Settings that were chosen in the console: `moderationModel`, `fallbacks`, `keepLogsMonths`, `shareLinks`, `quotas.keys` and so on. */
  changed: string[]
}

/** A row of GET /api/environment: a variable in this instance's environment. */
export interface EnvironmentRow {
  name: string
  /** What it sets, in English. */
  meaning: string
  /** The default, in words. */
  default: string
  set: boolean
  /** Null when it is not set, and for secrets. */
  value: string | null
}
