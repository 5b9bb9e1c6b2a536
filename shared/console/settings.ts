/** GET and PATCH /api/settings: settings of the whole installation. */
import { Exact, Int, MapOf, Name, type Static, Type } from '../typebox.ts'
import { type BodySettings, BodySettingsPatch } from './body.ts'
import { type Quotas, QuotasPatch } from './quota.ts'

const models = Type.Optional(Type.Array(Name(256), { minItems: 1, maxItems: 20 }))

/** Models to try instead of another: after an error, when the context is too long, or when a content filter stopped it. */
export const Fallback = Exact({ error: models, context: models, filter: models })
export type Fallback = Static<typeof Fallback>

/** Changes to the settings. */
export const SettingsPatch = Exact({
  /** The model for moderation requests that name none. */
  moderationModel: Type.Optional(Name(256)),
  /** All fallbacks, by model. Those declared in parley.yaml may be left out, but not changed. */
  fallbacks: Type.Optional(MapOf(256, Fallback)),
  /** Months for which usage rows are kept; their sums and the ledger stay. Null keeps them for ever. */
  keepLogsMonths: Type.Optional(Type.Union([Int(1, 1200), Type.Null()])),
  /** Whether users may make links by which anybody reads a copy of a conversation. */
  shareLinks: Type.Optional(Type.Boolean()),
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
  shareLinks: boolean
  quotas: Quotas
  bodies: BodySettings
  /** Models whose fallbacks the configuration file declares: read-only here. */
  managedByFile: { fallbacks: string[] }
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
