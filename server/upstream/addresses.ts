/**
 * Which addresses upstream calls may reach. Administrators choose base URLs, so private and loopback addresses are allowed;
 * link-local and cloud metadata addresses never are, in any spelling and behind any name.
 *
 * A name is checked again for every call, and connections, WebSockets too, are made to the addresses that were checked: a DNS server that
 * changes its answer changes nothing. URLs sent by callers go through the stricter `media.ts`.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { embeddedIpv4, type Ipv4, type Ipv6, parseIpv4, parseIpv6, range } from './ip.ts'

/** Addresses and names that must not be reached. Names are lower case, without a trailing dot. */
export interface AddressPolicy {
  refusesIpv4(address: Ipv4): boolean
  refusesIpv6(address: Ipv6): boolean
  refusesName(name: string): boolean
}

/** 169.254/16 contains the metadata service of nearly every cloud; the others are exceptions of single clouds. */
const refusedIpv4 = [
  range('169.254.0.0/16'),
  range('100.100.100.200/32'), // Alibaba
  range('168.63.129.16/32'), // Azure's wire server
  range('192.0.0.192/32'), // Oracle
]
const refusedIpv6 = [
  range('fe80::/10'),
  range('fd00:ec2::/32'), // Amazon
  range('fd20:ce::254/128'), // Google
]
const refusedNames = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]

/** The policy for base URLs of channels. */
export const channelPolicy: AddressPolicy = {
  refusesIpv4: (address) => refusedIpv4.some((holds) => holds(address)),
  refusesIpv6: (address) => refusedIpv6.some((holds) => holds(address)),
  refusesName: (name) => refusedNames.some((refused) => name === refused || name.endsWith(`.${refused}`)),
}

/** The check of addresses. */
export interface AddressCheck {
  /** Checks a URL before a call: returns undefined when the result is cached, else a promise. Throws or rejects with `upstream_error`. */
  (url: string): Promise<void> | undefined
  /** After its check: the addresses of the URL's name, all of them checked; undefined where the URL has an address itself. */
  addressesOf?(url: string): readonly string[] | undefined
}

/** Checks a base URL when a channel is configured, without DNS. Throws `invalid_value` for `baseUrl`. */
export function assertChannelAddress(url: string, policy: AddressPolicy = channelPolicy): void {
  const { fault } = inspected(url, policy)
  if (fault !== undefined) throw new GatewayError('invalid_value', fault, { param: 'baseUrl' })
}

/** The host of a URL, and what is wrong with the URL as written. */
function inspected(text: string, policy: AddressPolicy): { fault?: string; host: string } {
  const url = URL.parse(text)
  if (url === null) return { fault: 'The address is not a URL.', host: '' }
  const host = hostOf(url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { fault: 'The address must begin with http:// or https://.', host }
  if (url.username !== '' || url.password !== '') return { fault: 'The address must not contain a user name or password.', host }
  return refusesHost(host, policy) ? { fault: 'Link-local and metadata addresses cannot be used.', host } : { host }
}

/** The host without brackets and trailing dots; `URL` has already normalised case and the spellings of IPv4. */
export function hostOf(url: URL): string {
  const host = url.hostname.replace(/\.+$/, '')
  return host.startsWith('[') ? host.slice(1, -1) : host
}

/** True when this name or address is forbidden, itself or by an embedded IPv4 address. Names are not resolved. */
export function refusesHost(host: string, policy: AddressPolicy): boolean {
  const ipv4 = parseIpv4(host)
  if (ipv4 !== undefined) return policy.refusesIpv4(ipv4)
  const ipv6 = parseIpv6(host)
  if (ipv6 === undefined) return policy.refusesName(host)
  return policy.refusesIpv6(ipv6) || embeddedIpv4(ipv6).some((inner) => policy.refusesIpv4(inner))
}

/** Resolves a name to all its addresses; rejects when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** The system resolver, including /etc/hosts. */
export const systemResolve: Resolve = async (name) => (await lookup(name, { all: true })).map((found) => found.address)

/** What `createAddressCheck` needs. */
export interface AddressCheckOptions {
  clock: Clock
  policy?: AddressPolicy
  resolve?: Resolve
}

const keepMs = 30_000
const keepNames = 1000
const keepUrls = 1000

/**
 * The check before every call: the URL as written, then every address of its name (one forbidden address rejects the name). DNS
 * answers are cached for 30 s, failures are not.
 */
export function createAddressCheck({ clock, policy = channelPolicy, resolve = systemResolve }: AddressCheckOptions): AddressCheck {
  const known = new Map<string, { until: number; allowed: Promise<void>; addresses: readonly string[] | undefined }>()

  async function checkResolved(name: string): Promise<readonly string[]> {
    const addresses = await resolve(name).catch(() => {
      throw new GatewayError('upstream_error', 'The host name of the upstream could not be resolved.')
    })
    if (addresses.length === 0 || addresses.some((address) => refusesHost(address, policy))) throw unreachable()
    return addresses
  }

  function ask(name: string): Promise<void> {
    const checking = checkResolved(name)
    const allowed = checking.then((addresses) => {
      entry.addresses = addresses
    })
    const entry = { until: clock.monotonic() + keepMs, allowed, addresses: undefined as readonly string[] | undefined }
    if (known.size >= keepNames) known.clear()
    known.set(name, entry)
    checking.catch(() => known.delete(name))
    return allowed
  }

  /** The check of a URL's text never changes. */
  const urls = new Map<string, ReturnType<typeof inspected> & { isAddress: boolean }>()
  function inspectedOnce(text: string) {
    const before = urls.get(text)
    if (before) return before
    const found = inspected(text, policy)
    const url = { ...found, isAddress: isIP(found.host) !== 0 }
    if (urls.size >= keepUrls) urls.clear()
    urls.set(text, url)
    return url
  }

  function check(text: string): Promise<void> | undefined {
    const { fault, host, isAddress } = inspectedOnce(text)
    if (fault !== undefined) throw unreachable()
    if (isAddress) return undefined
    const entry = known.get(host)
    if (entry === undefined || entry.until <= clock.monotonic()) return ask(host)
    return entry.addresses === undefined ? entry.allowed : undefined
  }

  return Object.assign(check, { addressesOf: (text: string) => known.get(inspectedOnce(text).host)?.addresses })
}

function unreachable(): GatewayError {
  return new GatewayError('upstream_error', 'The upstream has an address that Parley does not call.')
}
