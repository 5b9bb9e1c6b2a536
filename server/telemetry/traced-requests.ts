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
/** Requests that have ended and whose trace is known. */
const mostEnded = 4_096

/** Nothing yet. */
export function tracedRequests(clock: Pick<Clock, 'now'>, random: Pick<Random, 'hex'>, sampler: Sampler): TracedRequests {
  const open = new Map<string, TracedRequest>()
  const ended = recent(mostEnded)

  function newRequest(parent: TraceParent | undefined, state: string | undefined): TracedRequest {
    const traceId = parent?.traceId ?? random.hex(16)
    return new Traced({ clock, random, traceId, sampled: sampler(traceId, parent), parent, state })
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
      ended.add(requestId, request.traceId)
      return request
    },
    traceIdOf: (requestId) => open.get(requestId)?.traceId ?? ended.find(requestId),
  }
}

interface TracedParts extends Pick<TracedRequest, 'traceId' | 'sampled' | 'parent'> {
  clock: Pick<Clock, 'now'>
  random: Pick<Random, 'hex'>
  /** `tracestate`, as it goes on to upstreams. */
  state: string | undefined
}

class Traced implements TracedRequest {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
  readonly parent: TraceParent | undefined
  readonly attempts: TracedAttempt[] = []
  readonly #parts: TracedParts

  constructor(parts: TracedParts) {
    this.traceId = parts.traceId
    this.spanId = parts.random.hex(8)
    this.sampled = parts.sampled
    this.parent = parts.parent
    this.#parts = parts
  }

  begin(row: AttemptRow): void {
    const { random, clock } = this.#parts
    this.attempts.push({ row, spanId: random.hex(8), startedAt: clock.now() })
  }

  headersOf(row: AttemptRow): Record<string, string> {
    const spanId = this.attempts.findLast((attempt) => attempt.row === row)?.spanId
    if (spanId === undefined) return {}
    const traceparent = writeTraceParent({ traceId: this.traceId, spanId, sampled: this.sampled })
    const { state } = this.#parts
    return state === undefined ? { traceparent } : { traceparent, tracestate: state }
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

/** The newest pairs. To add one costs next to nothing; they are searched for the few lines of the log that want one. */
function recent(most: number) {
  const names: string[] = []
  const values: string[] = []
  let next = 0
  return {
    add(name: string, value: string): void {
      names[next] = name
      values[next] = value
      next = (next + 1) % most
    },
    find: (name: string): string | undefined => values[names.indexOf(name)],
  }
}
