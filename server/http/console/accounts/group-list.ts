/** Filter, order and contents of the administrators' list of groups. Bad parameters throw `invalid_value`. */
import type { Group } from '#accounts/caller'
import type { Directory } from '#accounts/directory'
import { contains, numberKey, type Order, readOneOf, readOrder, readSearch } from '#http/console/route/list-order'
import type { GroupContents } from '#shared/console/group'
import { parseUsd } from '#shared/money'
import { groupOfKey } from './key-list.ts'

/** Query parameters of the list of administrators, besides paging. */
export const groupFilters = ['q', 'status', 'sort'] as const

const orders = ['name', 'ratio', 'users', 'keys', 'channels', 'models'] as const

/** Filter and order of a list of groups. */
export interface GroupQuestion {
  /** Part of the name or the description. */
  q?: string | undefined
  status?: 'on' | 'off' | undefined
  order: Order<(typeof orders)[number]>
}

/** Parses the query. */
export const readGroupQuestion = (query: URLSearchParams): GroupQuestion => ({
  q: readSearch(query),
  status: readOneOf(query, 'status', ['on', 'off']),
  order: readOrder(query, orders, 'name'),
})

/** Whether the list shows this group. */
export const isWantedGroup = ({ q, status }: GroupQuestion, { name, description, enabled }: Group): boolean =>
  contains(q, name, description) && (status === undefined || enabled === (status === 'on'))

/** The part of channels used here: which groups they serve with which models. */
export interface Serving {
  all(): Iterable<{ groups: Iterable<string>; enabled: boolean; models: ReadonlyMap<string, unknown> }>
}

/** The contents of each group, in one pass over users, keys, teams and channels. */
export function contentsOf(directory: Directory, channels: Serving): (group: string) => GroupContents {
  const found = new Map<string, GroupContents & { names: Set<string> }>()
  const of = (group: string) => {
    const known = found.get(group) ?? { users: 0, keys: 0, teams: 0, channels: 0, models: 0, names: new Set<string>() }
    found.set(group, known)
    return known
  }
  for (const { groups } of directory.users.all()) for (const group of groups) of(group).users++
  for (const { team } of directory.teams.all()) for (const group of team.groups) of(group).teams++
  for (const { key } of directory.keys.all()) {
    const group = groupOfKey(directory, key)
    if (group !== null) of(group).keys++
  }
  for (const { groups, enabled, models } of channels.all()) {
    for (const group of groups) {
      const { names } = of(group)
      of(group).channels++
      if (enabled) for (const model of models.keys()) names.add(model)
    }
  }
  return (group) => {
    const { names, ...counts } = of(group)
    return { ...counts, models: names.size }
  }
}

/** The sort key of the list, unique for each group. */
export function groupOrder(
  { field }: GroupQuestion['order'],
  contents: (group: string) => GroupContents,
): (row: { name: string; ratio: string }) => string {
  if (field === 'name') return ({ name }) => name
  return ({ name, ratio }) => `${numberKey(field === 'ratio' ? parseUsd(ratio) : contents(name)[field])} ${name}`
}
