/** A way to a server that can be cut, as when its machine or the network goes. */
import { connect, createServer, type Socket } from 'node:net'

export interface Cuttable {
  /** The address with this way's port in it. */
  url: string
  /** Breaks every connection and refuses new ones. */
  cut(): void
  mend(): void
  close(): void
}

export async function cuttable(target: string): Promise<Cuttable> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let whole = true
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    return socket
  }
  const server = createServer((client) => {
    keep(client)
    if (!whole) return client.destroy()
    const through = keep(connect(Number(port), hostname))
    client.on('close', () => through.destroy())
    through.on('close', () => client.destroy())
    client.pipe(through).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0
  const cut = () => {
    whole = false
    for (const socket of open) socket.destroy()
  }
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(own) }).href,
    cut,
    mend: () => {
      whole = true
    },
    close() {
      cut()
      server.close()
    },
  }
}
