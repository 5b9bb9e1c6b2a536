/** Idle connections: limited in number and age, and none that the other side has closed. */
import type { HttpConnection } from './http-connection.ts'

/** Maximum idle connections, per origin and in total. */
const mostByOrigin = 256
const mostInAll = 1024
/** Milliseconds for which an idle connection is kept. */
const keptMs = 90_000
/** Stops reusing a connection this many milliseconds before the other side closes it, so that no request is in flight then. */
const marginMs = 1_000

/** The idle connections of one client. */
export interface HttpPool {
  /** Removes the most recently used one from the pool; undefined when there is none. */
  take(origin: string): HttpConnection | undefined
  /** Adds an idle connection. `keptSeconds`: for how long the other side keeps it, if it says. */
  keep(connection: HttpConnection, keptSeconds: number | undefined): void
  /** Removes a closed connection. */
  forget(connection: HttpConnection): void
  /** Closes all, and from now on every connection that is added. */
  close(): void
}

/** `sweepEveryMs`: how often expired connections are looked for. */
export function createHttpPool(clock: { monotonic(): number }, sweepEveryMs = 5_000): HttpPool {
  const idle = new Map<string, HttpConnection[]>()
  let count = 0
  let isClosed = false
  let timer: ReturnType<typeof setInterval> | undefined

  function sweep(): void {
    const now = clock.monotonic()
    for (const [origin, connections] of [...idle]) {
      for (const connection of connections.filter(({ keptUntil }) => keptUntil <= now)) connection.close()
      if (connections.length === 0) idle.delete(origin)
    }
    if (count > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    take(origin) {
      const connections = idle.get(origin)
      for (let connection = connections?.pop(); connection !== undefined; connection = connections?.pop()) {
        count -= 1
        if (connection.isOpen && connection.keptUntil > clock.monotonic()) return connection
        connection.close()
      }
      return undefined
    },
    keep(connection, keptSeconds) {
      const ms = keptSeconds === undefined ? keptMs : Math.min(keptMs, keptSeconds * 1000 - marginMs)
      const connections = idle.get(connection.origin) ?? []
      if (isClosed || ms <= 0 || count >= mostInAll || connections.length >= mostByOrigin) return connection.close()
      if (connections.length === 0) idle.set(connection.origin, connections)
      connection.keptUntil = clock.monotonic() + ms
      connections.push(connection)
      count += 1
      timer ??= setInterval(sweep, sweepEveryMs).unref()
    },
    forget(connection) {
      const connections = idle.get(connection.origin)
      const at = connections?.indexOf(connection) ?? -1
      if (connections === undefined || at < 0) return
      connections.splice(at, 1)
      count -= 1
    },
    close() {
      isClosed = true
      for (const connections of [...idle.values()]) for (const connection of [...connections]) connection.close()
      clearInterval(timer)
    },
  }
}
