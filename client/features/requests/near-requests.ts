/** The requests before and after one, in the order of the list. */
import type { LogRow } from '#shared/console/log'
import type { Page } from '#shared/console/model'

/** Rows of the log, newest first; `from` inclusive, `to` exclusive, in milliseconds; at most `limit`, or all. */
export type ReadRows = (asked: { from?: number; to: number; limit?: number }) => Promise<Page<LogRow>>
/** The position of a request in the log. */
export type Place = Pick<LogRow, 'requestId' | 'at'>

/** The time window of the first query for newer rows in milliseconds, and the growth of each further one. */
const [leastMs, growth] = [1_000, 8]
const perLook = 20

/** The next newer request. The log returns the newest first, so the time window grows, and shrinks if it contains too many. */
export async function newerThan(row: Place, read: ReadRows, now: number): Promise<string | undefined> {
  const at = Date.parse(row.at)
  let none = 0
  let many: number | undefined
  let ms = leastMs
  while (true) {
    const isWhole: boolean = many !== undefined && many - none <= 1
    const { data, next } = await read({ from: at, to: at + ms, ...(!isWhole && { limit: perLook }) })
    const found = next === null ? before(data, row) : []
    if (found.length > 0) return found.at(-1)?.requestId
    if (next !== null) many = ms
    else if (isWhole || at + ms > now) return undefined
    else none = ms
    ms = many === undefined ? none * growth : many - none <= 1 ? many : Math.floor((none + many) / 2)
  }
}

/** The next older request. */
export async function olderThan(row: Place, read: ReadRows): Promise<string | undefined> {
  const to = Date.parse(row.at) + 1
  const { data, next } = await read({ to, limit: perLook })
  const found = after(data, row)[0]
  if (found || next === null) return found?.requestId
  // More rows in this one millisecond than a query returns.
  const same = after((await read({ from: to - 1, to })).data, row)[0]
  return (same ?? (await read({ to: to - 1, limit: 1 })).data[0])?.requestId
}

const placeOf = (rows: readonly Place[], { requestId }: Place) => rows.findIndex((one) => one.requestId === requestId)

/** The rows before this one in the list; it may itself be filtered out. */
const before = (rows: readonly Place[], row: Place) => {
  const place = placeOf(rows, row)
  return place < 0 ? rows.filter(({ at }) => at > row.at) : rows.slice(0, place)
}

const after = (rows: readonly Place[], row: Place) => {
  const place = placeOf(rows, row)
  return place < 0 ? rows.filter(({ at }) => at < row.at) : rows.slice(place + 1)
}
