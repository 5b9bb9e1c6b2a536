/**
 * Routes to upstreams through proxies or with their own certificates. Proxies follow the rule for all addresses that administrators enter:
 * private ones are allowed, link-local and metadata addresses never, and the connection is made to the address that was checked.
 */

import type { AbortSignalLike } from '#runtime/contract/abort'
import { type CheckedRoute, ProxyFault, type ProxyFaultCode, type ProxyServer, type Route, type TlsIdentity } from '#runtime/contract/route'
import { certificateFault } from '#runtime/tunnel/certificates'
import { readProxyUrl } from '#runtime/tunnel/proxy-url'
import { GatewayError } from '#shared/errors'
import { rejectOnAbort } from './abort.ts'
import { type AddressCheck, channelPolicy, refusesHost } from './addresses.ts'

/** Checks the proxy of a channel when it is configured, without DNS. Throws `invalid_value` for `proxy`. */
export function assertProxy(text: string): void {
  const proxy = readProxyUrl(text)
  if (proxy === undefined) throw invalid('A proxy is http://, https:// or socks5:// with a host, a port and nothing after it, or `direct`.')
  if (refusesHost(proxy.host, channelPolicy)) throw invalid('Link-local and metadata addresses cannot be used.')
}

/** Checks the certificates of a channel when it is configured. Throws `invalid_value` with the field in `tls`. */
export function assertTls(identity: TlsIdentity): void {
  const fault = certificateFault(identity)
  if (fault !== undefined) throw invalid(fault.what, `tls.${fault.field}`)
}

const invalid = (message: string, param = 'proxy') => new GatewayError('invalid_value', message, { param })

/** The proxy's address in the form that the address check takes. */
const addressOf = ({ host, port }: ProxyServer) => `http://${host.includes(':') ? `[${host}]` : host}:${port}/`

/** The route with the checked addresses of its proxy. Rejects with `upstream_error` or the signal's reason. */
export async function checkedRoute(check: AddressCheck, route: Route, signal: AbortSignalLike): Promise<CheckedRoute> {
  if (route.proxy === undefined) return route
  const address = addressOf(route.proxy)
  try {
    const checking = check(address)
    if (checking !== undefined) await rejectOnAbort(checking, signal)
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    throw new GatewayError('upstream_error', messages.PROXY_UNREACHABLE, { cause: thrown })
  }
  return { ...route, proxyAddresses: check.addressesOf?.(address) }
}

const messages = {
  PROXY_UNREACHABLE: 'The outbound proxy could not be reached.',
  PROXY_AUTH: 'The outbound proxy asks for other credentials.',
  PROXY_REFUSED: 'The outbound proxy refused to connect to the upstream.',
  PROXY_TARGET: 'The outbound proxy could not connect to the upstream.',
  PROXY_MALFORMED: 'The outbound proxy answered with something that is not its protocol.',
} as const satisfies Record<ProxyFaultCode, string>

/** The error of a call that failed on its route; undefined when the proxy is not to blame. `stood`: whether the tunnel was established. */
export function routeFailure(route: Route, thrown: unknown, signal: AbortSignalLike, stood: boolean): GatewayError | undefined {
  if (signal.aborted) {
    const timedOut = signal.reason instanceof GatewayError && signal.reason.code === 'upstream_timeout'
    if (!timedOut || stood || route.proxy === undefined) return undefined
    return new GatewayError('upstream_timeout', 'Connecting through the outbound proxy timed out.', { cause: signal.reason })
  }
  if (thrown instanceof ProxyFault)
    return new GatewayError('upstream_error', messages[thrown.code], { cause: `${thrown.code} ${thrown.detail}` })
  const isUnsupported = thrown instanceof Error && 'code' in thrown && thrown.code === 'ROUTE_UNSUPPORTED'
  return isUnsupported
    ? new GatewayError('upstream_error', 'Outbound proxies and certificates of channels need Bun.', { cause: 'ROUTE_UNSUPPORTED' })
    : undefined
}
