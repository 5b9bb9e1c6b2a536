/** The HTTP server on Bun. */
import type { Line, Listener, ListenOptions } from '#runtime/contract/http-server'
import type { ClientListener } from '#runtime/contract/sockets'
import { breathe, together } from '#runtime/http1-client/together'
import { socketHandler } from './sockets.ts'

/** Seconds: how often Bun looks for idle connections, and the longest idle limit it takes. */
const lookEvery = 4
const longestIdle = 255

/** Requests that arrived in this turn of the event loop. */
const arrivals = together()
const line: Line = Object.assign(arrivals, { turn: () => new Promise<void>(arrivals.add), turnedAway: breathe })

/** `Platform.listen`. */
export function listen(options: ListenOptions): Listener {
  let shedding = false
  const idleSeconds = Math.min(longestIdle, Math.ceil(options.idleMs / 1000) + lookEvery)
  const server = Bun.serve<ClientListener>({
    hostname: options.hostname,
    port: options.port,
    reusePort: options.shared,
    idleTimeout: idleSeconds,
    maxRequestBodySize: options.maxBodyBytes,
    development: false,
    websocket: socketHandler,
    async fetch(request, bun) {
      let upgraded = false
      const response = await options.handle(request, {
        get address() {
          return bun.requestIP(request)?.address ?? ''
        },
        line,
        suspendIdleLimit: () => bun.timeout(request, 0),
        limitIdle: () => void (upgraded || bun.timeout(request, idleSeconds)),
        upgrade(listener, headers) {
          upgraded = bun.upgrade(request, { data: listener, headers })
          return upgraded
        },
      })
      if (upgraded) return undefined
      if (shedding) response.headers.set('connection', 'close')
      return response
    },
  })
  return {
    port: server.port ?? options.port,
    hostname: options.hostname,
    shed() {
      shedding = true
    },
    stop: (force) => server.stop(force),
  }
}
