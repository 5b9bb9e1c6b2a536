/** The attempts of one request, for its usage row: step 6 writes them, step 8 closes the last one and reads them all. */
import type { AttemptLog } from '#relay/contract/steps'
import type { AttemptRow } from '#shared/console/log'

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
