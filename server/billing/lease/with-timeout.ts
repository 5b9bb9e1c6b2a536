/** Timeout for answers of the database, and its error. */

import type { Clock } from '#runtime/clock'
import { Abort } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'

/** Most milliseconds for a call that syncs leases. */
export const callMs = 2_000

/** `books_unavailable`, with a Retry-After of one second. */
export const unavailable = (cause?: unknown): GatewayError =>
  new GatewayError('books_unavailable', 'The accounts cannot be reached at the moment. Nothing was charged. Try again shortly.', {
    retryAfter: 1,
    cause,
  })

/** The work's outcome, or a rejection with `books_unavailable` after `ms` milliseconds. The work itself continues. */
export async function withTimeout<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const answered = new Abort()
  const silence = clock.sleep(ms, answered).then(
    () => Promise.reject(unavailable()),
    () => work,
  )
  return Promise.race([work, silence]).finally(() => answered.abort(undefined))
}
