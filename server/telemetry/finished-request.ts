/** What a collector is told of a finished request, as plain data that crosses to the thread that tells it. Never prompts, answers or secrets. Pure. */
import { promptOf } from '#canonical/usage'
import type { AttemptRow, LossRow } from '#shared/console/log'
import type { NewLog } from '#store/ledger/ledger'
import type { TraceParent } from './trace-context.ts'
import type { TracedRequest } from './traced-requests.ts'

/** An attempt with its span. */
export interface FinishedAttempt extends AttemptRow {
  spanId: string
  /** Milliseconds since the epoch. */
  startedAt: number
  /** The vendor of its channel; absent where the channel is gone. */
  vendor?: string | undefined
}

/** The spans of a request. */
export interface FinishedTrace {
  traceId: string
  spanId: string
  parent?: Pick<TraceParent, 'spanId'> | undefined
  attempts: FinishedAttempt[]
}

/** A finished request. */
export interface FinishedRequest extends Pick<NewLog, 'requestId' | 'dialect' | 'end' | 'group' | 'model' | 'status' | 'stream'> {
  operation: NewLog['operation']
  /** Milliseconds since the epoch. */
  at: number
  totalMs: number
  /** From the arrival, in milliseconds. */
  firstTokenMs?: number | undefined
  /** USD. */
  cost: number
  user: string
  member?: string | undefined
  key?: string | undefined
  channel?: string | undefined
  /** The vendor of its channel; absent where there is none. */
  vendor?: string | undefined
  upstreamModel?: string | undefined
  /** The code of its error. */
  error?: string | undefined
  usage?: { input: number; output: number; cacheRead: number; reasoning: number } | undefined
  /** Of each attempt that failed. */
  failures: Pick<AttemptRow, 'channel' | 'cause'>[]
  losses: LossRow[]
  /** Absent where its trace is not collected. */
  trace?: FinishedTrace | undefined
}

/** The vendor of a channel by its name; undefined where it is gone. */
export type VendorOf = (channel: string) => string | undefined

/** From the row of a request, and its trace where that is collected. */
export function finishedRequest(row: NewLog, request: TracedRequest | undefined, vendorOf: VendorOf): FinishedRequest {
  const { usage } = row
  return {
    requestId: row.requestId,
    at: row.at.getTime(),
    totalMs: row.totalMs,
    firstTokenMs: row.firstTokenMs ?? undefined,
    operation: row.operation,
    dialect: row.dialect,
    stream: row.stream,
    status: row.status,
    end: row.end,
    group: row.group,
    model: row.model,
    upstreamModel: row.upstreamModel ?? undefined,
    cost: Number(row.cost) / 1e9,
    user: row.userId,
    member: row.memberId ?? undefined,
    key: row.key ?? undefined,
    channel: row.channel ?? undefined,
    vendor: row.channel == null ? undefined : vendorOf(row.channel),
    error: row.error?.code,
    usage: usage
      ? { input: promptOf(usage), output: usage.out.total, cacheRead: usage.in.cacheRead, reasoning: usage.out.reasoning }
      : undefined,
    failures: row.attempts.flatMap(({ channel, cause }) => (cause === null ? [] : [{ channel, cause }])),
    losses: row.losses,
    trace: request && finishedTrace(request, vendorOf),
  }
}

const finishedTrace = ({ traceId, spanId, parent, attempts }: TracedRequest, vendorOf: VendorOf): FinishedTrace => ({
  traceId,
  spanId,
  parent: parent && { spanId: parent.spanId },
  attempts: attempts.map((attempt) => ({
    ...attempt.row,
    spanId: attempt.spanId,
    startedAt: attempt.startedAt,
    vendor: vendorOf(attempt.row.channel),
  })),
})
