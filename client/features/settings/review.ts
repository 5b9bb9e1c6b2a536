/** The changes of a form, field by field, as text. */
import { causes } from '#client/console/fallback-lines.ts'
import { keepOptions } from '#client/console/keep-field.tsx'
import type { ReviewLine } from '#client/ui/console/review-dialog.tsx'
import { causeLabels } from './file-fallbacks.tsx'
import { t } from './messages.ts'
import { settings } from './setting-list.ts'
import { quotaNames, type SettingsDraft } from './settings-draft.ts'

const onOff = (on: boolean) => t(on ? 'on' : 'off')
const orNone = (text: string, none: 'noneSet' | 'forEver' | 'never' = 'noneSet') => (text === '' ? t(none) : text)

/** Every visible field, with its value as text. */
function fieldsOf({
  moderationModel,
  fallbacks,
  balancing,
  checkMinutes,
  keepLogsMonths,
  banner,
  shareLinks,
  requireSecondFactor,
  secondFactorAfterProvider,
  bodies,
  quotas,
}: SettingsDraft): [label: string, value: string][] {
  const body = (name: keyof SettingsDraft['bodies'], value: string): [string, string] => [t(settings.bodies[`bodies.${name}`][0]), value]
  const keep = keepOptions(bodies.keep).find(({ value }) => value === bodies.keep)?.label ?? bodies.keep
  return [
    [t('moderation'), moderationModel],
    ...causes.map((cause): [string, string] => [t(causeLabels[cause]), orNone(fallbacks[cause])]),
    [t('balancing'), t(`balancing_${balancing}`)],
    [t('checkMinutes'), orNone(checkMinutes, 'never')],
    [t('keepMonths'), orNone(keepLogsMonths, 'forEver')],
    body('keep', keep),
    body('days', bodies.days),
    body('mebibytes', bodies.mebibytes),
    body('readers', t(bodies.readers === 'owners' ? 'readersOwners' : 'readersAll')),
    body('redactFields', orNone(bodies.redactFields)),
    body('heedStore', onOff(bodies.heedStore)),
    body('redactNumbers', onOff(bodies.redactNumbers)),
    [t('banner'), orNone(banner)],
    [t('shareLinks'), onOff(shareLinks)],
    [t('requireSecondFactor'), t(`requireSecondFactor_${requireSecondFactor}`)],
    [t('secondFactorAfterProvider'), onOff(secondFactorAfterProvider)],
    ...quotaNames.map((name): [string, string] => [t(name), quotas[name]]),
  ]
}

/** The fields in which two forms differ. */
export function reviewOf(before: SettingsDraft, after: SettingsDraft): ReviewLine[] {
  const old = fieldsOf(before)
  return fieldsOf(after).flatMap(([label, value], at) => {
    const [, was = ''] = old[at] ?? []
    return was === value ? [] : [{ label, before: was, after: value }]
  })
}
