/** The part of Deno's API that this folder uses. */
declare namespace Deno {
  interface NetAddr {
    transport: 'tcp'
    hostname: string
    port: number
  }

  interface ServeOptions {
    hostname: string
    port: number
    reusePort: boolean
    /** Aborting it ends the server and cuts its connections. */
    signal: AbortSignal
    onListen(address: NetAddr): void
    onError(thrown: unknown): Response
  }

  interface HttpServer {
    readonly addr: NetAddr
    readonly finished: Promise<void>
    /** Stops accepting; resolves when the open requests have ended. */
    shutdown(): Promise<void>
  }

  function serve(
    options: ServeOptions,
    handler: (request: Request, info: { remoteAddr: NetAddr }) => Response | Promise<Response>,
  ): HttpServer

  /** The timer does not keep the process running. */
  function unrefTimer(timer: number): void

  /** `idleTimeout` in seconds: pings are sent meanwhile, and a connection that does not answer is closed. */
  function upgradeWebSocket(request: Request, options: { idleTimeout: number }): { socket: WebSocket; response: Response }
}
