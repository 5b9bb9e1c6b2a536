/** Traces of requests, for whoever collects them. Absent where nobody does. */
import type { AttemptRow } from '#shared/console/log'

/** The trace of one request. */
export interface RequestTrace {
  /** An attempt begins. */
  begin(row: AttemptRow): void
  /** Headers by which the upstream of this attempt knows the trace. */
  headersOf(row: AttemptRow): Record<string, string>
}

/** Begins the trace of a request; `headers` are those of the client, which may name a trace of its own. */
export type BeginTrace = (requestId: string, headers: Pick<Headers, 'get'>) => RequestTrace
