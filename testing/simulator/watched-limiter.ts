/** Checks rate limits against a plain list of what was taken, when and by whom. */
import type { Bounded, LocalLimiter } from '#billing/ratelimit/limits'
import type { StepClock } from '#testing/step-clock'
import type { RunLog } from './run-log.ts'

interface AcceptedOutput {
  id: string
  at: number
  /** The estimate at the start; at the end, capped by the actual use. */
  tokens: number
  /** Use beyond the estimate, known at the end. */
  more: { at: number; tokens: number } | undefined
  running: boolean
}

const minuteMs = 60_000
/** A minute and one sub-window. */
const forgottenMs = 65_000

/** The real limiter, with access for the checks. */
export interface WatchedLimiter extends LocalLimiter {
  running(): number
}

/** Wraps the real limiter in checks. */
export function watchLimiter(real: LocalLimiter, clock: StepClock, log: RunLog): WatchedLimiter {
  const taken: AcceptedOutput[] = []

  function used(id: string, ms: number) {
    const since = clock.monotonic() - ms
    const own = taken.filter((one) => one.id === id)
    const lately = own.filter(({ at }) => at > since)
    const late = own.flatMap(({ more }) => (more && more.at > since ? [more.tokens] : []))
    return {
      requests: lately.length,
      tokens: [...lately.map(({ tokens }) => tokens), ...late].reduce((sum, tokens) => sum + tokens, 0),
      running: own.filter(({ running }) => running).length,
    }
  }

  function admitted({ id, limits }: Bounded, tokens: number): void {
    const { rpm, tpm, concurrency } = limits ?? {}
    const now = used(id, minuteMs)
    log.check(rpm === undefined || now.requests < rpm, `${id} has more than ${rpm} requests in a minute`)
    log.check(concurrency === undefined || now.running < concurrency, `${id} has more than ${concurrency} requests at once`)
    const fits = tpm === undefined || now.tokens === 0 || now.tokens + tokens <= tpm
    log.check(fits, `${id} has more than ${tpm} tokens in a minute: ${now.tokens} and ${tokens}`)
  }

  function refused(bounds: readonly Bounded[]): void {
    const reason = bounds.some(({ id, limits }) => {
      const { requests, tokens, running } = used(id, forgottenMs)
      return limits !== null && requests + tokens + running > 0
    })
    log.check(reason, 'a limit refuses a request although nothing was used')
  }

  return {
    running: () => taken.filter(({ running }) => running).length,
    refusal(bounds) {
      const refusal = real.refusal(bounds)
      if (refusal) refused(bounds)
      return refusal
    },
    take(bounds, tokens) {
      let ticket: ReturnType<LocalLimiter['take']>
      try {
        ticket = real.take(bounds, tokens)
      } catch (thrown) {
        refused(bounds)
        throw thrown
      }
      for (const bound of bounds) admitted(bound, tokens)
      const own = bounds.map(({ id }): AcceptedOutput => ({ id, at: clock.monotonic(), tokens, more: undefined, running: true }))
      taken.push(...own)
      return {
        ...ticket,
        done(inAll) {
          for (const one of own) {
            log.check(one.running, `${one.id}: a request ended twice`)
            one.running = false
            one.tokens = Math.min(tokens, inAll)
            if (inAll > tokens) one.more = { at: clock.monotonic(), tokens: inAll - tokens }
          }
          ticket.done(inAll)
        },
      }
    },
  }
}
