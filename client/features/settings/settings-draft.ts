/** The form of the settings, and what is sent for it. */
import { type FallbackLines, linesOf } from '#client/console/fallback-lines.ts'
import { keepChoice, keepOf } from '#client/console/keep-choice.ts'
import type { BodySettings } from '#shared/console/body'
import type { BalancingMode, Fallback, SecondFactorRule, SettingsPatch, SettingsRow } from '#shared/console/settings'

/** Names of the quotas. */
export const quotaNames = ['keys', 'modelsPerKey', 'conversations', 'conversationBytes', 'files', 'fileBytes', 'invitations'] as const

/** The fields of the form. */
export interface SettingsDraft {
  moderationModel: string
  fallbacks: FallbackLines
  balancing: BalancingMode
  /** Empty: resting channels are not checked. */
  checkMinutes: string
  keepLogsMonths: string
  banner: string
  shareLinks: boolean
  requireSecondFactor: SecondFactorRule
  secondFactorAfterProvider: boolean
  bodies: {
    keep: string
    days: string
    mebibytes: string
    readers: BodySettings['readers']
    /** One path per line. */
    redactFields: string
    heedStore: boolean
    redactNumbers: boolean
  }
  quotas: Record<(typeof quotaNames)[number], string>
}

/** The parts that are saved together. */
export const parts = [
  'moderationModel',
  'fallbacks',
  'balancing',
  'checkMinutes',
  'keepLogsMonths',
  'bodies',
  'banner',
  'shareLinks',
  'requireSecondFactor',
  'secondFactorAfterProvider',
  'quotas',
] as const
/** A part. */
export type Part = (typeof parts)[number]

/** The form for these settings, without the fallbacks that parley.yaml declares. */
export function draftOf(row: SettingsRow): SettingsDraft {
  const own = Object.entries(row.fallbacks).filter(([model]) => !row.managedByFile.fallbacks.includes(model))
  const { keep, days, mebibytes, readers, heedStore, redactFields, redactNumbers } = row.bodies
  return {
    moderationModel: row.moderationModel,
    fallbacks: linesOf(Object.fromEntries(own)),
    balancing: row.balancing ?? 'weight',
    checkMinutes: row.checkMinutes === undefined ? '' : String(row.checkMinutes),
    keepLogsMonths: row.keepLogsMonths === null ? '' : String(row.keepLogsMonths),
    banner: row.banner ?? '',
    shareLinks: row.shareLinks,
    requireSecondFactor: row.requireSecondFactor ?? 'off',
    secondFactorAfterProvider: row.secondFactorAfterProvider ?? false,
    bodies: {
      ...{ keep: keepChoice(keep), days: String(days), mebibytes: String(mebibytes) },
      ...{ readers, heedStore, redactFields: redactFields.join('\n'), redactNumbers },
    },
    quotas: {
      keys: String(row.quotas.keys),
      modelsPerKey: String(row.quotas.modelsPerKey),
      conversations: String(row.quotas.conversations),
      conversationBytes: String(row.quotas.conversationBytes),
      files: String(row.quotas.files),
      fileBytes: String(row.quotas.fileBytes),
      invitations: String(row.quotas.invitations),
    },
  }
}

/** The form with the default of every setting but those that parley.yaml declares. */
export function defaultsOf(row: SettingsRow): SettingsDraft {
  const { defaults, managedByFile, fallbacks, balancing, checkMinutes } = row
  const declared = (name: (typeof managedByFile.routing)[number]) => managedByFile.routing.includes(name)
  return draftOf({
    ...{ ...defaults, managedByFile, defaults, changed: [] },
    fallbacks: Object.fromEntries(managedByFile.fallbacks.flatMap((model) => (fallbacks[model] ? [[model, fallbacks[model]]] : []))),
    ...(declared('balancing') && balancing && { balancing }),
    ...(declared('checkMinutes') && checkMinutes !== undefined && { checkMinutes }),
  })
}

/** The parts in which two forms differ. */
export const changesBetween = (before: SettingsDraft, after: SettingsDraft): Part[] =>
  parts.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** The patch for these parts of the form; `fallbacks` are its parsed lines. */
export function patchOf(draft: SettingsDraft, changed: readonly Part[], fallbacks: Record<string, Fallback>): SettingsPatch {
  const { keep, days, mebibytes, readers, heedStore, redactFields, redactNumbers } = draft.bodies
  const whole: Required<SettingsPatch> = {
    moderationModel: draft.moderationModel.trim(),
    fallbacks,
    balancing: draft.balancing,
    checkMinutes: numberOrNull(draft.checkMinutes),
    keepLogsMonths: numberOrNull(draft.keepLogsMonths),
    banner: draft.banner.trim() || null,
    shareLinks: draft.shareLinks,
    requireSecondFactor: draft.requireSecondFactor,
    secondFactorAfterProvider: draft.secondFactorAfterProvider,
    bodies: {
      ...{ keep: keepOf(keep), days: Number(days), mebibytes: Number(mebibytes), readers, heedStore, redactNumbers },
      redactFields: redactFields
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    },
    quotas: Object.fromEntries(quotaNames.map((name) => [name, Number(draft.quotas[name])])),
  }
  return Object.fromEntries(changed.map((name) => [name, whole[name]]))
}
