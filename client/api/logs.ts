/** The usage row of one request: what it used and cost. */
import type { LogRow } from '#shared/console/log'
import { ApiError, callApi } from './http.ts'

/**
 * The row of a request, or null when it does not appear. Asks once after each of the `pauses` (milliseconds), then gives up.
 * An error other than 404 gives null, too; it throws only what is not an ApiError.
 */
export async function readLog(requestId: string, pauses: readonly number[] = [0, 150, 600, 2000]): Promise<LogRow | null> {
  for (const pause of pauses) {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    try {
      return await callApi<LogRow>('GET', `/api/logs/${encodeURIComponent(requestId)}`)
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown
      if (thrown.status !== 404) return null
    }
  }
  return null
}
