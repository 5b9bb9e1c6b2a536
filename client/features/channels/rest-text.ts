import type { HealthRow } from '#shared/console/channel'
import { t } from './messages.ts'

/** What rests: a model behind a key, a key, or everything. */
export function restedText({ key, model }: Pick<HealthRow, 'key' | 'model'>): string {
  if (model !== null) return key === null ? model : t('restModel', { model, key })
  return key === null ? t('restAll') : t('restKey', { key })
}
