/** The filters of the list of requests, as they stand in the address and as the API takes them. */
import { queryOf } from '#client/console/load.ts'
import type { UrlState } from '#client/ui/console/url-state.ts'

/** Filters that are a name, a number or yes and no. */
export const filterNames = [
  'key',
  'user',
  'team',
  'group',
  'model',
  'upstreamModel',
  'channel',
  'status',
  'failed',
  'end',
  'error',
  'stream',
  'losses',
  'minCost',
  'minMs',
] as const
/** The name of a filter. */
export type FilterName = (typeof filterNames)[number]

/** Spans of time, in milliseconds. */
export const ranges = { '15m': 900_000, '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 } as const
/** A span of time; `all` is everything. */
export type Range = keyof typeof ranges | 'all'

/** The span of the address; a day when there is none. */
export function rangeOf(url: UrlState): Range {
  const given = url.get('range')
  return given === 'all' || given in ranges ? (given as Range) : '24h'
}

/** The path of the list; `now` in milliseconds, rounded to a minute so that the list is not read again all the time. */
export function listPath(url: UrlState, now: number): string {
  const range = rangeOf(url)
  const from = range === 'all' ? undefined : new Date(Math.floor(now / 60_000) * 60_000 - ranges[range]).toISOString()
  const filters = Object.fromEntries(filterNames.map((name) => [name, url.get(name)]))
  return `/api/logs?${queryOf({ limit: '50', from: url.get('from') || from, to: url.get('to'), ...filters })}`
}
