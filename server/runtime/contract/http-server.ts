/** The HTTP server as the rest of the program sees it. Each runtime has one; `#runtime/listen` opens it. */
import type { ClientListener } from './sockets.ts'

/** The queue of accepted requests: those that arrived together begin together. */
export interface Line {
  /** Number of queued requests. */
  readonly waiting: number
  /** Estimated milliseconds that a request added now would wait. */
  waitMs(): number
  /** Queues a request; resolves when it may begin. */
  turn(): Promise<void>
  /** Must be called for each request that is refused instead: a flood of them must not delay the queued ones. */
  refused(): void
}

/** The connection that a request came over. */
export interface Peer {
  /** The socket's IP address; empty when it is unknown. Most requests never read it. */
  readonly address: string
  /** The queue of its request. Absent: requests begin at once. */
  readonly line?: Line
  /** Suspends the idle limit: the client waits for us, and our own timeouts apply. */
  suspendIdleLimit(): void
  /**
   * Applies the idle limit again: we wait for the client to read its answer, or to send its next request. A runtime that cannot close the
   * connection of a client that stopped reading calls `giveUp` instead.
   */
  limitIdle(giveUp?: () => void): void
  /**
   * Turns the request into a WebSocket; false when that is no longer possible. The handler's response is then not sent, so
   * `headers` are all that the client gets. If the client offered subprotocols, `sec-websocket-protocol` must name one of them.
   */
  upgrade(listener: ClientListener, headers: Record<string, string>): boolean
}

export interface Listener {
  /** The port that was opened, even if any free one was requested. */
  port: number
  hostname: string
  /** From now on every response closes its connection, so that other processes on this port get the client's next request. */
  shed(): void
  /** Stops accepting, and resolves when the open requests have ended; with `force` their connections are cut. */
  stop(force: boolean): Promise<void>
}

export interface ListenOptions {
  hostname: string
  /** 0 = any free port. */
  port: number
  /** Shares the port with other processes that do the same (SO_REUSEPORT); a port in use by any other program is still an error. */
  shared: boolean
  /** Idle limit of a connection in milliseconds, unless a handler suspends it; up to six seconds more may pass. At most 251 s. */
  idleMs: number
  /** Maximum bytes of a request body; larger than all of Parley's own limits, so that Parley itself refuses. */
  maxBodyBytes: number
  /** Must neither throw nor reject. */
  /** Looked up for each request, because it may be replaced. */
  handle(request: Request, peer: Peer): Response | Promise<Response>
}
