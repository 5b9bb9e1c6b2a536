/** Lists of the console: `?limit=1..200&after=NEXT` answered as `{data, next}`. */
import type { Page } from '#shared/console/model'
import { GatewayError } from '#shared/errors'

export interface Paging {
  limit: number
  after?: string
}

/** The parameters of every list. */
export const paging = ['limit', 'after'] as const

const defaultLimit = 50

/** The paging that a query asks for. Throws `invalid_value` on anything but one whole number in [1, 200] and one cursor. */
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

const badCursor = () => new GatewayError('invalid_value', 'after: expected the value of next from the page before.', { param: 'after' })

/**
 * One page of rows from memory, ascending by `order`, which is unique; stays right while rows come and go. Its cursors are those of
 * the list of this name.
 */
export function pageOf<Row>(list: string, rows: Iterable<Row>, order: (row: Row) => string, { limit, after }: Paging): Page<Row> {
  const floor = after === undefined ? undefined : decodeCursor(list, after)
  const sorted = [...rows]
    .map((row) => ({ row, key: order(row) }))
    .filter(({ key }) => floor === undefined || key > floor)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const page = sorted.slice(0, limit)
  const last = page.at(-1)
  const more = last !== undefined && sorted.length > limit
  return { data: page.map(({ row }) => row), next: more ? encodeCursor(list, last.key) : null }
}

/** The same page with every row turned into what the console answers. */
export async function mapPage<Row, Out>(page: Page<Row>, turn: (rows: Row[]) => Promise<Out[]> | Out[]): Promise<Page<Out>> {
  return { data: await turn(page.data), next: page.next }
}

/** Where a page of this list ended, as text that fits into an address. */
export const encodeCursor = (list: string, key: string): string => Buffer.from(`${list} ${key}`, 'utf8').toString('base64url')

/** Throws `invalid_value` for what `encodeCursor` did not make, or made for another list. */
export function decodeCursor(list: string, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const key = text.slice(list.length + 1)
  if (encodeCursor(list, key) !== cursor) throw badCursor()
  return key
}
