/** The usage row of one request: what it really used and cost. */
import type { LogRow } from '#shared/console/log'
import { ApiError, callApi } from './http.ts'

/** Settling may take a moment after an abort, so a missing row is asked for again a few times; null when it never comes. */
export async function readLog(requestId: string, pauses: readonly number[] = [150, 600, 2000]): Promise<LogRow | null> {
  for (const pause of [0, ...pauses]) {
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
