/** Opening the port. The only room that names the HTTP server. */
import { type ClientListener, socketHandler } from './sockets.ts'

export interface Peer {
  /** The socket's address. */
  address: string
  /** The connection may lie still: it is we who let its client wait, and our own timers hold. */
  keepOpen(): void
  /** It may lie still for no longer than `idleMs`: it is for the client to take what it was given, or to ask again. */
  letGo(): void
  /**
   * Makes the request a WebSocket; false when it cannot be one any more. What the handler answers after that is not sent, so
   * `headers` are all that the client gets. Where it offered subprotocols, `sec-websocket-protocol` must name one of them.
   */
  upgrade(listener: ClientListener, headers: Record<string, string>): boolean
}

export interface Listener {
  port: number
  hostname: string
  /** From now on every answer asks its client to connect anew, so that others on this port get the next request. */
  shed(): void
  /** Stops accepting; with `force` open connections are cut. */
  stop(force: boolean): Promise<void>
}

export interface ListenOptions {
  hostname: string
  /** 0 = any free one. */
  port: number
  /** Shares the port with other processes that do the same; anybody else's port stays theirs. */
  shared: boolean
  /** How long a connection may lie still, in milliseconds, where nothing else is said; it ends up to four seconds later. At most 251 s. */
  idleMs: number
  /** Bytes; above every limit of our own, so that refusals are ours. */
  maxBodyBytes: number
  handle(request: Request, peer: Peer): Response | Promise<Response>
}

/** Seconds. The server looks for still connections only so often, and lets none lie still for longer than the other. */
const lookEvery = 4
const longestIdle = 255

/** Throws an Error whose message is fit for a person when the port cannot be opened. */
export function listen(options: ListenOptions): Listener {
  let shedding = false
  const idleSeconds = Math.min(longestIdle, Math.ceil(options.idleMs / 1000) + lookEvery)
  try {
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
          address: bun.requestIP(request)?.address ?? '',
          keepOpen: () => bun.timeout(request, 0),
          letGo: () => void (upgraded || bun.timeout(request, idleSeconds)),
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
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    const where = `${options.hostname}:${options.port}`
    if (code === 'EADDRINUSE') throw new Error(`${where} is already in use; set PARLEY_PORT to another port`)
    throw new Error(`cannot listen on ${where}${code === '' ? '' : ` (${code})`}`)
  }
}
