/**
 * Some rare requests need a large body on the thread that carries streams. That is work which cannot be cut: whoever asked for it waits
 * before their next one, many times as long as the work takes, so that it is a small share of the thread's time.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'

/** Of the unit that `#wire/json-weight` counts. */
const mostWeight = 65_536
const mebibyte = 1024 * 1024

/** Makes room between the large bodies of one caller that are read on this thread. */
export interface Pace {
  /** Resolves when the caller's earlier bodies are paid for with a wait. Rejects with `request_too_large` for too many values. */
  turn(caller: string, size: { bytes: number; weight: number }): Promise<void>
}

/** How much longer than the work somebody waits. */
const restFactor = 20
/** Milliseconds of work, as it was measured on a slow machine. */
const workOf = ({ bytes, weight }: { bytes: number; weight: number }) => weight * 0.002 + (bytes / mebibyte) * 4

/** Nobody waits yet. */
export function createPace(clock: Pick<Clock, 'monotonic' | 'sleep'>): Pace {
  const freeAt = new Map<string, number>()
  return {
    async turn(caller, size) {
      if (size.weight > mostWeight) throw new GatewayError('request_too_large', `The body has more than ${mostWeight} values.`)
      const now = clock.monotonic()
      for (const [known, at] of freeAt) if (at <= now) freeAt.delete(known)
      const at = Math.max(now, freeAt.get(caller) ?? 0)
      freeAt.set(caller, at + restFactor * workOf(size))
      if (at > now) await clock.sleep(at - now)
    },
  }
}
