/** What the users have together. */
import type { Stat } from '#client/ui/console/stats.tsx'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import type { AccountRow } from '#shared/console/user'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'

/** Below this balance, in USD, a user is about to be refused. */
const lowUsd = 5

/** The figures above the list. */
export function figuresOf(users: readonly AccountRow[]): Stat[] {
  const sum = (amount: (row: AccountRow) => string) => formatMoney(formatUsd(users.reduce((all, row) => all + parseUsd(amount(row)), 0n)))
  const enabled = users.filter((row) => row.enabled)
  return [
    { label: t('title'), value: formatCount(users.length), note: t('enabledCount', { count: enabled.length }) },
    { label: t('owed'), value: sum((row) => row.balance), note: t('owedNote') },
    { label: t('heldNow'), value: sum((row) => row.held), note: t('heldNote') },
    { label: t('low', { amount: `$${lowUsd}` }), value: formatCount(enabled.filter((row) => Number(row.balance) < lowUsd).length) },
  ]
}
