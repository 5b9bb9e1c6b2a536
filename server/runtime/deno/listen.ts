/**
 * The HTTP server on Deno. It has no idle limit that a handler could set, so an answer that the client stops reading is given up instead of
 * its connection. It has no limit for bodies either, so the only one is Parley's own, which is enforced while a body is read.
 */
import type { Listener, ListenOptions } from '#runtime/contract/http-server'
import { idleLimit } from './idle-limit.ts'
import { upgrade } from './sockets.ts'

/** `Platform.listen`. */
export function listen(options: ListenOptions): Listener {
  let shedding = false
  const cut = new AbortController()
  const server = Deno.serve(
    {
      hostname: options.hostname,
      port: options.port,
      reusePort: options.shared,
      signal: cut.signal,
      onListen: () => undefined,
      // Only called for a body that broke off, when the head is long sent.
      onError: () => new Response(null, { status: 500 }),
    },
    async (request, { remoteAddr }) => {
      let upgraded: Response | undefined
      const response = await options.handle(request, {
        address: remoteAddr.hostname,
        ...idleLimit(options.idleMs),
        upgrade(listener, headers) {
          upgraded = upgrade(request, listener, headers)
          return upgraded !== undefined
        },
      })
      if (upgraded !== undefined) return upgraded
      if (shedding) response.headers.set('connection', 'close')
      return response
    },
  )
  return {
    port: server.addr.port,
    hostname: options.hostname,
    shed() {
      shedding = true
    },
    async stop(force) {
      if (force) cut.abort()
      else void server.shutdown()
      await server.finished
    },
  }
}
