/** The idle limit of a client that stops reading its answer, on a server without one. */
import type { Peer } from '#runtime/contract/http-server'

/** The idle limit of one request. Between two pieces of a stream only a number is compared, so that no piece costs a timer. */
export function idleLimit(idleMs: number): Pick<Peer, 'suspendIdleLimit' | 'limitIdle'> {
  /** Monotonic milliseconds since when we wait for the client; undefined: the client waits for us. */
  let since: number | undefined
  let give: (() => void) | undefined
  let isWatched = false

  function watch(ms: number): void {
    isWatched = true
    const timer = setTimeout(() => {
      isWatched = false
      if (since === undefined) return
      const left = since + idleMs - performance.now()
      if (left > 0) watch(left)
      else give?.()
    }, ms)
    Deno.unrefTimer(Number(timer))
  }

  return {
    suspendIdleLimit() {
      since = undefined
    },
    limitIdle(giveUp) {
      since = performance.now()
      give = giveUp
      if (giveUp !== undefined && !isWatched) watch(idleMs)
    },
  }
}
