/** The settings as a form holds them, and what is sent. */
import { type FallbackLines, linesOf } from '#client/console/fallback-lines.ts'
import type { SettingsRow } from '#shared/console/settings'

/** Names of the quotas. */
export const quotaNames = ['keys', 'modelsPerKey', 'conversations', 'conversationBytes'] as const

/** The fields of the form. */
export interface SettingsDraft {
  moderationModel: string
  fallbacks: FallbackLines
  keepLogsMonths: string
  shareLinks: boolean
  quotas: Record<(typeof quotaNames)[number], string>
}

/** The form for these settings, without the fallbacks that parley.yaml declares. */
export function draftOf(row: SettingsRow): SettingsDraft {
  const own = Object.entries(row.fallbacks).filter(([model]) => !row.managedByFile.fallbacks.includes(model))
  return {
    moderationModel: row.moderationModel,
    fallbacks: linesOf(Object.fromEntries(own)),
    keepLogsMonths: row.keepLogsMonths === null ? '' : String(row.keepLogsMonths),
    shareLinks: row.shareLinks,
    quotas: {
      keys: String(row.quotas.keys),
      modelsPerKey: String(row.quotas.modelsPerKey),
      conversations: String(row.quotas.conversations),
      conversationBytes: String(row.quotas.conversationBytes),
    },
  }
}

/** The parts in which two forms differ. */
export const changesBetween = (before: SettingsDraft, after: SettingsDraft): (keyof SettingsDraft)[] =>
  (['moderationModel', 'fallbacks', 'keepLogsMonths', 'shareLinks', 'quotas'] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
