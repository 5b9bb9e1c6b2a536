/** Asks a proxy for a tunnel over SOCKS 5 (RFC 1928), with user name and password (RFC 1929) where there are any. */
import { isIPv4 } from 'node:net'
import { ProxyFault, type ProxyServer } from '#runtime/contract/route'
import type { HandshakeSocket } from './handshake-socket.ts'
import type { TunnelEnd } from './tunnel-end.ts'

const version = 5
const methods = { none: 0, password: 2, refused: 0xff }
const connectCommand = 1
const addressKinds = { ipv4: 1, name: 3, ipv6: 4 }
/** Replies that are about the upstream, not the proxy: network or host unreachable, connection refused, TTL expired. */
const unreachableTarget = new Set([3, 4, 5, 6])

/** Resolves when the tunnel is established; rejects with ProxyFault. */
export async function connectOverSocks5(wire: HandshakeSocket, end: TunnelEnd, proxy: ProxyServer): Promise<void> {
  const { credentials } = proxy
  const offered = credentials === undefined ? [methods.none] : [methods.none, methods.password]
  wire.write(Uint8Array.of(version, offered.length, ...offered))
  const chosen = await reply(wire)
  if (chosen === methods.refused) throw new ProxyFault('PROXY_AUTH', 'no method')
  if (!offered.includes(chosen)) throw malformed()
  if (chosen === methods.password && credentials !== undefined) await signIn(wire, credentials)
  wire.write(Uint8Array.of(version, connectCommand, 0, ...addressOf(end.address), end.port >> 8, end.port & 255))
  const status = await reply(wire)
  if (status !== 0) throw new ProxyFault(unreachableTarget.has(status) ? 'PROXY_TARGET' : 'PROXY_REFUSED', `reply ${status}`)
  await skipBoundAddress(wire)
}

const malformed = () => new ProxyFault('PROXY_MALFORMED', 'no SOCKS 5')

/** The version, and the byte after it. */
async function reply(wire: HandshakeSocket): Promise<number> {
  const [replyVersion, value] = await wire.take(2)
  if (replyVersion !== version || value === undefined) throw malformed()
  return value
}

async function signIn(wire: HandshakeSocket, credentials: { user: string; password: string }): Promise<void> {
  const [user, password] = [Buffer.from(credentials.user, 'utf8'), Buffer.from(credentials.password, 'utf8')]
  wire.write(Uint8Array.of(1, user.length, ...user, password.length, ...password))
  const [, status] = await wire.take(2)
  if (status !== 0) throw new ProxyFault('PROXY_AUTH', 'refused')
}

/** Skips the proxy's own address, which precedes the first byte from the upstream. */
async function skipBoundAddress(wire: HandshakeSocket): Promise<void> {
  const [, kind] = await wire.take(2)
  if (kind === addressKinds.ipv4) await wire.take(4)
  else if (kind === addressKinds.ipv6) await wire.take(16)
  else if (kind === addressKinds.name) await wire.take((await wire.take(1))[0] ?? 0)
  else throw malformed()
  await wire.take(2)
}

function addressOf(address: string): number[] {
  if (isIPv4(address)) return [addressKinds.ipv4, ...address.split('.').map(Number)]
  return [addressKinds.ipv6, ...ipv6Bytes(address)]
}

/** `URL` writes every IPv6 address as groups with at most one gap. */
function ipv6Bytes(address: string): number[] {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = [], after = []] = groups.split('::').map((side) => (side === '' ? [] : side.split(':')))
  const gap = groups.includes('::') ? new Array<string>(8 - before.length - after.length).fill('0') : []
  return [...before, ...gap, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}
