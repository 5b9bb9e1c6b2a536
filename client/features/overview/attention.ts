/** What needs attention, as sentences with the action that resolves each. */
import { causeText, restedText, retryText } from '#client/console/rest-text.ts'
import type { Shape } from '#client/ui/console/status.tsx'
import { formatAgo } from '#client/ui/console/time.ts'
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

type Rest = Extract<Concern, { kind: 'rest' }>

/** The worst first. */
const shapes: readonly Shape[] = ['bad', 'warn', 'off']

/** A line for each concern, the worst first; everything that rests in one channel is one line. */
export function linesOf(concerns: readonly Concern[]): Line[] {
  const resting = Map.groupBy(
    concerns.filter((concern) => concern.kind === 'rest'),
    ({ channel }) => channel.id,
  )
  const lines = [
    ...[...resting.values()].map(restLine),
    ...concerns.flatMap((concern) => (concern.kind === 'rest' ? [] : [lineOf(concern)])),
  ]
  return lines.toSorted((a, b) => shapes.indexOf(a.shape) - shapes.indexOf(b.shape))
}

/** Counts what rests; if all of it is being retried, what is retried. */
function restLine(rests: readonly Rest[]): Line {
  const open = rests.filter(({ state }) => state === 'open')
  const isRetrying = open.length === 0
  const counted = isRetrying ? rests : open
  const { id, name } = (rests[0] as Rest).channel
  const again = Math.min(...counted.map(({ retryInMs }) => retryInMs))
  const causes = [...new Set(counted.map(({ cause }) => causeText(cause)))]
  return {
    id: `rest ${id}`,
    shape: isRetrying ? 'warn' : 'bad',
    title: t(isRetrying ? 'tried' : 'rests', { channel: name, ...restedOf(counted) }),
    why: t('restsWhy', { cause: causes.join(', '), again: retryText(again) }),
    action: t('toChannel'),
    href: `/admin/channels/${seg(id)}`,
  }
}

/** What rests in a channel: its name if it is one thing, else how many. `count` selects the form of the verb. */
function restedOf(rests: readonly Rest[]): { what: string; count: number } {
  const [only] = rests
  if (only && rests.length === 1) {
    const isAll = only.key === null && only.model === null
    return { what: only.model === null && only.key !== null ? only.key : restedText(only), count: isAll ? 2 : 1 }
  }
  const models = new Set(rests.flatMap(({ model }) => (model === null ? [] : [model]))).size
  const keys = new Set(rests.flatMap(({ key, model }) => (model === null ? [key] : []))).size
  const parts = [keys > 0 && t('keysCount', { count: keys }), models > 0 && t('modelsCount', { count: models })].filter(Boolean)
  return { what: parts.join(t('and')), count: keys + models }
}

const dayMs = 86_400_000
/** The spent part of a budget, in USD. */
export const spentOf = ({ limit, left }: Pick<BudgetState, 'limit' | 'left'>): string => formatUsd(parseUsd(limit) - parseUsd(left))
const seg = encodeURIComponent

/** The line of a single concern. */
function lineOf(concern: Concern): Line {
  switch (concern.kind) {
    case 'rest':
      return restLine([concern])
    case 'fails':
      return {
        id: `fails ${concern.channel.id} ${concern.model}`,
        shape: 'bad',
        title: t('fails', { channel: concern.channel.name, model: concern.model }),
        why: t('failsWhy', { cause: causeText(concern.cause), ago: formatAgo(concern.at) }),
        action: t('testAgain'),
        href: `/admin/channels/${seg(concern.channel.id)}?tab=models`,
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
