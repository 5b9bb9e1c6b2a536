/** Opening the port. The only room that names the HTTP server. */
export interface Peer {
  /** The socket's address. */
  address: string
  /** Switches the server's idle timer off for this request; our own timers hold from here on. */
  keepOpen(): void
}

export interface Listener {
  port: number
  hostname: string
  /** Stops accepting; with `force` open connections are cut. */
  stop(force: boolean): Promise<void>
}

export interface ListenOptions {
  hostname: string
  /** 0 = any free one. */
  port: number
  /** Bytes; above every limit of our own, so that refusals are ours. */
  maxBodyBytes: number
  handle(request: Request, peer: Peer): Response | Promise<Response>
}

/** Throws an Error whose message is fit for a person when the port cannot be opened. */
export function listen(options: ListenOptions): Listener {
  try {
    const server = Bun.serve({
      hostname: options.hostname,
      port: options.port,
      idleTimeout: 60,
      maxRequestBodySize: options.maxBodyBytes,
      development: false,
      fetch(request, bun) {
        return options.handle(request, {
          address: bun.requestIP(request)?.address ?? '',
          keepOpen: () => bun.timeout(request, 0),
        })
      },
    })
    return {
      port: server.port ?? options.port,
      hostname: options.hostname,
      stop: (force) => server.stop(force),
    }
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
    const where = `${options.hostname}:${options.port}`
    if (code === 'EADDRINUSE') throw new Error(`${where} is already in use; set PARLEY_PORT to another port`)
    throw new Error(`cannot listen on ${where}${code === '' ? '' : ` (${code})`}`)
  }
}
