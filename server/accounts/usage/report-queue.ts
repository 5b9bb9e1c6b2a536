/**
 * Long reports run one at a time, so that they never take connections that others need; the queue is bounded and skips disconnected
 * clients.
 */
import { GatewayError } from '#shared/errors'

/** One page of the console requests up to ten reports. */
const usuallyWaiting = 100

/** Runs reports in turn. */
export interface ReportQueue {
  /**
   * Runs the work after those before it. Throws `overloaded` when too many wait already, and `client_closed_request`, having run
   * nothing, when the client disconnected while waiting.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** An empty queue with room for `mostWaiting`. */
export function createReportQueue(mostWaiting = usuallyWaiting): ReportQueue {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    async run(work, signal) {
      if (waiting > mostWaiting) {
        throw new GatewayError('overloaded', 'Too many reports are running right now. Try again shortly.', { retryAfter: 5 })
      }
      waiting += 1
      let isCounted = true
      const leave = () => {
        if (isCounted) waiting -= 1
        isCounted = false
      }
      signal?.addEventListener('abort', leave)
      const run = last.then(() => {
        if (signal?.aborted) throw new GatewayError('client_closed_request', 'The client closed the connection.')
        return work()
      })
      last = run.catch(() => {})
      return run.finally(() => {
        signal?.removeEventListener('abort', leave)
        leave()
      })
    },
  }
}
