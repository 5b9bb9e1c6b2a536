/** Lists of addresses and ranges, such as `203.0.113.7` and `2001:db8::/32`. */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { GatewayError } from '#shared/errors'

/** Returns a test for membership. IPv4 written as IPv6 (`::ffff:203.0.113.7`) counts as IPv4. Throws `invalid_value`. */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  entries.forEach((entry, at) => {
    add(list, entry, at)
  })
  return (address) => {
    const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
    return isIP(plain) !== 0 && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
  }
}

function add(list: BlockList, entry: string, at: number): void {
  const [address = '', bits, ...more] = entry.split('/')
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined
  const most = family === 'ipv4' ? 32 : 128
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
  if (family === undefined || more.length > 0 || length < 0 || length > most) {
    const param = `addresses.${at}`
    throw new GatewayError('invalid_value', `${param}: expected an address or a range, like 203.0.113.7 or 10.0.0.0/8.`, { param })
  }
  list.addSubnet(address, length, family)
}
