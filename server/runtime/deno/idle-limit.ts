/** How long a client may take nothing of its answer, on a server that does not know it. */
import type { Peer } from '#runtime/contract/http-server'

/** The calls of one request. What is looked at between two pieces of a stream is a number, so that no piece costs a timer. */
export function idleLimit(idleMs: number): Pick<Peer, 'suspendIdleLimit' | 'limitIdle'> {
  /** Monotonic milliseconds since when it is the client's turn; undefined: it is ours. */
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
