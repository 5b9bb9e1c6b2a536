/** The settings as a form holds them, and what is sent. */
import type { SettingsPatch, SettingsRow } from '#shared/console/settings'

/** Why a fallback is tried. */
export const causes = ['error', 'context', 'filter'] as const
/** A cause. */
export type Cause = (typeof causes)[number]
/** Names of the quotas. */
export const quotaNames = ['keys', 'modelsPerKey', 'conversations', 'conversationBytes'] as const

/** The fields of the form. */
export interface SettingsDraft {
  moderationModel: string
  fallbacks: Record<Cause, string>
  keepLogsMonths: string
  quotas: Record<(typeof quotaNames)[number], string>
}

/** The form for these settings, without the fallbacks that parley.yaml declares. */
export function draftOf(row: SettingsRow): SettingsDraft {
  const lines = (cause: Cause) =>
    Object.entries(row.fallbacks)
      .filter(([model]) => !row.managedByFile.fallbacks.includes(model))
      .flatMap(([model, lists]) => (lists[cause] ? [`${model}: ${lists[cause].join(', ')}`] : []))
      .join('\n')
  return {
    moderationModel: row.moderationModel,
    fallbacks: { error: lines('error'), context: lines('context'), filter: lines('filter') },
    keepLogsMonths: row.keepLogsMonths === null ? '' : String(row.keepLogsMonths),
    quotas: {
      keys: String(row.quotas.keys),
      modelsPerKey: String(row.quotas.modelsPerKey),
      conversations: String(row.quotas.conversations),
      conversationBytes: String(row.quotas.conversationBytes),
    },
  }
}

/** The lists of the lines; undefined where a line is not `model: first, second`. */
export function fallbacksOf(lines: Record<Cause, string>): NonNullable<SettingsPatch['fallbacks']> | undefined {
  const found: Record<string, Partial<Record<Cause, string[]>>> = {}
  for (const cause of causes) {
    for (const line of lines[cause]
      .split('\n')
      .map((text) => text.trim())
      .filter(Boolean)) {
      // The name of a model may have a colon: the last one before the list counts.
      const [, model, list] = /^(.+):\s+(.+)$/.exec(line) ?? []
      const models =
        list
          ?.split(',')
          .map((name) => name.trim())
          .filter(Boolean) ?? []
      if (model === undefined || models.length === 0) return undefined
      found[model.trim()] = { ...found[model.trim()], [cause]: models }
    }
  }
  return found
}

/** The parts in which two forms differ. */
export const changesBetween = (before: SettingsDraft, after: SettingsDraft): (keyof SettingsDraft)[] =>
  (['moderationModel', 'fallbacks', 'keepLogsMonths', 'quotas'] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
