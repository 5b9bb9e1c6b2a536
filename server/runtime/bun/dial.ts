/**
 * New connections to upstreams. Node's interface makes them, because it can give up one that is not established yet, and checks
 * certificates as `fetch` does; then Bun's own socket under it gets the handlers of the caller, because Node's streams cost more than
 * `fetch`.
 */

import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { AbortSignalLike } from '#runtime/contract/abort'

/** Where to connect. */
export interface Destination {
  /** The host as the URL names it, an IPv6 address without brackets. */
  host: string
  port: number
  secure: boolean
}

/** What happens on an established connection. Bytes that are handed on belong to the receiver. */
export interface SocketEvents {
  received(bytes: Buffer): void
  /** Bytes that did not fit may be written now. Also called without need. */
  writable(): void
  /** It has ended: in good order without a fault, which comes only after everything that was received. May be called more than once. */
  ended(fault?: Error): void
}

/** An established connection. */
export interface BunSocket {
  /** How many bytes were taken; the rest must be written again when it is `writable`. Negative: it is closed. */
  write(bytes: string | Uint8Array): number
  pause(): void
  resume(): void
  ref(): void
  unref(): void
  /** Closes it at once, whatever waits. */
  terminate(): void
  /** 1: open. */
  readonly readyState: number
}

interface Adoptable extends BunSocket {
  data: SocketEvents
  reload(options: { socket: typeof handlers }): void
}

type Owned = { data: SocketEvents }

const handlers = {
  data: (socket: Owned, bytes: Buffer) => socket.data.received(bytes),
  drain: (socket: Owned) => socket.data.writable(),
  end: (socket: Owned) => socket.data.ended(),
  close: (socket: Owned, fault?: Error) => socket.data.ended(fault),
  error: (socket: Owned, fault: Error) => socket.data.ended(fault),
}

/**
 * Resolves with what `eventsOf` makes of an established connection (TLS included, the certificate checked); its events go there.
 * `addresses`: those of the host to try, instead of asking DNS. Rejects with the reason of the signal, or an Error with a `code`.
 */
export async function dial<Events extends SocketEvents>(
  { host, port, secure }: Destination,
  addresses: readonly string[] | undefined,
  signal: AbortSignalLike,
  eventsOf: (socket: BunSocket) => Events,
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
  // Stays: a connection that is given up may still have something to say.
  socket.on('error', reject)
  socket.once('close', () => reject(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })))
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    const adopted = adoptableOf(socket)
    const events = eventsOf(adopted)
    adopted.data = events
    adopted.reload({ socket: handlers })
    resolve(events)
  })
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Bun's socket under Node's, which keeps nothing but its place. */
function adoptableOf(socket: Socket): Adoptable {
  const { _handle: handle } = socket as unknown as { _handle?: Partial<Adoptable> }
  if (typeof handle?.reload !== 'function') throw new Error('This version of Bun has no socket under that of node:net.')
  return handle as Adoptable
}

function whereTo(host: string, addresses: readonly string[] | undefined): { host: string; lookup?: LookupFunction } {
  const [first, ...others] = addresses ?? []
  if (addresses === undefined || first === undefined) return { host }
  return others.length === 0 ? { host: first } : { host, lookup: known(addresses) }
}

/** Answers for DNS. */
function known(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, done) => {
    const [first] = found
    if (options.all === true) done(null, found)
    else done(null, first?.address ?? '', first?.family)
  }
}
