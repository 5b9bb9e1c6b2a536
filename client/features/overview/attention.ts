/** What needs attention, each with the click that settles it; the most urgent first. */
import { callApi } from '#client/api/http.ts'
import { tightest } from '#client/console/limits.ts'
import { readAll } from '#client/console/load.ts'
import type { Shape } from '#client/ui/console/status.tsx'
import { formatMoney } from '#client/ui/format.ts'
import type { ChannelHealthRow, ChannelRow } from '#shared/console/channel'
import type { ManagedGroupRow } from '#shared/console/group'
import type { KeyRow } from '#shared/console/key'
import type { Page } from '#shared/console/model'
import type { PriceRow } from '#shared/console/price'
import type { AccountRow } from '#shared/console/user'
import { t } from './messages.ts'

/** A thing that needs attention. */
export interface Concern {
  id: string
  shape: Shape
  title: string
  why: string
  action: string
  href: string
}

/** Everything that concerns are found in. */
export interface Situation {
  concerns: Concern[]
  /** The checklist of the first run; undefined for those who do not run the house. */
  steps: { channel: boolean; price: boolean } | undefined
  keys: number
}

const dayMs = 86_400_000

/** Reads the situation. Throws ApiError. */
export async function readSituation(admin: boolean, signal: AbortSignal): Promise<Situation> {
  const keys = await readAll<KeyRow>(admin ? '/api/keys?all=true' : '/api/keys', signal)
  const own = [...keys.flatMap(expiring), ...keys.flatMap((row) => budgetOf('key', row.name, `/keys/${encodeURIComponent(row.id)}`, row))]
  if (!admin) return { concerns: own, steps: undefined, keys: keys.length }
  const [channels, health, prices, users, groups] = await Promise.all([
    readAll<ChannelRow>('/api/channels', signal),
    callApi<Page<ChannelHealthRow>>('GET', '/api/health', undefined, signal),
    readAll<PriceRow>('/api/prices', signal, 20_000),
    readAll<AccountRow>('/api/users', signal, 10_000),
    readAll<ManagedGroupRow>('/api/groups?all=true', signal),
  ])
  const real = channels.filter((channel) => channel.vendor !== 'demo')
  const unpriced = unpricedModels(real, prices)
  return {
    concerns: [
      ...health.data.map((row) => resting(row, channels)),
      ...unpriced.map(
        (model): Concern => ({
          id: `price ${model}`,
          shape: 'warn',
          title: t('unpriced', { model }),
          why: t('unpricedWhy'),
          action: t('setPrice'),
          href: `/admin/prices?open=${encodeURIComponent(model)}`,
        }),
      ),
      ...groups.flatMap((row) => budgetOf('group', row.name, `/admin/groups?open=${encodeURIComponent(row.name)}`, row)),
      ...users.flatMap((row) => budgetOf('user', row.name, `/admin/users/${encodeURIComponent(row.id)}`, row)),
      ...own,
    ],
    steps: { channel: real.length > 0, price: real.length > 0 && unpriced.length < real.flatMap((channel) => channel.models).length },
    keys: keys.length,
  }
}

function unpricedModels(channels: readonly ChannelRow[], prices: readonly PriceRow[]): string[] {
  const known = new Set(prices.map((price) => price.model))
  const offered = channels.filter((channel) => channel.enabled).flatMap((channel) => channel.models)
  return [...new Set(offered.map((model) => (typeof model === 'string' ? model : model.name)))].filter((model) => !known.has(model))
}

function resting(row: ChannelHealthRow, channels: readonly ChannelRow[]): Concern {
  const channel = channels.find((one) => one.id === row.channelId)?.name ?? row.channelId
  const what = [row.key, row.model].filter(Boolean).join(', ')
  return {
    id: `rest ${row.channelId} ${what}`,
    shape: 'bad',
    title: t('rests', { channel, what }),
    why: t('restsWhy', { cause: row.cause, time: `${Math.ceil(row.retryInMs / 1000)} s` }),
    action: t('toChannel'),
    href: `/admin/channels/${encodeURIComponent(row.channelId)}`,
  }
}

function budgetOf(kind: 'key' | 'user' | 'group', name: string, href: string, row: Parameters<typeof tightest>[0]): Concern[] {
  const near = tightest(row)
  if (near === undefined || near.share < 0.8) return []
  const why = t('budgetWhy', { left: formatMoney(near.left), limit: formatMoney(near.limit) })
  const title = t('budget', { kind: t(`kind_${kind}`), name, share: Math.round(near.share * 100) })
  return [{ id: `budget ${kind} ${name}`, shape: near.share >= 1 ? 'bad' : 'warn', title, why, action: t('raise'), href }]
}

function expiring(row: KeyRow): Concern[] {
  const days = row.expiresAt === null ? Number.POSITIVE_INFINITY : (Date.parse(row.expiresAt) - Date.now()) / dayMs
  if (!row.enabled || days > 7 || days < 0) return []
  const title = t('expires', { name: row.name, when: t('inDays', { count: Math.ceil(days) }) })
  return [
    {
      id: `expires ${row.id}`,
      shape: 'off',
      title,
      why: t('expiresWhy'),
      action: t('extend'),
      href: `/keys/${encodeURIComponent(row.id)}`,
    },
  ]
}
