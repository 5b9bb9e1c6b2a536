/** Where a tunnel leads: always an address, because a name would be resolved by the proxy, where nobody checks what comes out. */
export interface TunnelEnd {
  /** An IP address, IPv6 without brackets. */
  address: string
  port: number
}
