/**
 * What went over the wire for one reply, kept in memory for the inspector: the request, the head of the response, and a
 * numbered log of events. The log is a ring, so that memory is bounded for streams of any length.
 */
import type { RequestObserver } from './run-reply.ts'

/** Events kept per reply. */
export const maxEvents = 5_000

/** One event of a stream. */
export interface TracedEvent {
  /** Counts from 1. */
  number: number
  /** Milliseconds since the event before, or since the request for the first. */
  gapMs: number
  bytes: number
  kind: string
  /** The decoded `data:` text. */
  data: string
}

/** The recording of one request. */
export interface Trace {
  request: string
  status: number | null
  headers: [string, string][]
  /** The newest `maxEvents`, oldest first. */
  events(): TracedEvent[]
  /** Events seen in all, and their bytes. */
  count: number
  bytes: number
  /** The body of an answer that was no stream. */
  body: unknown
  ended: string | null
}

/** An empty trace and the observer that fills it. `onChange` is called after every entry. */
export function createTrace(now: () => number, onChange: () => void): { trace: Trace; observer: RequestObserver } {
  const ring: TracedEvent[] = []
  let last = now()
  const trace: Trace = {
    request: '',
    status: null,
    headers: [],
    count: 0,
    bytes: 0,
    body: undefined,
    ended: null,
    events() {
      const start = trace.count % maxEvents
      return ring.length < maxEvents ? [...ring] : [...ring.slice(start), ...ring.slice(0, start)]
    },
  }
  const observer: RequestObserver = {
    sent(body) {
      trace.request = body
      last = now()
      onChange()
    },
    answered(status, headers) {
      trace.status = status
      trace.headers = headers
      onChange()
    },
    frame(frame, parsed) {
      const at = now()
      ring[trace.count % maxEvents] = {
        number: trace.count + 1,
        gapMs: at - last,
        bytes: frame.raw.length,
        kind: kindOf(frame.data, parsed),
        data: frame.data ?? '',
      }
      trace.count += 1
      trace.bytes += frame.raw.length
      last = at
      onChange()
    },
    body(body) {
      trace.body = body
      onChange()
    },
    ended(how) {
      trace.ended = how
      onChange()
    },
  }
  return { trace, observer }
}

/** One word for what an event contains. */
export function kindOf(data: string | undefined, parsed: unknown): string {
  if (data === undefined) return 'comment'
  if (data === '[DONE]') return 'done'
  const chunk = parsed as
    | { error?: unknown; usage?: unknown; choices?: { delta?: Record<string, unknown>; finish_reason?: unknown }[] }
    | undefined
  if (typeof chunk !== 'object' || chunk === null) return 'unknown'
  if (chunk.error) return 'error'
  const choice = chunk.choices?.[0]
  const delta = choice?.delta ?? {}
  if (Array.isArray(delta.tool_calls)) return 'tool'
  if (typeof delta.reasoning_content === 'string' || typeof delta.reasoning === 'string') return 'reasoning'
  if (typeof delta.content === 'string' && delta.content !== '') return 'delta'
  if (choice?.finish_reason) return 'finish'
  if (chunk.usage) return 'usage'
  return typeof delta.role === 'string' ? 'role' : 'other'
}
