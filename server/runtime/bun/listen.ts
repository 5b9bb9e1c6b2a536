/** The HTTP server on Bun. */
import type { Line, Listener, ListenOptions, Peer } from '#runtime/contract/http-server'
import type { ClientListener } from '#runtime/contract/sockets'
import { beginIfTurnIsLong, together } from '#runtime/http1-client/together'
import { socketHandler } from './sockets.ts'

/** Seconds: how often Bun looks for idle connections, and the longest idle limit it takes. */
const lookEvery = 4
const longestIdle = 255

/** Requests that arrived in this turn of the event loop. */
const arrivals = together()
const line: Line = Object.assign(arrivals, { turn: () => new Promise<void>(arrivals.add), refused: beginIfTurnIsLong })

/** The client side of one request. */
class BunPeer implements Peer {
  readonly line = line
  isUpgraded = false
  readonly #request: Request
  readonly #server: Bun.Server<ClientListener>
  readonly #idleSeconds: number

  constructor(request: Request, server: Bun.Server<ClientListener>, idleSeconds: number) {
    this.#request = request
    this.#server = server
    this.#idleSeconds = idleSeconds
  }

  get address(): string {
    return this.#server.requestIP(this.#request)?.address ?? ''
  }

  suspendIdleLimit(): void {
    this.#server.timeout(this.#request, 0)
  }

  limitIdle(): void {
    if (!this.isUpgraded) this.#server.timeout(this.#request, this.#idleSeconds)
  }

  upgrade(listener: ClientListener, headers: Record<string, string>): boolean {
    this.isUpgraded = this.#server.upgrade(this.#request, { data: listener, headers })
    return this.isUpgraded
  }
}

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
      const peer = new BunPeer(request, bun, idleSeconds)
      const response = await options.handle(request, peer)
      if (peer.isUpgraded) return undefined
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
