/** The HTTP server as the rest of the program sees it. Each runtime has one; `#runtime/listen` opens it. */
import type { ClientListener } from './sockets.ts'

/** Requests that wait for their turn: those that came together begin together. */
export interface Line {
  /** How many wait. */
  readonly waiting: number
  /** Milliseconds that whoever comes now would wait, as far as can be told. */
  waitMs(): number
  /** Resolves when it is the turn of whoever asks. */
  turn(): Promise<void>
  /** To be called for each request that is refused instead: many of them must not keep the others from their turn. */
  turnedAway(): void
}

/** The connection that a request came over. */
export interface Peer {
  /** The socket's IP address; empty when it is unknown. Not asked for on the way of most requests. */
  readonly address: string
  /** Where its request waits for its turn. Absent: nobody waits. */
  readonly line?: Line
  /** Suspends the idle limit: the client waits for us, and our own timeouts apply. */
  suspendIdleLimit(): void
  /**
   * Applies the idle limit again: it is the client's turn to read what it was given, or to send its next request. A runtime that cannot
   * close the connection of a client that takes nothing calls `giveUp` instead.
   */
  limitIdle(giveUp?: () => void): void
  /**
   * Turns the request into a WebSocket; false when that is no longer possible. The handler's response is then not sent, so
   * `headers` are all that the client gets. If the client offered subprotocols, `sec-websocket-protocol` must name one of them.
   */
  upgrade(listener: ClientListener, headers: Record<string, string>): boolean
}

export interface Listener {
  /** The port that was opened, also where any free one was asked for. */
  port: number
  hostname: string
  /** From now on every response asks its client to reconnect, so that other processes on this port get its next request. */
  shed(): void
  /** Stops accepting and resolves when the open requests have ended; with `force` their connections are cut. */
  stop(force: boolean): Promise<void>
}

export interface ListenOptions {
  hostname: string
  /** 0 = any free port. */
  port: number
  /** Shares the port with other processes that do the same (SO_REUSEPORT); a port of any other program stays refused. */
  shared: boolean
  /** Milliseconds that a connection may be idle unless a handler says otherwise; up to six seconds more may pass. At most 251 s. */
  idleMs: number
  /** Bytes of a request body; larger than every limit of Parley's own, so that refusals are Parley's. */
  maxBodyBytes: number
  /** Must neither throw nor reject. */
  /** Looked up for each request: another may take its place. */
  handle(request: Request, peer: Peer): Response | Promise<Response>
}
