/**
 * Spans of requests that differ in ids, times and amounts alone, as bytes with holes: what such a request costs is a copy. Made from the
 * text that `spansText` writes of a request whose ids, times and amounts are marks. Pure.
 */
import { noUsage, promptOf } from '#canonical/usage'
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import { nanos, spansText } from './span-text.ts'
import type { TracedRequest } from './traced-requests.ts'

/** Bytes, and which of a request's values follow them; the last piece has none. */
export type SpanTemplate = readonly { bytes: Uint8Array; value: number }[]

/** Ids, times and amounts of a request, in the order that templates know; empty where there are none. */
export function valuesOf(row: NewLog, { traceId, spanId, parent, attempts: [attempt] }: TracedRequest): readonly string[] {
  const { usage, firstTokenMs } = row
  const at = row.at.getTime()
  return [
    ...[traceId, spanId, parent?.spanId ?? '', row.requestId, nanos(at), nanos(at + row.totalMs)],
    firstTokenMs == null ? '' : nanos(at + firstTokenMs),
    String(Number(row.cost) / 1e9),
    ...(usage ? [promptOf(usage), usage.out.total, usage.in.cacheRead, usage.out.reasoning].map(String) : []),
    ...(attempt ? [attempt.spanId, nanos(attempt.startedAt), nanos(attempt.startedAt + attempt.row.ms)] : []),
  ]
}

/** Whether spans can be written by a template: ids need no care in JSON, and nothing comes in other numbers. */
export const hasTemplate = (row: NewLog, { attempts }: TracedRequest): boolean =>
  row.losses.length === 0 && attempts.length < 2 && /^[\w-]{1,64}$/.test(row.requestId)

const counted = (text: string | null | undefined) => (text == null ? '-' : `${text.length}:${text}`)

/** The same for two requests that one template writes: everything but their values. A length before each name keeps names apart. */
export function shapeOf(row: NewLog, { parent, attempts: [attempt] }: TracedRequest): string {
  const { usage, firstTokenMs, error } = row
  const amounts = usage ? 1 + (usage.in.cacheRead > 0 ? 2 : 0) + (usage.out.reasoning > 0 ? 4 : 0) : 0
  const own =
    `${amounts}${row.stream}${firstTokenMs == null}${parent === undefined}${row.status} ${row.end} ${row.operation} ${row.dialect} ` +
    `${error?.code} ${counted(row.model)}${counted(row.upstreamModel)}${counted(row.group)}${counted(row.userId)}${counted(row.memberId)}` +
    `${counted(row.key)}${counted(row.channel)}`
  if (!attempt) return own
  const { channel, key, model, phase, status, cause } = attempt.row
  return `${own}${counted(channel)}${counted(key)}${counted(model)}${phase}${status}${cause}`
}

/** Places of values: no name can contain them, since its quotes would be escaped. */
const places =
  /"(?:traceId|spanId|parentSpanId|startTimeUnixNano|endTimeUnixNano|timeUnixNano|intValue|parley\.request_id","value":{"stringValue)":"([\w-]+)|"doubleValue":([\d.]+)/g
const mark = {
  at: 1_111_111_111_111,
  totalMs: 111_111_111_111,
  firstTokenMs: 222_222_222_222,
  attempt: 333_333_333_333,
  ms: 111_111_111_111,
}
const encoder = new TextEncoder()

/** The template of all requests of this one's shape. */
export function templateOf(row: NewLog, request: TracedRequest, vendors: Vendors): SpanTemplate {
  const [markedRow, markedRequest] = marked(row, request)
  const text = spansText(markedRow, markedRequest, vendors)
  const values = new Map(valuesOf(markedRow, markedRequest).flatMap((value, at) => (value === '' || value === '0' ? [] : [[value, at]])))
  const pieces: { bytes: Uint8Array; value: number }[] = []
  let from = 0
  for (const found of text.matchAll(places)) {
    const value = found[1] ?? found[2] ?? ''
    const which = values.get(value)
    if (which === undefined) continue
    const end = found.index + found[0].length
    pieces.push({ bytes: encoder.encode(text.slice(from, end - value.length)), value: which })
    from = end
  }
  return [...pieces, { bytes: encoder.encode(text.slice(from)), value: -1 }]
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
  return [
    {
      ...row,
      ...{ at: new Date(mark.at), totalMs: mark.totalMs, requestId: 'marked-request', cost: 9_876_543_210_123n },
      firstTokenMs: row.firstTokenMs == null ? row.firstTokenMs : mark.firstTokenMs,
      usage: row.usage && { ...row.usage, ...usage },
    },
    {
      ...request,
      ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), attempts },
      parent: request.parent && { ...request.parent, spanId: 'd'.repeat(16) },
    },
  ]
}

/** Writes spans into `out` and answers where they end; there must be `roomFor` bytes. */
export function writeSpans(template: SpanTemplate, values: readonly string[], out: Uint8Array, from: number): number {
  let at = from
  for (const { bytes, value } of template) {
    out.set(bytes, at)
    at += bytes.length
    const text = values[value] ?? ''
    for (let next = 0; next < text.length; next += 1) out[at++] = text.charCodeAt(next)
  }
  return at
}

/** Bytes that suffice for spans by a template. */
export const roomFor = (template: SpanTemplate): number => template.reduce((sum, { bytes }) => sum + bytes.length + 64, 0)
