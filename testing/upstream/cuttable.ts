/**
 * A TCP proxy to a server that can be cut, as when the server's machine stops (connections break, new ones are refused), or slowed down.
 */
import { connect, createServer, type Socket } from 'node:net'
import { wait } from './scripted-answers.ts'

/** A proxy and its faults. */
export interface Cuttable {
  /** The server's address with the proxy's port. */
  url: string
  cut(): Promise<void>
  mend(): Promise<void>
  /** New connections go to this server. */
  turnTo(url: string): void
  /** Delays everything that the server sends by this many milliseconds from now on; the order stays. */
  slow(ms: number): void
}

/** Starts a proxy to the server at this address. */
export async function cuttable(target: string): Promise<Cuttable> {
  let { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let delayMs = 0
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    return socket
  }
  const server = createServer((client) => {
    const through = keep(connect(Number(port), hostname))
    keep(client).on('close', () => through.destroy())
    through.on('close', () => client.destroy())
    client.pipe(through)
    // In order, as TCP delivers them: after a delay, later bytes wait for earlier ones.
    let sent = Promise.resolve()
    let waiting = 0
    through.on('data', (bytes) => {
      if (delayMs === 0 && waiting === 0) return void client.write(bytes)
      const due = performance.now() + delayMs
      waiting += 1
      sent = sent.then(async () => {
        await wait(Math.max(0, due - performance.now()))
        client.write(bytes)
        waiting -= 1
      })
    })
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(own) }).href,
    cut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) socket.destroy()
      return closed
    },
    turnTo(other) {
      ;({ hostname, port } = new URL(other))
    },
    slow(ms) {
      delayMs = ms
    },
    mend: () => (server.listening ? Promise.resolve() : listen(own)),
  }
}
