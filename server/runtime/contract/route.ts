/** How connections to an upstream are made, where not directly and not with the machine's own certificates. */

/** A proxy that passes connections on. `socks5` is RFC 1928; the others are asked with CONNECT, over TLS where it says `https`. */
export interface ProxyServer {
  kind: 'http' | 'https' | 'socks5'
  /** A name or address, an IPv6 address without brackets. */
  host: string
  port: number
  /** Undefined: the proxy is asked without credentials. */
  credentials: { user: string; password: string } | undefined
}

/** What TLS believes and shows. All are PEM. */
export interface TlsIdentity {
  /** The authorities that are believed, instead of the machine's own. They count for an `https` proxy, too. */
  ca?: string | undefined
  /** Shown to the upstream when it asks, with its key. */
  cert?: string | undefined
  key?: string | undefined
}

/** A way to an upstream. */
export interface Route {
  /** The same for the same way: what connections are told apart by. */
  readonly name: string
  readonly proxy?: ProxyServer | undefined
  readonly tls?: TlsIdentity | undefined
}

/** A way whose addresses were checked. */
export interface CheckedRoute extends Route {
  /** Addresses of the proxy's name to connect to; undefined where it has an address itself. */
  readonly proxyAddresses?: readonly string[] | undefined
}

/** What went wrong at a proxy. */
export type ProxyFaultCode = 'PROXY_UNREACHABLE' | 'PROXY_AUTH' | 'PROXY_REFUSED' | 'PROXY_TARGET' | 'PROXY_MALFORMED'

/** A proxy that could not be used. Its text repeats nothing of what was received. */
export class ProxyFault extends Error {
  readonly code: ProxyFaultCode
  /** What the proxy or the network said: a status, the number of a reply, a code. */
  readonly said: string

  constructor(code: ProxyFaultCode, said: string) {
    super(`${code} ${said}`)
    this.code = code
    this.said = said
  }
}
