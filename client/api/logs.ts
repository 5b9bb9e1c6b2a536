/** The usage row of one request: what it really used and cost. */
import type { LogRow } from '#shared/console/log'
import { ApiError, callApi } from './http.ts'

/** Asks after each of the pauses (milliseconds) until the row is there; null when it never comes. Throws ApiError `offline`. */
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
