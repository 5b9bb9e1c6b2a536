/** IP addresses as bytes: parsing, ranges, and the IPv4 addresses that hide inside IPv6 ones. Pure. */
import { isIPv4, isIPv6 } from 'node:net'

/** Four bytes. */
export type Ipv4 = readonly number[]
/** Sixteen bytes. */
export type Ipv6 = readonly number[]

/** The bytes of a plain dotted address, or undefined. */
export function parseIpv4(text: string): Ipv4 | undefined {
  return isIPv4(text) ? text.split('.').map(Number) : undefined
}

/** The bytes of an address in any spelling, with or without a zone, or undefined. */
export function parseIpv6(text: string): Ipv6 | undefined {
  if (!isIPv6(text)) return undefined
  const plain = text.replace(/%.*$/, '')
  const [head = '', tail] = plain.split('::')
  const before = bytesOf(head)
  if (tail === undefined) return before
  const after = bytesOf(tail)
  return [...before, ...new Array<number>(16 - before.length - after.length).fill(0), ...after]
}

function bytesOf(groups: string): number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}

/** A test for membership in `text` (`fe80::/10`, `169.254.0.0/16`). Addresses of the other family never belong. */
export function range(text: string): (address: Ipv4 | Ipv6) => boolean {
  const [base = '', bits] = text.split('/')
  const start = parseIpv4(base) ?? parseIpv6(base) ?? []
  const masks = start.map((_, index) => (0xff << (8 - Math.min(8, Math.max(0, Number(bits) - index * 8)))) & 0xff)
  return (address) =>
    address.length === start.length && masks.every((mask, index) => ((address[index] ?? 0) & mask) === ((start[index] ?? 0) & mask))
}

/** Where a range carries an IPv4 address: at `offset` bytes, inverted in Teredo. */
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

/** The IPv4 addresses that an IPv6 address may end at. */
export function embeddedIpv4(address: Ipv6): Ipv4[] {
  const found = carriers
    .filter(({ holds }) => holds(address))
    .map(({ offset, inverted }) => address.slice(offset, offset + 4).map((byte) => (inverted ? 255 - byte : byte)))
  // ISATAP: any prefix, then 0000:5efe or 0200:5efe before the address.
  const isatap = ((address[8] ?? 0) & 0xfd) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe
  return isatap ? [...found, address.slice(12)] : found
}
