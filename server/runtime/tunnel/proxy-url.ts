/** Parses a proxy URL: `http://user:password@proxy.example:3128`, `https://...`, `socks5://...`. */
import type { ProxyServer } from '#runtime/contract/route'

const kinds: Readonly<Record<string, { kind: ProxyServer['kind']; port: number }>> = {
  'http:': { kind: 'http', port: 80 },
  'https:': { kind: 'https', port: 443 },
  'socks5:': { kind: 'socks5', port: 1080 },
}

/** Maximum bytes of a user name or password, as in SOCKS 5. */
const mostBytes = 255

/** Undefined for any other URL, or one with a path, a query, or credentials that cannot be sent. */
export function readProxyUrl(text: string): ProxyServer | undefined {
  const written = /\s/.test(text) ? null : URL.parse(text)
  const known = written === null ? undefined : kinds[written.protocol]
  // `URL` only normalises the host for known schemes: otherwise unusual spellings of an address would pass for a name.
  const url = known && URL.parse(text.replace(/^\w+:/, 'http:'))
  if (!written || !known || !url || url.hostname === '' || url.port === '0') return undefined
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') return undefined
  const credentials = credentialsOf(url)
  if (credentials === null) return undefined
  const host = url.hostname.replace(/\.+$/, '').replace(/^\[(.*)\]$/, '$1')
  return { kind: known.kind, host, port: written.port === '' ? known.port : Number(written.port), credentials }
}

/** Undefined: there are none. Null: they cannot be sent. */
function credentialsOf(url: URL): ProxyServer['credentials'] | null {
  if (url.username === '' && url.password === '') return undefined
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    const fits = [user, password].every((part) => Buffer.byteLength(part) <= mostBytes && !/\p{Cc}/u.test(part))
    return fits && user !== '' && !user.includes(':') ? { user, password } : null
  } catch {
    return null
  }
}
