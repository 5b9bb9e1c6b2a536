/**
 * Checks Host and request target before routing, so that no two parsers can disagree about them later. Authorisation never
 * depends on a path; it belongs to the route.
 */
import { BlockList, isIPv6 } from 'node:net'
import { GatewayError } from '#shared/errors'

const hostGrammar = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?\.?)(?::(\d{1,5}))?$/i
const ipv4 = /^\d{1,3}(\.\d{1,3}){3}$/

/** Which host names are accepted. */
export interface HostPolicy {
  publicUrl: URL
  /** Further accepted host names, in lower case and without a port. */
  allowedHosts: ReadonlySet<string>
}

/** Size of the cache of targets, and the longest cached one. */
const mostTargets = 1000
const longestTarget = 200

/** `checkTarget` for one policy. Remembers the targets it has accepted, except those with a query; their URLs must not be changed. */
export function createTargetCheck(policy: HostPolicy): (request: Request) => URL {
  const accepted = new Map<string, { host: string | null; url: URL }>()
  return (request) => {
    const target = request.url
    const host = request.headers.get('host')
    const known = accepted.get(target)
    if (known !== undefined && known.host === host) return known.url
    const url = checkTarget(request, policy)
    if (target.length <= longestTarget && url.search === '') {
      if (accepted.size >= mostTargets) accepted.clear()
      accepted.set(target, { host, url })
    }
    return url
  }
}

/** The request's URL, checked. Throws `bad_host` (400) for a malformed Host or target, `misdirected_request` (421) for an unknown host. */
export function checkTarget(request: Request, policy: HostPolicy): URL {
  const match = hostGrammar.exec(request.headers.get('host') ?? '')
  if (!match || Number(match[2] ?? 0) > 65535 || !URL.canParse(request.url))
    throw new GatewayError('bad_host', 'The Host header or the request target is malformed.')
  const name = (match[1] ?? '').toLowerCase().replace(/\.$/, '')
  const known =
    name.startsWith('[') || ipv4.test(name) || name === 'localhost' || name === policy.publicUrl.hostname || policy.allowedHosts.has(name)
  if (!known) {
    throw new GatewayError('misdirected_request', 'This Host name is not served here. The operator can allow it with PARLEY_ALLOWED_HOSTS.')
  }
  return new URL(request.url)
}

/** Matches addresses against ranges such as `10.0.0.0/8`. */
export function trustedProxies(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

const plain = (address: string) => {
  const text = address.trim()
  return text.startsWith('::ffff:') ? text.slice('::ffff:'.length) : text
}

/** The client's address: the socket's, or the last untrusted one of X-Forwarded-For when the socket is a trusted proxy. */
export function clientAddress(socket: string, forwardedFor: string | null, isTrusted: (address: string) => boolean): string {
  // No forwarded address: it is the socket's.
  if (forwardedFor === null) return plain(socket)
  const hops = [...forwardedFor.split(',').map(plain).filter(Boolean), plain(socket)]
  let address = hops.pop() ?? ''
  while (isTrusted(address)) {
    const next = hops.pop()
    if (next === undefined) break
    address = next
  }
  return address
}

/** A path parameter decoded exactly once. Throws 404 `not_found` for text that cannot be a name. */
export function pathParameter(encoded: string): string {
  let text: string
  try {
    text = decodeURIComponent(encoded)
  } catch {
    throw new GatewayError('not_found', 'There is nothing at this address.')
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
  if (text.length > 256 || /[\u0000-\u001f\u007f\ufffd]/.test(text) || text.split('/').includes('..')) {
    throw new GatewayError('not_found', 'There is nothing at this address.')
  }
  return text
}
