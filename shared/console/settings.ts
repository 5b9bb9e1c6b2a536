/** GET and PATCH /api/settings: what holds for the whole installation. */
import { Exact, Int, MapOf, Name, type Static, Type } from '../typebox.ts'

const models = Type.Optional(Type.Array(Name(256), { minItems: 1, maxItems: 20 }))

/** Models to try in the place of one: after an error, a context too long, a content filter. */
export const Fallback = Exact({ error: models, context: models, filter: models })
export type Fallback = Static<typeof Fallback>

export const SettingsPatch = Exact({
  /** Who judges where a request for moderation names nobody. */
  moderationModel: Type.Optional(Name(256)),
  /** All of them, by model; those that the file declares may be left out, but not changed. */
  fallbacks: Type.Optional(MapOf(256, Fallback)),
  /** Usage rows of months before that are dropped; what they add up to and the ledger stay. Null: they are kept for ever. */
  keepLogsMonths: Type.Optional(Type.Union([Int(1, 1200), Type.Null()])),
})
export type SettingsPatch = Static<typeof SettingsPatch>

export interface SettingsRow {
  moderationModel: string
  fallbacks: Record<string, Fallback>
  keepLogsMonths: number | null
  /** Models whose fallbacks the configuration file declares: read-only here. */
  managedByFile: { fallbacks: string[] }
}
