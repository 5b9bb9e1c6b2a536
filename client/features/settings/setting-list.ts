/** Every setting of the page by its API name, with its section and its texts. */
import type { SettingsRow } from '#shared/console/settings'
import type { en } from './en.ts'
import { t } from './messages.ts'

/** The sections of the form, in order, with their settings and the texts of these. */
export const settings = {
  models: { moderationModel: ['moderation', 'moderationHint'] },
  fallbacks: { fallbacks: ['fallbacksHint', 'afterError', 'afterContext', 'afterFilter'] },
  routing: { balancing: ['balancing', 'balancingHint'], checkMinutes: ['checkMinutes', 'checkMinutesHint'] },
  keeping: { keepLogsMonths: ['keepMonths', 'keepMonthsHint'] },
  bodies: {
    'bodies.keep': ['keepBodies', 'keepBodiesHint'],
    'bodies.days': ['bodyDays', 'bodyDaysHint'],
    'bodies.mebibytes': ['bodySize', 'bodySizeHint'],
    'bodies.readers': ['bodyReaders', 'bodyReadersHint'],
    'bodies.redactFields': ['redactFields', 'redactFieldsHint'],
    'bodies.heedStore': ['heedStore', 'heedStoreHint'],
    'bodies.redactNumbers': ['redactNumbers', 'redactNumbersHint'],
  },
  banner: { banner: ['banner', 'bannerHint'] },
  sharing: { shareLinks: ['shareLinks', 'shareLinksHint'] },
  signIn: {
    requireSecondFactor: ['requireSecondFactor', 'requireSecondFactorHint'],
    secondFactorAfterProvider: ['secondFactorAfterProvider', 'secondFactorAfterProviderHint'],
  },
  quotas: {
    'quotas.keys': ['keys'],
    'quotas.modelsPerKey': ['modelsPerKey'],
    'quotas.conversations': ['conversations'],
    'quotas.conversationBytes': ['conversationBytes'],
    'quotas.files': ['files'],
    'quotas.fileBytes': ['fileBytes'],
    'quotas.invitations': ['invitations'],
  },
} as const satisfies Record<string, Record<string, readonly (keyof typeof en)[]>>

/** A section of the form. */
export type Section = keyof typeof settings
/** The name of a setting: `bodies.keep`. */
export type SettingName = { [S in Section]: keyof (typeof settings)[S] }[Section]

/** The labels of the sections. */
export const sectionLabels = {
  models: 'general',
  fallbacks: 'fallbacks',
  routing: 'routing',
  keeping: 'keeping',
  bodies: 'bodies',
  banner: 'banner',
  sharing: 'sharing',
  signIn: 'signIn',
  quotas: 'quotas',
  environment: 'environment',
} as const satisfies Record<Section | 'environment', keyof typeof en>

/** The settings that match the search and, with `changedOnly`, differ from their default. */
export function matching(row: SettingsRow, search: string, changedOnly: boolean): Set<SettingName> {
  const found = new Set<SettingName>()
  for (const [section, own] of Object.entries(settings)) {
    for (const [name, texts] of Object.entries(own)) {
      const said = [sectionLabels[section as Section], ...texts].map((key) => t(key).toLowerCase())
      const matches = said.some((text) => text.includes(search.toLowerCase()))
      if (matches && (!changedOnly || row.changed.includes(name))) found.add(name as SettingName)
    }
  }
  return found
}

/** How many of a section's settings are among those. */
export const countIn = (section: Section, shown: ReadonlySet<string>): number =>
  Object.keys(settings[section]).filter((name) => shown.has(name)).length
