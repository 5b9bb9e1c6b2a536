/** Texts for replays. */
import type { ReplayItemRow, ReplayRow, ReplayTarget } from '#shared/console/replay'
import { t } from './messages.ts'

/** The target of a replay, and its changes. */
export function targetText({ model, channel, sameChannel, set, remove }: ReplayTarget): string {
  const changes = Object.keys(set ?? {}).length + (remove?.length ?? 0)
  const parts = [
    model ?? t('asAsked'),
    channel !== undefined && t('onChannel', { channel }),
    sameChannel && t('sameChannel'),
    changes > 0 && t('changed', { count: changes }),
  ]
  return parts.filter(Boolean).join(', ')
}

/** Who pays for a job. */
export const payerOf = ({ team }: Pick<ReplayRow, 'team'>): string => (team ? (team.name ?? team.id) : t('you'))

/** Finished items of a job, and all of them. */
export function progressOf({ items }: Pick<ReplayRow, 'items'>): { over: number; all: number } {
  const all = Object.values(items).reduce((sum, count) => sum + count, 0)
  return { over: all - items.waiting - items.running, all }
}

/** How the texts of an item differ; undefined until known. */
export function differenceText({ difference }: Pick<ReplayItemRow, 'difference'>): string | undefined {
  if (!difference) return undefined
  if (difference.text === 'same') return t('same')
  return difference.alike === undefined ? t('different') : t('alike', { percent: difference.alike })
}

/** The difference of a figure from the original’s, as `−48%`; empty if none. */
export function shareText(now: number, before: number): string {
  if (before === 0 || now === before) return ''
  const percent = Math.round(((now - before) / before) * 100)
  return percent > 0 ? `+${percent}%` : `−${-percent}%`
}
