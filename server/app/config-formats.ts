/** Parsers of environment variables: text in; a value, or a description of what is accepted, out. */
import { isIP } from 'node:net'
import { assertProxy } from '#upstream/route'

/** Parses a variable's text; a refusal describes what is accepted ("must be ..."). */
export type Parse<T> = (text: string) => T | Refusal

/** What is accepted instead. */
export class Refusal {
  readonly expected: string
  constructor(expected: string) {
    this.expected = expected
  }
}

export const anything: Parse<string> = (text) => text

/** A folder, or a bucket of an S3-compatible service with a name prefix. */
export type BodiesPlace = { folder: string } | { bucket: string; prefix: string }

export const bodiesPlace: Parse<BodiesPlace> = (text) => {
  if (!/^[a-z0-9]{2,}:\/\//i.test(text)) return { folder: text }
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'() /-]{0,200}))?$/i.exec(text) ?? []
  return bucket === undefined ? new Refusal('must be a folder or s3://bucket/prefix') : { bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') }
}

/** A short label for people. */
export const label: Parse<string> = (text) =>
  /^\P{Cc}{1,40}$/u.test(text.trim()) ? text.trim() : new Refusal('must be 1 to 40 characters, in one line')

export const oneOf =
  <const T extends readonly string[]>(...words: T): Parse<T[number]> =>
  (text) =>
    words.find((word) => word === text) ?? new Refusal(`must be one of ${words.join(', ')}`)

export const whole =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : new Refusal(`must be a whole number from ${min} to ${max}`)
  }

/** A number with one of the given units, as an integer in the smallest one. */
export const measured =
  (units: Map<string, number>, example: string): Parse<number> =>
  (text) => {
    const [, digits = '', unit = ''] = /^(\d{1,9})([A-Za-z]+)$/.exec(text) ?? []
    const factor = units.get(unit)
    return factor === undefined ? new Refusal(`must be a number with a unit, like ${example}`) : Number(digits) * factor
  }

export const units = (factors: Record<string, number>) => new Map(Object.entries(factors))
export const milliseconds = measured(units({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }), '60s or 24h')

export const atLeast =
  (min: number, shown: string, parse: Parse<number>): Parse<number> =>
  (text) => {
    const value = parse(text)
    return typeof value === 'number' && value < min ? new Refusal(`must be ${shown} or longer`) : value
  }
export const bytes = measured(units({ B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }), '256MiB')

export const listOf =
  (fits: (item: string) => boolean, expected: string): Parse<string[]> =>
  (text) => {
    const items = text
      .split(',')
      .map((item) => item.trim().toLowerCase())
      .filter((item) => item !== '')
    return items.every(fits) ? items : new Refusal(expected)
  }

function isAddressRange(item: string): boolean {
  const [address = '', prefix] = item.split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  return isIP(address) !== 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
}

export const region: Parse<string> = (text) => (/^[a-z0-9-]{1,64}$/i.test(text) ? text : new Refusal('must be a region like eu-central-1'))

export const hostName: Parse<string> = (text) =>
  isIP(text) !== 0 || /^[A-Za-z0-9.-]{1,253}$/.test(text) ? text : new Refusal('must be an IP address or a host name')

export const origin: Parse<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const bare =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && `${url.search}${url.hash}${url.username}${url.password}` === ''
  return bare ? url.origin : new Refusal('must be http:// or https:// with a host and nothing after it')
}

/** Plain HTTP is only for tests and tunnels on this machine: anyone on the network path could sign in as anyone. */
export const issuer: Parse<URL> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  const fits = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)
  return url !== undefined && fits && `${url.search}${url.hash}${url.username}${url.password}` === ''
    ? url
    : new Refusal('must be an https:// URL: the issuer of the provider')
}

export const postgresUrl: Parse<string> = (text) =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : new Refusal('must be a postgres:// URL')

export const httpUrl: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : new Refusal('must be an http:// or https:// URL')

export const proxyUrl: Parse<string> = (text) => {
  try {
    assertProxy(text)
    return text
  } catch {
    return new Refusal('must be http://, https:// or socks5:// with host and port, and no link-local or metadata address')
  }
}

export const masterKey: Parse<string> = (text) =>
  /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : new Refusal('must be 64 hexadecimal digits')

export const password: Parse<string> = (text) => (text.length >= 8 ? text : new Refusal('must have 8 characters or more'))

export const domainNames = listOf((item) => /^[a-z0-9.-]{1,253}$/.test(item), 'must be host names without ports, separated by commas')
export const addressRanges = listOf(isAddressRange, 'must be IP addresses or ranges like 10.0.0.0/8, separated by commas')

/** Where metrics are served. */
export type MetricsPlace = { hostname: string; port: number } | { token: string }

export const metricsPlace: Parse<MetricsPlace | undefined> = (text) => {
  if (text === 'off') return undefined
  const [, token] = /^token:(\S+)$/.exec(text) ?? []
  if (token !== undefined) return { token }
  const [, hostname = '', port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)?.filter((part) => part !== undefined) ?? []
  const isAddress = !(hostName(hostname) instanceof Refusal) && Number(port) <= 65_535
  return isAddress ? { hostname, port: Number(port) } : new Refusal('must be `off`, an address like 127.0.0.1:9464, or token:...')
}
