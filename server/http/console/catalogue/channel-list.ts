/** Filter and order of the list of channels, and their totals. Bad parameters throw `invalid_value`. */
import { contains, numberKey, type Order, readName, readOneOf, readOrder, readSearch } from '#http/console/route/list-order'
import type { ChannelRow, ChannelTotals } from '#shared/console/channel'
import { type ChannelState, channelState, channelStates } from '#shared/console/channel-state'
import { vendorIds } from '#shared/ids'

/** Query parameters of the list, besides paging. */
export const channelFilters = ['q', 'group', 'vendor', 'tag', 'model', 'status', 'sort'] as const

const orders = ['created', 'name', 'priority', 'status'] as const

/** Filter and order of a list of channels. */
export interface ChannelQuestion {
  /** Part of the name, address, a tag or a model. */
  q?: string | undefined
  group?: string | undefined
  vendor?: ChannelRow['vendor'] | undefined
  tag?: string | undefined
  model?: string | undefined
  status?: ChannelState | undefined
  order: Order<(typeof orders)[number]>
}

/** Parses the query. */
export const readChannelQuestion = (query: URLSearchParams): ChannelQuestion => ({
  q: readSearch(query),
  group: readName(query, 'group'),
  vendor: readOneOf(query, 'vendor', vendorIds),
  tag: readName(query, 'tag'),
  model: readName(query, 'model'),
  status: readOneOf(query, 'status', channelStates),
  order: readOrder(query, orders, 'created'),
})

/** Resting parts, by channel id. */
export type Rests = ReadonlyMap<string, readonly { model: string | null }[]>

const stateIn = (rests: Rests, row: ChannelRow) => channelState(row, rests.get(row.id) ?? [])
const modelsOf = ({ models }: ChannelRow) => models.map((model) => (typeof model === 'string' ? model : model.name))

/** Whether the list shows this channel. */
export function isWantedChannel({ q, group, vendor, tag, model, status }: ChannelQuestion, row: ChannelRow, rests: Rests): boolean {
  if (group !== undefined && !row.groups.includes(group)) return false
  if (vendor !== undefined && row.vendor !== vendor) return false
  if (tag !== undefined && !row.tags.includes(tag)) return false
  if (model !== undefined && !modelsOf(row).includes(model)) return false
  if (status !== undefined && stateIn(rests, row) !== status) return false
  return contains(q, row.name, row.baseUrl ?? '', ...row.tags, ...modelsOf(row))
}

const urgency: Record<ChannelState, number> = { open: 0, degraded: 1, healthy: 2, off: 3 }

/** The sort key of the list, unique for each channel. By `status` resting ones come first, then higher priority. */
export function channelOrder({ field }: ChannelQuestion['order'], rests: Rests): (row: ChannelRow) => string {
  if (field === 'name') return ({ name }) => name
  if (field === 'created') return ({ createdAt, id }) => `${createdAt} ${id}`
  if (field === 'priority') return ({ priority, name }) => `${numberKey(priority)} ${name}`
  return (row) => `${urgency[stateIn(rests, row)]} ${numberKey(-row.priority)} ${row.name}`
}

/** Totals over the channels. */
export function channelTotals(rows: readonly ChannelRow[], rests: Rests): ChannelTotals {
  const states = rows.map((row) => stateIn(rests, row))
  const count = (state: ChannelState) => states.filter((one) => one === state).length
  const each = <Value extends string>(of: (row: ChannelRow) => readonly Value[]) => [...new Set(rows.flatMap(of))].sort()
  return {
    channels: rows.length,
    ...{ healthy: count('healthy'), degraded: count('degraded'), open: count('open'), off: count('off') },
    vendors: each(({ vendor }) => [vendor]),
    tags: each(({ tags }) => tags),
  }
}
