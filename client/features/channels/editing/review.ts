import { tc } from '#client/ui/console/messages.ts'
import type { ReviewLine } from '#client/ui/console/review-dialog.tsx'
import { t } from './messages.ts'
import type { Pair } from './pairs.ts'
import type { ChannelSettings, SettingName } from './settings-draft.ts'

/** A changed field with both values as text; for secrets only how many are new. */
export function reviewLine(name: SettingName, before: ChannelSettings, after: ChannelSettings): ReviewLine {
  const text = (form: ChannelSettings) =>
    name === 'keys' ? keysText(form.keys) : name === 'key' ? pemText(form.key) : valueText(form[name])
  return { label: t(name), before: text(before), after: text(after) }
}

const none = '–'
const keysText = (keys: string) => (keys.trim() === '' ? none : t('keysCount', { count: keys.trim().split('\n').length }))
const pemText = (key: string) => (key.trim() === '' ? none : t('secret'))

function valueText(value: ChannelSettings[SettingName]): string {
  if (typeof value === 'boolean') return value ? tc('on') : tc('off')
  if (typeof value === 'string') return value.trim() || none
  return value.map((one: string | Pair) => (typeof one === 'string' ? one : `${one.name}: ${one.value}`)).join('\n') || none
}
