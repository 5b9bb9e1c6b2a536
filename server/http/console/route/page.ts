/** Paging of the console's lists: `?limit=1..200&after=NEXT` returns `{data, next}`, of at most about a megabyte. */
import type { Page } from '#shared/console/model'
import { GatewayError } from '#shared/errors'

/** The paging of one request. */
export interface Paging {
  limit: number
  after?: string
}

/** Query parameters of every list. */
export const paging = ['limit', 'after'] as const

const defaultLimit = 50

/** Paging parameters of a query. Throws `invalid_value` unless there is at most one limit in [1, 200] and one cursor. */
export function readPaging(query: URLSearchParams): Paging {
  const limits = query.getAll('limit')
  const afters = query.getAll('after')
  const limit = Number(limits[0] ?? defaultLimit)
  const sane = limits.length <= 1 && (limits[0] === undefined || /^[1-9]\d{0,2}$/.test(limits[0])) && limit <= 200
  if (!sane) throw new GatewayError('invalid_value', 'limit: expected a whole number from 1 to 200.', { param: 'limit' })
  const after = afters[0]
  if (after === undefined) return { limit }
  if (afters.length > 1 || !/^[\w+/=.:~-]{1,2048}$/.test(after)) throw badCursor()
  return { limit, after }
}

const badCursor = () => new GatewayError('invalid_value', 'after: expected the value of `next` from the previous page.', { param: 'after' })

/**
 * One page of rows in memory, ascending (or `down`) by `order`, which is unique. Paging stays correct while rows are added and
 * removed. A cursor is valid only for the list of the same name.
 */
export function pageOf<Row>(
  list: string,
  rows: Iterable<Row>,
  order: (row: Row) => string,
  { limit, after }: Paging,
  down = false,
): Page<Row> {
  const floor = after === undefined ? undefined : decodeCursor(list, after)
  const sorted = [...rows]
    .map((row) => ({ row, key: order(row) }))
    .filter(({ key }) => floor === undefined || (down ? key < floor : key > floor))
    .sort((a, b) => (a.key < b.key === down ? 1 : -1))
  const page = fitting(sorted.slice(0, limit), ({ row }) => row)
  const last = page.at(-1)
  const more = last !== undefined && sorted.length > page.length
  return { data: page.map(({ row }) => row), next: more ? encodeCursor(list, last.key) : null }
}

/** A page from the database, cut where it would be too large; `cursor` is where a page ends with this row. */
export function cutPage<Row>(page: Page<Row>, cursor: (row: Row) => string): Page<Row> {
  const data = fitting(page.data, (row) => row)
  const last = data.at(-1)
  return last === undefined || data.length === page.data.length ? page : { data, next: cursor(last) }
}

/** A page has fewer rows than requested when they would exceed this size as JSON, but at least one. */
const mostBytes = 1024 * 1024

function fitting<One>(rows: readonly One[], rowOf: (one: One) => unknown): One[] {
  let bytes = 0
  const end = rows.findIndex((one, index) => {
    bytes += roughBytes(rowOf(one))
    return bytes > mostBytes && index > 0
  })
  return end < 0 ? [...rows] : rows.slice(0, end)
}

/** Approximate length of the value as JSON. */
function roughBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2
  if (typeof value !== 'object' || value === null || value instanceof Date) return 8
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].reduce((sum: number, part) => sum + roughBytes(part) + 1, 2)
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + 4 + roughBytes(part), 2)
}

/** The same page with its rows converted. */
export async function mapPage<Row, Out>(page: Page<Row>, turn: (rows: Row[]) => Promise<Out[]> | Out[]): Promise<Page<Out>> {
  return { data: await turn(page.data), next: page.next }
}

/** Where a page of this list ended, as URL-safe text. */
export const encodeCursor = (list: string, key: string): string => Buffer.from(`${list} ${key}`, 'utf8').toString('base64url')

/** The position in a cursor. Throws `invalid_value` for text that `encodeCursor` did not produce for this list. */
export function decodeCursor(list: string, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const key = text.slice(list.length + 1)
  if (encodeCursor(list, key) !== cursor) throw badCursor()
  return key
}

/** A position in a time-ordered list. */
const cursorOf = (list: string, [at, id]: readonly [at: Date | string, id: string]) =>
  encodeCursor(list, `${new Date(at).toISOString()} ${id}`)

/** Where a page of a time-ordered list ended. Throws `invalid_value` for text that is not a cursor of this list. */
export function placeIn(list: string, after: string | undefined): { at: Date; id: string } | undefined {
  if (after === undefined) return undefined
  const key = decodeCursor(list, after)
  const space = key.indexOf(' ')
  return { at: new Date(key.slice(0, space)), id: key.slice(space + 1) }
}

/** A page of a time-ordered list that ends at `more`, or sooner where the rows are large. */
export function pageUntil<Row>(
  list: string,
  data: Row[],
  more: readonly [Date | string, string] | null,
  place: (row: Row) => readonly [string, string],
): Page<Row> {
  return cutPage({ data, next: more && cursorOf(list, more) }, (row) => cursorOf(list, place(row)))
}
