/** The text of an alert in the user's language, built from its facts like the server's English sentence. */
import { causeText } from '#client/console/rest-text.ts'
import type { AlertDeliveryRow } from '#shared/console/alert'
import { t } from './messages.ts'

/** The sentence; undefined if the alert, of an earlier version or an unknown kind, lacks a fact for it. */
export function sentenceOf({ kind, data: { facts, subject } }: Pick<AlertDeliveryRow, 'kind' | 'data'>): string | undefined {
  const { window, percent, balance, spent, cause, model, message, margin, usual, hours } = facts
  const name = subject?.name
  if (subject === null || name === undefined) return undefined
  switch (kind) {
    case 'budget': {
      const key = windowKeys.find((one) => one === window)
      if (key === undefined || percent === undefined || !isBudgeted(subject.kind)) return undefined
      const what = { window: t(`window_${key}`), of: t(`of_${subject.kind}`), name, percent }
      return percent === '100' ? t('say_budgetGone', what) : t('say_budget', what)
    }
    case 'balance':
      return balance && spent && t('say_balance', { name, balance, spent })
    case 'breaker':
      if (cause === undefined) return undefined
      return model === undefined
        ? t('say_breaker', { name, cause: causeText(cause) })
        : t('say_breakerOf', { name, model, cause: causeText(cause) })
    case 'channel_test':
      return message && t('say_channelTest', { name, message })
    case 'unpriced':
      return t('say_unpriced', { name })
    case 'margin':
      return margin && t('say_margin', { name, margin: margin.replace('-', '') })
    case 'key_spend': {
      if (spent === undefined || usual === undefined || !(Number(usual) > 0)) return undefined
      return t('say_keySpend', { name, spent: Number(spent).toFixed(2), times: Math.floor(Number(spent) / Number(usual)) })
    }
    case 'bodies':
      return cause && t('say_bodies', { cause })
    case 'backup':
      return hours === undefined ? t('say_noBackup') : t('say_backup', { hours })
    case 'journal':
      return percent && t('say_journal', { percent })
    default:
      return undefined
  }
}

const windowKeys = ['daily', 'weekly', 'monthly', 'total'] as const
const budgeted = ['key', 'user', 'group', 'team', 'member'] as const
const isBudgeted = (kind: string): kind is (typeof budgeted)[number] => budgeted.some((one) => one === kind)
