/** Traces of requests. Absent when no collector is configured. */
import type { AttemptRow } from '#shared/console/log'

/** The trace of one request. */
export interface RequestTrace {
  /** An attempt begins. */
  begin(row: AttemptRow): void
  /** Headers that propagate the trace to the upstream of this attempt. */
  headersOf(row: AttemptRow): Record<string, string>
}

/** Begins the trace of a request; the client's `headers` may contain a trace context. */
export type BeginTrace = (requestId: string, headers: Pick<Headers, 'get'>) => RequestTrace
