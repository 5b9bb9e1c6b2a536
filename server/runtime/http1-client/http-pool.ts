/** Connections that wait for another request: few, not for long, and none that the other side has closed. */
import type { HttpConnection } from './http-connection.ts'

/** Idle connections at most, to one origin and in all. */
const mostByOrigin = 256
const mostInAll = 1024
/** Milliseconds for which one is kept. */
const keptMs = 90_000
/** A request must not be on its way while the other side closes an idle connection: this many milliseconds before is late enough. */
const marginMs = 1_000

/** The connections of one client. */
export interface HttpPool {
  /** The one that was used last, which is out of the pool now; undefined when none is open. */
  take(origin: string): HttpConnection | undefined
  /** Keeps a connection that nobody uses. `keptSeconds`: for how long the other side keeps it, if it says. */
  keep(connection: HttpConnection, keptSeconds: number | undefined): void
  /** Forgets a connection that is closed. */
  forget(connection: HttpConnection): void
  /** Closes all, and from now on those that would be kept. */
  close(): void
}

/** A pool of its own. `sweepEveryMs`: how often it looks for those that have waited too long. */
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
