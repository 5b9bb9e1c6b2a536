/**
 * Which addresses a caller's URL may make Parley visit: public ones only. This is a stranger's word, so the list says what is
 * allowed and everything else is not. It is an argument of the fetcher; no setting weakens it.
 */
import { type AddressPolicy, channelPolicy, hostOf } from './addresses.ts'
import { range } from './ip.ts'

export interface MediaPolicy extends AddressPolicy {
  /** With the colon, as `URL` says it. */
  readonly schemes: readonly string[]
  allowsPort(port: number): boolean
}

/** Everything of IANA's special-purpose registry that is not reachable from everywhere, and Azure's wire server. */
const privateIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
].map(range)

/** Global unicast, and NAT64, behind which a machine without IPv4 finds public IPv4 addresses (those are checked again). */
const publicIpv6 = ['2000::/3', '64:ff9b::/96'].map(range)
/** Inside global unicast: protocol assignments with Teredo, documentation, 6to4. */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(range)

const privateNames = ['localhost', 'localdomain', 'internal', 'intranet', 'local', 'lan', 'home', 'corp', 'home.arpa', 'onion']

/** For URLs that callers send. */
export const publicOnly: MediaPolicy = {
  schemes: ['https:'],
  allowsPort: (port) => port === 443 || port === 80,
  refusesIpv4: (address) => privateIpv4.some((holds) => holds(address)),
  refusesIpv6: (address) => !publicIpv6.some((holds) => holds(address)) || specialIpv6.some((holds) => holds(address)),
  refusesName: (name) =>
    name.length > 253 ||
    !name.includes('.') ||
    privateNames.some((refused) => name.endsWith(`.${refused}`)) ||
    channelPolicy.refusesName(name),
}

/** Longer addresses are not visited. */
const maxUrlChars = 8192

/**
 * The address as it may be visited, `base` being where a redirect came from; undefined when the policy refuses how it is
 * written. What is checked here is the object that is fetched: no second parser reads the text.
 */
export function readAddress(text: string, policy: MediaPolicy, base?: URL): URL | undefined {
  // `URL` takes these for a slash or for nothing, other parsers do not: nobody means them in an address.
  if (text.length > maxUrlChars || /[\\\p{Cc}]/u.test(text)) return undefined
  const url = URL.parse(text, base?.href)
  if (url === null || !policy.schemes.includes(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || hostOf(url) === '') return undefined
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return policy.allowsPort(port) ? url : undefined
}
