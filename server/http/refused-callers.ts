/**
 * Logs refused callers: anyone can cause such lines, so a bounded number a minute is written one by one, and the
 * rest as a count.
 */
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { ErrorCode } from '#shared/errors'

const perMinute = 20
/** Sign-ins are logged separately. */
const codes: ReadonlySet<ErrorCode> = new Set(['invalid_api_key', 'conflicting_credentials', 'address_not_allowed', 'invalid_setup_token'])

/** Content of a line. */
export interface Refusal {
  requestId: string
  code: ErrorCode
  status: number
  /** Address of the caller. */
  address?: string | undefined
}

/** Writes a line for each refusal: at `info` for refused callers, as long as there are not too many, and at `debug` otherwise. */
export function refusedCallers(log: Pick<Log, 'info' | 'debug'>, clock: Pick<Clock, 'now'>): (refusal: Refusal) => void {
  let [minute, written, unlogged] = [0, 0, 0]
  return (refusal) => {
    if (!codes.has(refusal.code)) return log.debug(refusal, 'request refused')
    const now = Math.floor(clock.now() / 60_000)
    if (now !== minute) {
      if (unlogged > 0) log.info({ times: unlogged }, 'more callers were refused')
      ;[minute, written, unlogged] = [now, 0, 0]
    }
    if (written >= perMinute) unlogged += 1
    else {
      written += 1
      log.info(refusal, 'a caller was refused')
    }
  }
}
