/**
 * Requests that are being served, each with a signal by which it can be ended from outside: its key was withdrawn, or the
 * process shuts down. The same signal is aborted when the client leaves; its reason tells the two apart.
 */
import type { Caller } from '#accounts/caller'
import type { OpenWork } from '#relay/contract/ask'
import type { InFlightRequest, Why } from '#relay/contract/steps'
import { clientClosed } from '#relay/exchange/ended'

export interface InFlight {
  /** `signal` is the client's own. */
  enter(caller: Caller, signal: AbortSignal): InFlightRequest
  /** Ends every request for which there is a reason. */
  end(why: Why): void
}

/** `open` counts the requests that have entered and not left. */
export function createInFlight(open: OpenWork): InFlight {
  const present = new Set<(why: Why) => void>()
  return {
    enter(caller, signal) {
      const ended = new AbortController()
      const left = () => ended.abort(clientClosed())
      const ask = (why: Why) => {
        const reason = why(caller)
        if (reason) ended.abort(reason)
      }
      present.add(ask)
      open.count += 1
      if (signal.aborted) left()
      else signal.addEventListener('abort', left, { once: true })
      return {
        signal: ended.signal,
        hangUp: left,
        leave() {
          if (present.delete(ask)) open.count -= 1
          signal.removeEventListener('abort', left)
        },
      }
    },
    end(why) {
      for (const ask of [...present]) ask(why)
    },
  }
}
