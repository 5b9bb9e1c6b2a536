/** Totals over all users. */
import type { Stat } from '#client/ui/console/stats.tsx'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import type { UserTotals } from '#shared/console/user'
import { t } from './messages.ts'

/** The figures above the list. */
export const figuresOf = ({ users, enabled, balance, held, low, lowBelow }: UserTotals): Stat[] => [
  { label: t('title'), value: formatCount(users), note: t('enabledCount', { count: enabled }) },
  { label: t('owed'), value: formatMoney(balance), note: t('owedNote') },
  { label: t('heldNow'), value: formatMoney(held), note: t('heldNote') },
  { label: t('low', { amount: `$${lowBelow}` }), value: formatCount(low) },
]
