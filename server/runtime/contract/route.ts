/** How to connect to an upstream through a proxy, or with other certificates than the machine's own. */

/** A proxy. `socks5` is RFC 1928; the others use CONNECT, over TLS for `https`. */
export interface ProxyServer {
  kind: 'http' | 'https' | 'socks5'
  /** A name or address, an IPv6 address without brackets. */
  host: string
  port: number
  /** Undefined: no credentials are sent to the proxy. */
  credentials: { user: string; password: string } | undefined
}

/** Trusted authorities and client certificate for TLS. All are PEM. */
export interface TlsIdentity {
  /** The trusted authorities, instead of the machine's own. They also apply to an `https` proxy. */
  ca?: string | undefined
  /** The client certificate for the upstream, with its key. */
  cert?: string | undefined
  key?: string | undefined
}

/** A route to an upstream. */
export interface Route {
  /** Identifies the route: connections are pooled by it. */
  readonly name: string
  readonly proxy?: ProxyServer | undefined
  readonly tls?: TlsIdentity | undefined
}

/** A route whose addresses were checked. */
export interface CheckedRoute extends Route {
  /** The addresses of the proxy's host name; undefined if it is an address itself. */
  readonly proxyAddresses?: readonly string[] | undefined
}

export type ProxyFaultCode = 'PROXY_UNREACHABLE' | 'PROXY_AUTH' | 'PROXY_REFUSED' | 'PROXY_TARGET' | 'PROXY_MALFORMED'

/** A proxy that could not be used. The message repeats nothing that was received. */
export class ProxyFault extends Error {
  readonly code: ProxyFaultCode
  /** The reason from the proxy or the network: a status, a reply number, an error code. */
  readonly detail: string

  constructor(code: ProxyFaultCode, detail: string) {
    super(`${code} ${detail}`)
    this.code = code
    this.detail = detail
  }
}
