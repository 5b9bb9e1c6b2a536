/**
 * Connections through a proxy, or with custom authorities or a client certificate. The result is a socket to the upstream as if connected
 * directly, with the certificate checked against the upstream's own name.
 */
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { AbortSignalLike } from '#runtime/contract/abort'
import { type CheckedRoute, ProxyFault, type ProxyServer } from '#runtime/contract/route'
import { handshakeOn } from './handshake-socket.ts'
import { connectOverHttp } from './http-connect.ts'
import { connectOverSocks5 } from './socks5.ts'
import type { TunnelEnd } from './tunnel-end.ts'

/** The target of a connection. */
export interface RoutedTarget {
  /** The host as the URL names it, an IPv6 address without brackets. */
  host: string
  port: number
  secure: boolean
  /** The checked addresses of the host; undefined if it is an address itself. */
  addresses: readonly string[] | undefined
}

/** Maximum addresses of one upstream that are tried through a proxy. */
const mostAddresses = 3

/**
 * Resolves with a paused socket that is established, TLS included. The proxy is asked for an address, never for a name. Rejects with the
 * signal's reason, with ProxyFault when the proxy is at fault, or an Error with a `code`.
 */
export async function connectRouted(target: RoutedTarget, route: CheckedRoute, signal: AbortSignalLike): Promise<Socket> {
  signal.throwIfAborted()
  const opened: Socket[] = []
  const aborted = Promise.withResolvers<never>()
  const abort = () => {
    for (const socket of opened) socket.destroy()
    aborted.reject(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  const keep = (socket: Socket) => {
    opened.push(socket)
    // Never removed: an abandoned socket may still emit an error.
    socket.on('error', () => undefined)
    return socket
  }
  try {
    return await Promise.race([route.proxy ? tunnelled(target, route, route.proxy, keep) : direct(target, route, keep), aborted.promise])
  } catch (thrown) {
    for (const socket of opened) socket.destroy()
    throw thrown
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

type Keep = (socket: Socket) => Socket

async function direct(target: RoutedTarget, route: CheckedRoute, keep: Keep): Promise<Socket> {
  const base = keep(connect({ port: target.port, ...destination(target.host, target.addresses) }))
  await established(base, 'connect')
  return target.secure ? secured(base, target.host, route.tls, keep) : base
}

async function tunnelled(target: RoutedTarget, route: CheckedRoute, proxy: ProxyServer, keep: Keep): Promise<Socket> {
  const addresses = isIP(target.host) !== 0 ? [target.host] : [...(target.addresses ?? [])]
  // IPv4 first: the proxy may have nothing else.
  const ends = addresses.sort((one, other) => isIP(one) - isIP(other)).slice(0, mostAddresses)
  let fault: unknown = new ProxyFault('PROXY_TARGET', 'no address')
  for (const address of ends) {
    try {
      const tunnel = await tunnelTo({ address, port: target.port }, route, proxy, keep)
      return target.secure ? await secured(tunnel, target.host, route.tls, keep) : tunnel
    } catch (thrown) {
      fault = thrown
      // Another address only helps if the proxy could not reach this one.
      if (!(thrown instanceof ProxyFault) || thrown.code !== 'PROXY_TARGET') break
    }
  }
  throw fault
}

async function tunnelTo(end: TunnelEnd, route: CheckedRoute, proxy: ProxyServer, keep: Keep): Promise<Socket> {
  const socket = await toProxy(route, proxy, keep).catch((thrown: unknown) => {
    throw new ProxyFault('PROXY_UNREACHABLE', codeOf(thrown))
  })
  const wire = handshakeOn(socket)
  await (proxy.kind === 'socks5' ? connectOverSocks5 : connectOverHttp)(wire, end, proxy)
  wire.finish()
  return socket
}

async function toProxy(route: CheckedRoute, proxy: ProxyServer, keep: Keep): Promise<Socket> {
  const base = keep(connect({ port: proxy.port, ...destination(proxy.host, route.proxyAddresses) }))
  await established(base, 'connect')
  return proxy.kind === 'https' ? secured(base, proxy.host, { ca: route.tls?.ca }, keep) : base
}

async function secured(base: Socket, host: string, identity: CheckedRoute['tls'], keep: Keep): Promise<Socket> {
  const { ca, cert, key } = identity ?? {}
  const options = {
    socket: base,
    ALPNProtocols: ['http/1.1'],
    // Without a name the certificate is compared with the address.
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert, key }),
  }
  const socket = keep(connectSecurely(options))
  await established(socket, 'secureConnect')
  return socket
}

async function established(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const closed = () => reject(Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' }))
  socket.once(event, resolve)
  socket.once('error', reject)
  socket.once('close', closed)
  try {
    await promise
    socket.setNoDelay(true)
  } finally {
    socket.off(event, resolve).off('error', reject).off('close', closed)
  }
}

const codeOf = (thrown: unknown) => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown')

function destination(host: string, addresses: readonly string[] | undefined): { host: string; lookup?: LookupFunction } {
  if (addresses === undefined || addresses.length === 0) return { host }
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const lookup: LookupFunction = (_, { all }, done) => {
    if (all === true) done(null, found)
    else done(null, found[0]?.address ?? '', found[0]?.family)
  }
  return { host, lookup }
}
