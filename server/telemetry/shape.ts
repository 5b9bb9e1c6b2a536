/** What requests have in common whose spans and measurements differ in ids, times and amounts alone. Pure. */
import type { NewLog } from '#store/ledger/ledger'
import type { TracedRequest } from './traced-requests.ts'

type Plain = string | number | boolean | null

/** Everything of a request but its values, in one order. */
export type Outline = readonly Plain[]

/** Each of them by a function: a list of them would cost more than to compare them. */
const readers: readonly ((row: NewLog, request: TracedRequest) => Plain | undefined)[] = [
  (row) => row.key,
  (row) => row.model,
  (row) => row.upstreamModel,
  (row) => row.channel,
  (row) => row.userId,
  (row) => row.group,
  (row) => row.memberId,
  (row) => row.status,
  (row) => row.end,
  (row) => row.stream,
  (row) => row.operation,
  (row) => row.dialect,
  (row) => row.error?.code,
  (row) => row.firstTokenMs == null,
  (row) => (row.usage ? 1 + (row.usage.in.cacheRead > 0 ? 2 : 0) + (row.usage.out.reasoning > 0 ? 4 : 0) : 0),
  (_, request) => request.parent === undefined,
  (_, { attempts: [attempt] }) => attempt === undefined,
  (_, { attempts: [attempt] }) => attempt?.row.channel,
  (_, { attempts: [attempt] }) => attempt?.row.key,
  (_, { attempts: [attempt] }) => attempt?.row.model,
  (_, { attempts: [attempt] }) => attempt?.row.phase,
  (_, { attempts: [attempt] }) => attempt?.row.status,
  (_, { attempts: [attempt] }) => attempt?.row.cause,
]

/** The outline of a request. */
export const outlineOf = (row: NewLog, request: TracedRequest): Outline => readers.map((read) => read(row, request) ?? null)

/** Whether a request has this outline. */
export function hasOutline(outline: Outline, row: NewLog, request: TracedRequest): boolean {
  for (let at = 0; at < readers.length; at += 1) if ((readers[at]?.(row, request) ?? null) !== outline[at]) return false
  return true
}
