/**
 * Requests that are being served, each with a signal by which it can be ended from outside: a key that was withdrawn, a
 * process that has no more time. The signal of a client that leaves is the same one; its reason says which it was.
 */
import type { Caller } from '#accounts/caller'
import type { GatewayError } from '#shared/errors'
import { clientClosed } from './attempt.ts'

export interface Guest {
  /** Aborted when the client leaves, or, with the GatewayError that it is to be told as its reason, when it is ended. */
  signal: AbortSignal
  /** The request is settled. */
  leave(): void
}

export interface Guests {
  /** `signal` is the client's own. */
  enter(caller: Caller, signal: AbortSignal): Guest
  count(): number
  /** Ends every request for which there is a reason. */
  end(why: Why): void
}

/** Why a request may not go on; undefined = it may. */
export type Why = (caller: Caller) => GatewayError | undefined

export function createGuests(): Guests {
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
      if (signal.aborted) left()
      else signal.addEventListener('abort', left, { once: true })
      return {
        signal: ended.signal,
        leave() {
          present.delete(ask)
          signal.removeEventListener('abort', left)
        },
      }
    },
    count: () => present.size,
    end(why) {
      for (const ask of [...present]) ask(why)
    },
  }
}
