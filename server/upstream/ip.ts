/** IP addresses as bytes: parsing, ranges, and the IPv4 addresses embedded in IPv6 ones. Pure. */
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Four bytes. */
export type Ipv4 = readonly number[]
/** Sixteen bytes. */
export type Ipv6 = readonly number[]

/** The bytes of an address in dotted decimal form, or undefined; other spellings (`127.1`, `0x7f.1`) are not accepted. */
export function parseIpv4(text: string): Ipv4 | undefined {
  return isIPv4(text) ? ipaddr.IPv4.parse(text).toByteArray() : undefined
}

/** The bytes of an address in any spelling, with or without a zone, or undefined. */
export function parseIpv6(text: string): Ipv6 | undefined {
  // The zone is removed: with one the library confuses `::1.2.3.4` with `::ffff:1.2.3.4`.
  return isIPv6(text) ? ipaddr.IPv6.parse(text.replace(/%.*$/, '')).toByteArray() : undefined
}

/**
 * A test for membership in a range (`fe80::/10`, `169.254.0.0/16`); false for addresses of the other family. Throws for an invalid
 * range.
 */
export function range(text: string): (address: Ipv4 | Ipv6) => boolean {
  const [network, bits] = ipaddr.parseCIDR(text)
  return (bytes) => {
    const address = ipaddr.fromByteArray([...bytes])
    return address.kind() === network.kind() && address.match(network, bits)
  }
}

/** Ranges that embed an IPv4 address: at `offset` bytes, inverted for Teredo clients. */
const carriers: { holds: (address: Ipv6) => boolean; offset: number; inverted?: boolean }[] = [
  { holds: range('::/96'), offset: 12 }, // IPv4-compatible
  { holds: range('::ffff:0:0/96'), offset: 12 }, // IPv4-mapped
  { holds: range('::ffff:0:0:0/96'), offset: 12 }, // IPv4-translated (SIIT)
  { holds: range('64:ff9b::/96'), offset: 12 }, // NAT64
  { holds: range('64:ff9b:1::/48'), offset: 12 }, // local NAT64, usual suffix length
  { holds: range('2002::/16'), offset: 2 }, // 6to4
  { holds: range('2001::/32'), offset: 4 }, // Teredo server
  { holds: range('2001::/32'), offset: 12, inverted: true }, // Teredo client
]

/** The IPv4 addresses at which packets to an IPv6 address may end. */
export function embeddedIpv4(address: Ipv6): Ipv4[] {
  const found = carriers
    .filter(({ holds }) => holds(address))
    .map(({ offset, inverted }) => address.slice(offset, offset + 4).map((byte) => (inverted ? 255 - byte : byte)))
  // ISATAP: any prefix, then 0000:5efe or 0200:5efe before the address.
  const isatap = ((address[8] ?? 0) & 0xfd) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe
  return isatap ? [...found, address.slice(12)] : found
}
