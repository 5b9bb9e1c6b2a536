/** Requests on their way, by the ids of their spans: a span can only be made when its request has ended, its id goes out before. */
import type { Clock, Random } from '#runtime/clock'
import type { AttemptRow } from '#shared/console/log'
import { readTraceParent, readTraceState, type Sampler, type TraceParent, writeTraceParent } from './trace-context.ts'

/** One try on one channel. */
export interface TracedAttempt {
  row: AttemptRow
  spanId: string
  /** Milliseconds since the epoch. */
  startedAt: number
}

/** A request and its span. */
export interface TracedRequest {
  traceId: string
  spanId: string
  sampled: boolean
  parent: TraceParent | undefined
  attempts: TracedAttempt[]
  /** An attempt begins; its row is filled in as it goes. */
  begin(row: AttemptRow): void
  /** Headers for the upstream of this attempt. */
  headersOf(row: AttemptRow): Record<string, string>
}

/** The requests of this process. */
export interface TracedRequests {
  begin(requestId: string, headers: Pick<Headers, 'get'>): TracedRequest
  /** The request, which is over now; a new one where nobody has begun it. */
  end(requestId: string): TracedRequest
  /** The trace of a request that runs or has just ended. */
  traceIdOf(requestId: string): string | undefined
}

/** Requests at most that are remembered; the oldest are forgotten first, and are then traces of their own. */
const mostOpen = 20_000
/** Requests that have ended and whose trace is known at least. */
const leastEnded = 2_000

/** Nothing yet. */
export function tracedRequests(clock: Pick<Clock, 'now'>, random: Pick<Random, 'hex'>, sampler: Sampler): TracedRequests {
  const open = new Map<string, TracedRequest>()
  /** Two of them, the older one dropped whole: to delete one by one from a map costs more than all the rest of a request's trace. */
  let [ended, endedBefore] = [new Map<string, string>(), new Map<string, string>()]

  function newRequest(parent: TraceParent | undefined, state: string | undefined): TracedRequest {
    const traceId = parent?.traceId ?? random.hex(16)
    const sampled = sampler(traceId, parent)
    const attempts: TracedAttempt[] = []
    return {
      traceId,
      spanId: random.hex(8),
      sampled,
      parent,
      attempts,
      begin: (row) => void attempts.push({ row, spanId: random.hex(8), startedAt: clock.now() }),
      headersOf(row) {
        const spanId = attempts.findLast((attempt) => attempt.row === row)?.spanId
        if (spanId === undefined) return {}
        return { traceparent: writeTraceParent({ traceId, spanId, sampled }), ...(state !== undefined && { tracestate: state }) }
      },
    }
  }

  return {
    begin(requestId, headers) {
      const parent = readTraceParent(headers.get('traceparent'))
      const request = newRequest(parent, parent && readTraceState(headers.get('tracestate')))
      open.set(requestId, request)
      if (open.size > mostOpen) forgetOldest(open)
      return request
    },
    end(requestId) {
      const request = open.get(requestId) ?? newRequest(undefined, undefined)
      open.delete(requestId)
      if (ended.size >= leastEnded) [ended, endedBefore] = [new Map(), ended]
      ended.set(requestId, request.traceId)
      return request
    },
    traceIdOf: (requestId) => open.get(requestId)?.traceId ?? ended.get(requestId) ?? endedBefore.get(requestId),
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
