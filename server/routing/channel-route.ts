/** The route to a channel's upstream: its own proxy, or that of the installation, and its certificates. Pure. */
import type { ProxyServer, Route, TlsIdentity } from '#runtime/contract/route'
import { sha256Hex } from '#runtime/secrets'
import { readProxyUrl } from '#runtime/tunnel/proxy-url'
import type { ChannelRecord } from '#store/channels/channels'

/** The value of `proxy` for a channel that uses none. */
export const directly = 'direct'

/** Upstreams on this machine are never proxied: for the proxy such an address would be its own machine. */
const isThisMachine = (host: string) => /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/.test(host)

/** Used if the stored proxy cannot be read, so that no direct call is made instead. The name cannot exist (RFC 6761). */
const nowhere: ProxyServer = { kind: 'http', host: 'unreadable.invalid', port: 1, credentials: undefined }

/** Undefined: a direct connection. `shared`: the proxy of all channels that name none, which an upstream on this machine does not use. */
export function routeOf(
  { proxy, tls }: Pick<ChannelRecord, 'proxy' | 'tls'>,
  baseUrl: string,
  shared: string | undefined,
): Route | undefined {
  const usual = isThisMachine(URL.parse(baseUrl)?.hostname ?? '') ? undefined : shared
  const chosen = proxy === directly ? undefined : (proxy ?? usual)
  const given = Object.entries(tls).filter(([, text]) => text !== '')
  const identity: TlsIdentity | undefined = given.length === 0 ? undefined : Object.fromEntries(given)
  if (chosen === undefined && identity === undefined) return undefined
  const server = chosen === undefined ? undefined : (readProxyUrl(chosen) ?? nowhere)
  return { name: sha256Hex(JSON.stringify([chosen, identity])).slice(0, 16), proxy: server, tls: identity }
}
