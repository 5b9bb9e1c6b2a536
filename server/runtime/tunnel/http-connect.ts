/** Asks a proxy for a tunnel with CONNECT (RFC 9110, section 9.3.6). */
import { ProxyFault, type ProxyServer } from '#runtime/contract/route'
import type { HandshakeSocket } from './handshake-socket.ts'
import type { TunnelEnd } from './tunnel-end.ts'

/** Statuses that are about the upstream, not the proxy. */
const unreachableTarget = new Set([502, 503, 504])

/** Resolves when the tunnel is established; rejects with ProxyFault. */
export async function connectOverHttp(wire: HandshakeSocket, { address, port }: TunnelEnd, proxy: ProxyServer): Promise<void> {
  const authority = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]
  if (proxy.credentials !== undefined) {
    const { user, password } = proxy.credentials
    lines.push(`Proxy-Authorization: Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`)
  }
  wire.write(`${lines.join('\r\n')}\r\n\r\n`)
  const head = (await wire.takeUntil('\r\n\r\n')).toString('latin1')
  const status = Number(/^HTTP\/1\.[01] (\d{3})[ \r]/.exec(head)?.[1] ?? Number.NaN)
  if (Number.isNaN(status)) throw new ProxyFault('PROXY_MALFORMED', 'no HTTP')
  if (status >= 200 && status <= 299) return
  if (status === 407) throw new ProxyFault('PROXY_AUTH', '407')
  throw new ProxyFault(unreachableTarget.has(status) ? 'PROXY_TARGET' : 'PROXY_REFUSED', String(status))
}
