/**
 * New connections to upstreams. Made with Node's API on every runtime, because it can abort a pending connection and checks certificates as
 * `fetch` does; `adopt` then decides how bytes are read and written.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Adopt, RawSocket, SocketEvents } from './raw-socket.ts'

/** Where to connect. */
export interface Destination {
  /** The host as the URL names it, an IPv6 address without brackets. */
  host: string
  port: number
  secure: boolean
}

/**
 * Resolves with the result of `eventsOf` for an established connection (TLS included, the certificate checked), which gets its events.
 * `addresses`: the host's addresses to try, instead of asking DNS. Rejects with the reason of the signal, or an Error with a `code`.
 */
export async function dial<Events extends SocketEvents>(
  { host, port, secure }: Destination,
  addresses: readonly string[] | undefined,
  signal: AbortSignalLike,
  adopt: Adopt,
  eventsOf: (socket: RawSocket) => Events,
): Promise<Events> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<Events>()
  const options = { port, noDelay: true, autoSelectFamily: true, ...whereTo(host, addresses) }
  const name = isIP(host) === 0 ? { servername: host } : {}
  const socket: Socket = secure ? connectSecurely({ ...options, ...name, ALPNProtocols: ['http/1.1'] }) : connect(options)
  const abort = () => {
    socket.destroy()
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  // Never removed: an abandoned connection may still emit an error.
  socket.on('error', reject)
  socket.once('close', () => reject(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })))
  socket.once(secure ? 'secureConnect' : 'connect', () => resolve(adopt(socket, eventsOf)))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function whereTo(host: string, addresses: readonly string[] | undefined): { host: string; lookup?: LookupFunction } {
  const [first, ...others] = addresses ?? []
  if (addresses === undefined || first === undefined) return { host }
  return others.length === 0 ? { host: first } : { host, lookup: known(addresses) }
}

/** A lookup function that returns these addresses. */
function known(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, done) => {
    const [first] = found
    if (options.all === true) done(null, found)
    else done(null, first?.address ?? '', first?.family)
  }
}
