/**
 * Which addresses URLs sent by callers may reach: public ones only. Callers are not trusted, so this is an allowlist. It is an
 * argument of the fetcher; no setting weakens it.
 */
import { type AddressPolicy, channelPolicy, hostOf } from './addresses.ts'
import { range } from './ip.ts'

/** The policy of the fetcher. */
export interface MediaPolicy extends AddressPolicy {
  /** With the colon, as in `URL.protocol`. */
  readonly schemes: readonly string[]
  allowsPort(port: number): boolean
}

/** IANA's special-purpose ranges that are not globally reachable, and Azure's wire server. */
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

/** Global unicast, and NAT64, through which a machine without IPv4 reaches public IPv4 addresses (those are checked too). */
const publicIpv6 = ['2000::/3', '64:ff9b::/96'].map(range)
/** Exceptions inside global unicast: protocol assignments with Teredo, documentation, 6to4. */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(range)

const privateNames = ['localhost', 'localdomain', 'internal', 'intranet', 'local', 'lan', 'home', 'corp', 'home.arpa', 'onion']

/** The policy for URLs sent by callers. */
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

/** Longer URLs are rejected. */
const maxUrlChars = 8192

/**
 * Parses a URL, relative to `base` for redirects; undefined when the policy rejects how it is written. The checked object itself is
 * fetched, so that no second parser reads the text.
 */
export function readAddress(text: string, policy: MediaPolicy, base?: URL): URL | undefined {
  // `URL` treats these as slashes or drops them, other parsers do not; no legitimate URL contains them.
  if (text.length > maxUrlChars || /[\\\p{Cc}]/u.test(text)) return undefined
  const url = URL.parse(text, base?.href)
  if (url === null || !policy.schemes.includes(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || hostOf(url) === '') return undefined
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return policy.allowsPort(port) ? url : undefined
}
