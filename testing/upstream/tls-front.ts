/** TLS in front of a scripted upstream: terminates it and passes the bytes on, recording what each client presented. */
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'

/** A running front. */
export interface TlsFront {
  readonly port: number
  /** For each established connection: the requested name, and the client's certificate. */
  readonly seen: readonly { name: string | false | null; shown: string | undefined }[]
  close(): Promise<void>
}

/** Starts one in front of `port`. `clients`: the authority (PEM) whose certificate clients must present. */
export async function tlsFront(port: number, certificate: { key: string; cert: string }, clients?: string): Promise<TlsFront> {
  const seen: { name: string | false | null; shown: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const demands = clients === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: clients }
  const server = createServer({ ...certificate, ...demands, ALPNProtocols: ['http/1.1'] }, (socket: TLSSocket) => {
    // The subject is one name or, in some runtimes, a list of them.
    const { CN } = socket.getPeerCertificate().subject ?? {}
    seen.push({ name: socket.servername ?? null, shown: CN === undefined ? undefined : String(CN) })
    const inner = connect(port, '127.0.0.1')
    for (const one of [socket, inner]) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        socket.destroy()
        inner.destroy()
      })
    }
    socket.pipe(inner).pipe(socket)
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
