/** What needs attention as sentences, each with the click that settles it. */
import { causeText, retryText } from '#client/console/rest-text.ts'
import type { Shape } from '#client/ui/console/status.tsx'
import { formatMoney, formatPercent } from '#client/ui/format.ts'
import type { BudgetState, Concern } from '#shared/console/overview'
import { formatUsd, parseUsd } from '#shared/money'
import { t } from './messages.ts'

/** A line of the list. */
export interface Line {
  id: string
  shape: Shape
  title: string
  why: string
  action: string
  href: string
}

const dayMs = 86_400_000
/** What is spent of a budget, in USD. */
export const spentOf = ({ limit, left }: Pick<BudgetState, 'limit' | 'left'>): string => formatUsd(parseUsd(limit) - parseUsd(left))
const seg = encodeURIComponent

/** The line of a concern. */
export function lineOf(concern: Concern): Line {
  switch (concern.kind) {
    case 'rest': {
      const what = [concern.key, concern.model].filter(Boolean).join(', ')
      return {
        id: `rest ${concern.channel.id} ${what}`,
        shape: 'bad',
        title: t('rests', { channel: concern.channel.name, what }),
        why: t('restsWhy', { cause: causeText(concern.cause), again: retryText(concern.retryInMs) }),
        action: t('toChannel'),
        href: `/admin/channels/${seg(concern.channel.id)}`,
      }
    }
    case 'unpriced':
      return {
        id: `price ${concern.model}`,
        shape: 'warn',
        title: t('unpriced', { model: concern.model }),
        why: t('unpricedWhy'),
        action: t('setPrice'),
        href: `/admin/prices?open=${seg(concern.model)}`,
      }
    case 'budget':
      return {
        id: `budget ${concern.of} ${concern.id}`,
        shape: concern.share >= 1 ? 'bad' : 'warn',
        title: t('budget', { kind: t(`kind_${concern.of}`), name: concern.name, share: formatPercent(concern.share, 0) }),
        why: t('budgetWhy', { spent: formatMoney(spentOf(concern)), limit: formatMoney(concern.limit) }),
        action: t('raise'),
        href: pathOf(concern.of, concern.id),
      }
    case 'loses':
      return {
        id: `loses ${concern.model}`,
        shape: 'warn',
        title: t('loses', { model: concern.model }),
        why: t('losesWhy', { margin: formatMoney(concern.margin) }),
        action: t('setPrice'),
        href: `/admin/prices?open=${seg(concern.model)}`,
      }
    case 'low':
      return {
        id: 'low',
        shape: 'warn',
        title: t('low'),
        why: t('lowWhy', { balance: formatMoney(concern.balance), spend: formatMoney(concern.spend) }),
        action: t('seeUsage'),
        href: '/usage',
      }
    case 'expires': {
      const days = Math.ceil((Date.parse(concern.at) - Date.now()) / dayMs)
      return {
        id: `expires ${concern.id}`,
        shape: 'off',
        title: t('expires', { name: concern.name, when: t('inDays', { count: days }) }),
        why: t('expiresWhy'),
        action: t('extend'),
        href: `/keys/${seg(concern.id)}`,
      }
    }
  }
}

/** The page of what has a budget. */
export const pathOf = (of: 'key' | 'user' | 'group' | 'team' | 'member', id: string): string =>
  ({
    key: `/keys/${seg(id)}`,
    user: `/admin/users/${seg(id)}`,
    group: `/admin/groups?open=${seg(id)}`,
    team: `/admin/teams?open=${seg(id)}`,
    member: `/admin/teams?open=${seg(id.split('.')[0] ?? '')}`,
  })[of]
