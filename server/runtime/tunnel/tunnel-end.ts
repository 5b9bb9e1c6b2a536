/** The target of a tunnel: always an address, because the proxy would resolve a name without checking the result. */
export interface TunnelEnd {
  /** An IP address, IPv6 without brackets. */
  address: string
  port: number
}
