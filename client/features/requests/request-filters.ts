/** The filters of the list of requests, in the URL and for the API. */
import type { UrlState } from '#client/ui/console/url-state.ts'

/** Filters that are a name, a number or a boolean. */
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
  'errorText',
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

/** The ends of a custom range, in the URL as RFC 3339. */
export const spanNames = ['from', 'to'] as const
/** An end of a span. */
export type SpanName = (typeof spanNames)[number]

/** Whether this is a Parley request id, and not other text. */
export const isRequestId = (text: string): boolean => /^req_\w{8,}$/.test(text)

/** The range in the URL, a day by default; undefined for a custom range. */
export function rangeOf(url: UrlState): Range | undefined {
  if (spanNames.some((name) => url.get(name) !== '')) return undefined
  const given = url.get('range')
  return given === 'all' || given in ranges ? (given as Range) : '24h'
}

/** The path of the list; `now` in milliseconds, rounded to a minute so that the list is not reloaded all the time. */
export function listPath(url: UrlState, now: number): string {
  const range = rangeOf(url)
  const begin = (ms: number) => new Date(Math.floor(now / 60_000) * 60_000 - ms).toISOString()
  const from = range === undefined ? url.get('from') : range === 'all' ? undefined : begin(ranges[range])
  const filters = Object.fromEntries(filterNames.map((name) => [name, url.get(name)]))
  const asked = Object.entries({ limit: '50', from: from ?? '', to: url.get('to'), ...filters }).filter(([, value]) => value !== '')
  return `/api/logs?${new URLSearchParams(asked)}`
}
