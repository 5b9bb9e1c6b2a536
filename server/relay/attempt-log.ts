/** The attempts of one request, for its usage row: step 6 writes them, step 8 closes the last one and reads them all. */
import type { AttemptRow } from '#shared/console/log'
import type { GatewayError } from '#shared/errors'

export interface AttemptLog {
  /** A row that its attempt fills in as it goes. */
  begin(row: AttemptRow): void
  /** Ends the row of an attempt that delivered: `done`, or the error that broke it after its first event. */
  close(error: GatewayError | undefined, streamedMs: number): void
  rows(): readonly AttemptRow[]
}

export function createAttemptLog(): AttemptLog {
  const rows: AttemptRow[] = []
  return {
    begin: (row) => void rows.push(row),
    close(error, streamedMs) {
      const last = rows.at(-1)
      if (last?.phase !== 'stream') return
      last.ms += Math.round(streamedMs)
      if (error) last.cause = error.code
      else last.phase = 'done'
    },
    rows: () => rows,
  }
}
