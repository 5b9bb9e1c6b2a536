/** Addresses at which no request is ever answered, each for a reason of its own. */
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { selfSigned } from '#testing/upstream/self-signed'

/** Nobody listens; no such name; a certificate that nobody vouches for; a port that accepts and never speaks TLS. */
export type Place = 'nobody' | 'nameless' | 'stranger' | 'mute'

export interface BrokenPlaces {
  addresses: Record<Place, string>
  /** Connections that are open now. */
  open(): number
  close(): void
}

export async function brokenPlaces(): Promise<BrokenPlaces> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  // Without reading, it would not see that the other side has left.
  const mute = createServer((socket) => keep(socket.resume()))
  // An answer that would be a good one, to somebody who does not look.
  const stranger = createTlsServer(selfSigned('localhost'), (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
  stranger.on('connection', keep).on('tlsClientError', () => {})
  const [muteAddress, strangerAddress] = await Promise.all([mute, stranger].map(listening))
  return {
    addresses: {
      nobody: await deadAddress(),
      // No label of a name may be so long, so nobody has to be asked for it.
      nameless: `http://${'x'.repeat(64)}.invalid`,
      stranger: strangerAddress ?? '',
      mute: muteAddress ?? '',
    },
    open: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy()
      mute.close()
      stranger.close()
    },
  }
}

function listening(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
    })
  })
}

/** A port on which nobody listens. */
async function deadAddress(): Promise<string> {
  const server = await scriptedUpstream()
  await server.close()
  return server.url
}
