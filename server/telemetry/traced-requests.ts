/** Running requests with the ids of their spans: a span is created when its request has ended, but its id is sent out before. */
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
  /** The ids of its trace, its span, and the span of its first attempt, concatenated: they are generated and written together. */
  ids: string
  traceId: string
  spanId: string
  sampled: boolean
  parent: TraceParent | undefined
  attempts: TracedAttempt[]
  /** An attempt begins; its row is filled in as it proceeds. */
  begin(row: AttemptRow): void
  /** Headers for the upstream of this attempt. */
  headersOf(row: AttemptRow): Record<string, string>
}

/** The requests of this process. */
export interface TracedRequests {
  begin(requestId: string, headers: Pick<Headers, 'get'>): TracedRequest
  /** The request, which is over now; a new one if it was not begun. */
  end(requestId: string): TracedRequest
  /** The trace of a request that runs or has just ended. */
  traceIdOf(requestId: string): string | undefined
}

/** Most running requests remembered; the oldest are dropped first, and then get new traces. */
const mostOpen = 20_000
/** Requests that have ended and whose trace is known. */
const mostEnded = 4_096

/** Nothing yet. */
export function tracedRequests(clock: Pick<Clock, 'now'>, random: Pick<Random, 'hex'>, sampler: Sampler): TracedRequests {
  const surroundings = { clock, random }
  const open = new Map<string, TracedRequest>()
  const ended = recent(mostEnded)

  function newRequest(parent: TraceParent | undefined, state: string | undefined): TracedRequest {
    const ids = parent === undefined ? random.hex(32) : parent.traceId + random.hex(16)
    return new Traced(surroundings, ids, sampler(ids.slice(0, spanAt), parent), parent, state)
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
      ended.add(requestId, request)
      return request
    },
    traceIdOf: (requestId) => open.get(requestId)?.traceId ?? ended.find(requestId),
  }
}

interface Surroundings {
  clock: Pick<Clock, 'now'>
  random: Pick<Random, 'hex'>
}

/** Offsets in `ids`. */
const [spanAt, attemptAt] = [32, 48]

class Traced implements TracedRequest {
  readonly ids: string
  readonly sampled: boolean
  readonly parent: TraceParent | undefined
  readonly attempts: TracedAttempt[] = []
  readonly #surroundings: Surroundings
  /** `tracestate`, as passed on to upstreams. */
  readonly #state: string | undefined

  constructor(surroundings: Surroundings, ids: string, sampled: boolean, parent: TraceParent | undefined, state: string | undefined) {
    this.ids = ids
    this.sampled = sampled
    this.parent = parent
    this.#surroundings = surroundings
    this.#state = state
  }

  get traceId(): string {
    return this.ids.slice(0, spanAt)
  }

  get spanId(): string {
    return this.ids.slice(spanAt, attemptAt)
  }

  begin(row: AttemptRow): void {
    const { random, clock } = this.#surroundings
    const spanId = this.attempts.length === 0 ? this.ids.slice(attemptAt) : random.hex(8)
    this.attempts.push({ row, spanId, startedAt: clock.now() })
  }

  headersOf(row: AttemptRow): Record<string, string> {
    const last = this.attempts.at(-1)
    const spanId = (last?.row === row ? last : this.attempts.find((attempt) => attempt.row === row))?.spanId
    if (spanId === undefined) return {}
    const traceparent = writeTraceParent({ traceId: this.traceId, spanId, sampled: this.sampled })
    return this.#state === undefined ? { traceparent } : { traceparent, tracestate: this.#state }
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}

/** The most recently ended. Adding is nearly free; lookups, for the few log lines that need one, are linear searches. */
function recent(most: number) {
  const names: string[] = []
  const traceIds: string[] = []
  let next = 0
  return {
    add(name: string, { ids }: TracedRequest): void {
      names[next] = name
      traceIds[next] = ids
      next = (next + 1) % most
    },
    find: (name: string): string | undefined => traceIds[names.indexOf(name)]?.slice(0, spanAt),
  }
}
