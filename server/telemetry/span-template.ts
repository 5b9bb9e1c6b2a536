/**
 * Spans of requests that differ only in ids, times and amounts: the text of one of them with holes, and the values for them as numbers and
 * ASCII in rows of fixed length. Made from the output of `spansText` for a request whose ids, times and amounts are markers. Pure.
 */
import { noUsage, promptOf } from '#canonical/usage'
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import { callerText, nanos, spansText } from './span-text.ts'
import type { TracedRequest } from './traced-requests.ts'

/** Columns of a request's numbers in its row; NaN: absent. Times in milliseconds, moments since the epoch; cost in USD. */
export const column = {
  ...{ shape: 0, isTraced: 1, at: 2, totalMs: 3, firstTokenMs: 4, cost: 5 },
  ...{ input: 6, output: 7, cacheRead: 8, reasoning: 9, attemptAt: 10, attemptMs: 11, idLength: 12, caller: 13 },
} as const
export const columns = 14

/** Offsets of its ids in its row of bytes; span ids have 16 digits, the trace id 32. */
export const place = { traceId: 0, spanId: 32, attemptId: 48, parentId: 64, requestId: 80 } as const
const mostId = 64
export const idBytes = place.requestId + mostId

/** Kinds of holes. */
export const holes = [
  ...(['traceId', 'spanId', 'parentId', 'requestId', 'start', 'end', 'firstToken', 'cost'] as const),
  ...(['input', 'output', 'cacheRead', 'reasoning', 'attemptId', 'attemptStart', 'attemptEnd', 'caller'] as const),
] as const
export type Hole = (typeof holes)[number]

/** Pieces of ASCII text, and the hole after each but the last. */
export interface SpanTemplate {
  pieces: readonly string[]
  holes: readonly Hole[]
}

/** Whether a template can represent its spans (no losses, at most one attempt), provided its id can be written. */
export const hasTemplate = (row: NewLog, { attempts }: TracedRequest): boolean =>
  row.losses.length === 0 && attempts.length < 2 && attempts.length === row.attempts.length

/** Writes the id of a request into row `at`. False where it is too long, or needs care in JSON. */
export function writeRequestId(requestId: string, ids: Uint8Array, at: number): boolean {
  const { length } = requestId
  if (length === 0 || length > mostId) return false
  const from = at * idBytes + place.requestId
  for (let next = 0; next < length; next += 1) {
    const code = requestId.charCodeAt(next)
    const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
    if (!isLetter && !(code >= 0x30 && code <= 0x39) && code !== 0x5f && code !== 0x2d) return false
    ids[from + next] = code
  }
  return true
}

/** Writes what differs between requests of one shape, except their own ids, into row `at` of both. */
export function writeValues(row: NewLog, request: TracedRequest, numbers: Float64Array, ids: Uint8Array, at: number): void {
  const { usage, firstTokenMs } = row
  const [attempt] = request.attempts
  const first = at * columns
  numbers[first + column.at] = row.at.getTime()
  numbers[first + column.totalMs] = row.totalMs
  numbers[first + column.firstTokenMs] = firstTokenMs ?? Number.NaN
  numbers[first + column.cost] = Number(row.cost) / 1e9
  numbers[first + column.input] = usage ? promptOf(usage) : Number.NaN
  numbers[first + column.output] = usage ? usage.out.total : Number.NaN
  numbers[first + column.cacheRead] = usage ? usage.in.cacheRead : Number.NaN
  numbers[first + column.reasoning] = usage ? usage.out.reasoning : Number.NaN
  numbers[first + column.attemptAt] = attempt ? attempt.startedAt : Number.NaN
  numbers[first + column.attemptMs] = attempt ? attempt.row.ms : Number.NaN
  numbers[first + column.idLength] = row.requestId.length
  const begin = at * idBytes
  // The ids of the trace, of its span and of its first attempt, concatenated.
  writeAscii(request.ids, ids, begin + place.traceId)
  if (request.parent) writeAscii(request.parent.spanId, ids, begin + place.parentId)
}

function writeAscii(text: string, out: Uint8Array, from: number): void {
  for (let at = 0; at < text.length; at += 1) out[from + at] = text.charCodeAt(at)
}

/** Markers of values: no name can contain them, since its quotes would be escaped. */
const places =
  /"(?:traceId|spanId|parentSpanId|startTimeUnixNano|endTimeUnixNano|timeUnixNano|intValue|parley\.request_id","value":{"stringValue)":"([\w-]+)|"doubleValue":([\d.]+)|(,\{"key":"user\.id","value":\{"stringValue":"marked-caller"\}\})/g
const mark = {
  at: 1_111_111_111_111,
  totalMs: 111_111_111_111,
  firstTokenMs: 222_222_222_222,
  attempt: 333_333_333_333,
  ms: 111_111_111_111,
}

/** The template of all requests of this one's shape. */
export function templateOf(row: NewLog, request: TracedRequest, vendors: Vendors): SpanTemplate {
  const [markedRow, markedRequest] = marked(row, request)
  const text = spansText(markedRow, markedRequest, vendors)
  const holeOf = new Map(Object.entries(textsOf(markedRow, markedRequest)).map(([hole, value]) => [value, hole as Hole]))
  const pieces: string[] = []
  const found: Hole[] = []
  let from = 0
  for (const match of text.matchAll(places)) {
    const value = match[1] ?? match[2] ?? match[3] ?? ''
    const hole = holeOf.get(value)
    if (hole === undefined) continue
    const end = match.index + match[0].length
    pieces.push(text.slice(from, end - value.length))
    found.push(hole)
    from = end
  }
  return { pieces: [...pieces, text.slice(from)], holes: found }
}

/** The texts in the holes of marked spans; absent where they have none. */
function textsOf(row: NewLog, { traceId, spanId, parent, attempts: [attempt] }: TracedRequest): Partial<Record<Hole, string>> {
  const { usage, firstTokenMs } = row
  const at = row.at.getTime()
  return {
    ...{ traceId, spanId, requestId: row.requestId, start: nanos(at), end: nanos(at + row.totalMs), cost: String(Number(row.cost) / 1e9) },
    caller: callerText(row),
    ...(parent && { parentId: parent.spanId }),
    ...(firstTokenMs != null && { firstToken: nanos(at + firstTokenMs) }),
    ...(usage && { input: String(promptOf(usage)), output: String(usage.out.total) }),
    ...(usage && usage.in.cacheRead > 0 && { cacheRead: String(usage.in.cacheRead) }),
    ...(usage && usage.out.reasoning > 0 && { reasoning: String(usage.out.reasoning) }),
    ...(attempt && { attemptId: attempt.spanId, attemptStart: nanos(attempt.startedAt) }),
    ...(attempt && { attemptEnd: nanos(attempt.startedAt + attempt.row.ms) }),
  }
}

function marked(row: NewLog, request: TracedRequest): [NewLog, TracedRequest] {
  const usage = noUsage()
  usage.in.fresh = 100_000_001
  usage.in.cacheRead = row.usage && row.usage.in.cacheRead > 0 ? 100_000_002 : 0
  usage.out.total = 100_000_004
  usage.out.reasoning = row.usage && row.usage.out.reasoning > 0 ? 100_000_005 : 0
  const attempts = request.attempts.map((attempt) => ({
    ...{ row: { ...attempt.row, ms: mark.ms }, spanId: 'c'.repeat(16), startedAt: mark.at + mark.attempt },
  }))
  const { begin, headersOf, sampled } = request
  return [
    {
      ...row,
      ...{ at: new Date(mark.at), totalMs: mark.totalMs, requestId: 'marked-request', cost: 9_876_543_210_123n },
      ...{ userId: 'marked-caller', memberId: null, key: null },
      firstTokenMs: row.firstTokenMs == null ? row.firstTokenMs : mark.firstTokenMs,
      usage: row.usage && { ...row.usage, ...usage },
    },
    {
      ...{ begin, headersOf, sampled, attempts, ids: '', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
      parent: request.parent && { ...request.parent, spanId: 'd'.repeat(16) },
    },
  ]
}
