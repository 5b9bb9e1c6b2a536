/** Addresses at which no request is ever answered, each for a different reason. */
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { selfSigned } from '#testing/upstream/self-signed'

/** A closed port; a host name that does not exist; an untrusted certificate; a port that accepts connections and never speaks TLS. */
export type Place = 'nobody' | 'nameless' | 'stranger' | 'mute'

/** The addresses, by reason. */
export interface BrokenPlaces {
  addresses: Record<Place, string>
  /** Number of connections that are open now. */
  open(): number
  close(): void
}

/** Opens the ports. */
export async function brokenPlaces(): Promise<BrokenPlaces> {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  // Without reading, it would not notice that the peer has disconnected.
  const mute = createServer((socket) => keep(socket.resume()))
  // A valid answer, for a client that does not check the certificate.
  const stranger = createTlsServer(selfSigned('localhost'), (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'))
  stranger.on('connection', keep).on('tlsClientError', () => {})
  const [muteAddress, strangerAddress] = await Promise.all([mute, stranger].map(listening))
  return {
    addresses: {
      // Never given to a listener, unlike a port that was free a moment ago: tests that run at the same time open many.
      nobody: 'http://127.0.0.1:9',
      // No label of a host name may be this long, so no DNS query is needed.
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
