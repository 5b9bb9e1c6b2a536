/**
 * The environment, read once. One table has each variable's name, default, meaning and format; `Config` is derived from it, and so
 * is the table in docs/operations.md (`environment-table.ts`). Nothing here reads the environment itself: `start.ts` passes it in (Bun
 * has read `.env` by then). An empty value counts as absent. Values never appear in a message, because some are secrets.
 */
import { isIP } from 'node:net'
import { logLevels } from '#runtime/log'
import { assertProxy } from '#upstream/route'

/** Parses a variable's text; a refusal describes what is accepted ("must be ..."). */
type Parse<T> = (text: string) => T | Refusal

class Refusal {
  readonly expected: string
  constructor(expected: string) {
    this.expected = expected
  }
}

interface Variable<T> {
  name: string
  /** The default, as printed in the documentation. */
  shown: string
  meaning: string
  /** Nobody may read its value back: it holds a password, a key or a token. */
  secret?: true
  read(text: string | undefined): T | Refusal
}

/** A variable with a default: `fallback` is parsed when it is absent. */
function variable<T>(name: string, fallback: string, meaning: string, parse: Parse<T>): Variable<T> {
  return { name, shown: fallback === '' ? 'none' : `\`${fallback}\``, meaning, read: (text) => parse(text ?? fallback) }
}

/** A variable that may be absent; `otherwise` describes what happens then. */
function optional<T>(name: string, otherwise: string, meaning: string, parse: Parse<T>): Variable<T | undefined> {
  return { name, shown: otherwise, meaning, read: (text) => (text === undefined ? undefined : parse(text)) }
}

const secret = <T>(row: Variable<T>): Variable<T> => ({ ...row, secret: true })

const anything: Parse<string> = (text) => text

const folder: Parse<string> = (text) => (/^[a-z0-9]{2,}:\/\//i.test(text) ? new Refusal('must be a folder') : text)

const oneOf =
  <const T extends readonly string[]>(...words: T): Parse<T[number]> =>
  (text) =>
    words.find((word) => word === text) ?? new Refusal(`must be one of ${words.join(', ')}`)

const whole =
  (min: number, max: number): Parse<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : new Refusal(`must be a whole number from ${min} to ${max}`)
  }

/** A number with one of the given units, as a whole number of the smallest one. */
const measured =
  (units: Map<string, number>, example: string): Parse<number> =>
  (text) => {
    const [, digits = '', unit = ''] = /^(\d{1,9})([A-Za-z]+)$/.exec(text) ?? []
    const factor = units.get(unit)
    return factor === undefined ? new Refusal(`must be a number with a unit, like ${example}`) : Number(digits) * factor
  }

const units = (factors: Record<string, number>) => new Map(Object.entries(factors))
const milliseconds = measured(units({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }), '60s or 24h')

const atLeast =
  (min: number, shown: string, parse: Parse<number>): Parse<number> =>
  (text) => {
    const value = parse(text)
    return typeof value === 'number' && value < min ? new Refusal(`must be ${shown} or longer`) : value
  }
const bytes = measured(units({ B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }), '256MiB')

const listOf =
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

const hostName: Parse<string> = (text) =>
  isIP(text) !== 0 || /^[A-Za-z0-9.-]{1,253}$/.test(text) ? text : new Refusal('must be an IP address or a host name')

const origin: Parse<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const bare =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && `${url.search}${url.hash}${url.username}${url.password}` === ''
  return bare ? url.origin : new Refusal('must be http:// or https:// with a host and nothing after it')
}

/** Plain HTTP is for tests and tunnels on this machine: everybody on the way could sign in as anyone. */
const issuer: Parse<URL> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  const fits = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)
  return url !== undefined && fits && `${url.search}${url.hash}${url.username}${url.password}` === ''
    ? url
    : new Refusal('must be an https:// URL, as the provider names itself')
}

const postgresUrl: Parse<string> = (text) =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : new Refusal('must be a postgres:// URL')

const httpUrl: Parse<string> = (text) =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : new Refusal('must be an http:// or https:// URL')

const proxyUrl: Parse<string> = (text) => {
  try {
    assertProxy(text)
    return text
  } catch {
    return new Refusal('must be http://, https:// or socks5:// with host and port, and no link-local or metadata address')
  }
}

const masterKey: Parse<string> = (text) =>
  /^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : new Refusal('must be 64 hexadecimal digits')

const password: Parse<string> = (text) => (text.length >= 8 ? text : new Refusal('must have 8 characters or more'))

const domainNames = listOf((item) => /^[a-z0-9.-]{1,253}$/.test(item), 'must be host names without ports, separated by commas')
const addressRanges = listOf(isAddressRange, 'must be IP addresses or ranges like 10.0.0.0/8, separated by commas')

/** Where metrics are served. */
export type MetricsPlace = { hostname: string; port: number } | { token: string }

const metricsPlace: Parse<MetricsPlace | undefined> = (text) => {
  if (text === 'off') return undefined
  const [, token] = /^token:(\S+)$/.exec(text) ?? []
  if (token !== undefined) return { token }
  const [, hostname = '', port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)?.filter((part) => part !== undefined) ?? []
  const isAddress = !(hostName(hostname) instanceof Refusal) && Number(port) <= 65_535
  return isAddress ? { hostname, port: Number(port) } : new Refusal('must be `off`, an address like 127.0.0.1:9464, or token:...')
}

const table = {
  host: variable('PARLEY_HOST', '127.0.0.1', 'where to listen', hostName),
  port: variable('PARLEY_PORT', '3000', 'where to listen; `0` takes a free port', whole(0, 65_535)),
  publicUrl: optional('PARLEY_PUBLIC_URL', 'from host and port', 'the only source of absolute URLs; https makes cookies Secure', origin),
  dataFolder: variable('PARLEY_DATA', './data', 'embedded database, journal, master key, spool', anything),
  databaseUrl: secret(optional('DATABASE_URL', 'none', 'PostgreSQL instead of the embedded database', postgresUrl)),
  bodiesFolder: optional('PARLEY_BODIES', '`PARLEY_DATA/bodies`', 'the folder where kept requests lie', folder),
  configFile: optional('PARLEY_CONFIG', '`./parley.yaml` if it is there', 'declared configuration', anything),
  masterKey: secret(
    optional(
      'PARLEY_MASTER_KEY',
      'made once in `PARLEY_DATA`',
      '64 hexadecimal digits; seals channel secrets; a wrong one refuses to start; the same on all instances of one database',
      masterKey,
    ),
  ),
  adminUser: optional('PARLEY_ADMIN_USER', 'none', 'first administrator, made when there is none, ignored otherwise', anything),
  adminPassword: secret(optional('PARLEY_ADMIN_PASSWORD', 'none', "the first administrator's password, 8 characters or more", password)),
  demo: variable(
    'PARLEY_DEMO',
    'auto',
    'demo channel: `auto` = only while no other channel exists, `on`, `off`',
    oneOf('auto', 'on', 'off'),
  ),
  allowedHosts: variable(
    'PARLEY_ALLOWED_HOSTS',
    '',
    'names accepted as Host beside IP addresses, `localhost` and the host of the public URL, separated by commas',
    domainNames,
  ),
  trustedProxies: variable(
    'PARLEY_TRUSTED_PROXIES',
    '',
    'addresses and ranges whose `X-Forwarded-For` counts, separated by commas',
    addressRanges,
  ),
  maxOpen: variable('PARLEY_MAX_OPEN', '10000', 'open requests and sessions at once; more are refused with 503', whole(1, 1_000_000)),
  maxLagMs: variable(
    'PARLEY_MAX_LAG',
    '100ms',
    'event loop delay above which requests are refused with 503, once a burst of 2,000 has been taken',
    milliseconds,
  ),
  maxIdleMs: variable(
    'PARLEY_MAX_IDLE',
    '60s',
    'how long a client may send nothing of its request or read nothing of its answer, and how long a connection may be idle; at most 251s',
    milliseconds,
  ),
  reusePort: variable(
    'PARLEY_REUSE_PORT',
    'off',
    '`on`: several processes with one `DATABASE_URL` share the port, each with its own `PARLEY_DATA`; a new one takes over from an old one',
    oneOf('off', 'on'),
  ),
  drainSeconds: variable('PARLEY_DRAIN_SECONDS', '300', 'how long streams may finish at shutdown', whole(0, 86_400)),
  journalFsync: variable(
    'PARLEY_JOURNAL_FSYNC',
    '100ms',
    'what power loss may cost: `never`, `100ms`, `always`',
    oneOf('never', '100ms', 'always'),
  ),
  journalMaxBytes: variable(
    'PARLEY_JOURNAL_MAX',
    '256MiB',
    'size limit of the journal: entries that wait for the database, and settled ones, which are kept for an hour',
    bytes,
  ),
  leaseCoverMs: variable('PARLEY_LEASE_COVER', '60s', 'how much traffic a lease should cover', milliseconds),
  leaseWriteOffMs: variable(
    'PARLEY_LEASE_WRITEOFF',
    '24h',
    "when a missing instance's leases are written off; 30s at least",
    atLeast(30_000, '30s', milliseconds),
  ),
  logLevel: variable(
    'PARLEY_LOG',
    'info',
    `log level, JSON lines: ${logLevels.map((level) => `\`${level}\``).join(', ')}`,
    oneOf(...logLevels),
  ),
  proxy: secret(
    optional(
      'PARLEY_PROXY',
      'none',
      'outbound proxy of all channels that name none: `http://`, `https://` or `socks5://` with host and port; [how](proxies.md)',
      proxyUrl,
    ),
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'none',
    'collector of traces and metrics over OTLP/HTTP; [this and its family](opentelemetry.md)',
    httpUrl,
  ),
  metrics: secret(
    variable(
      'PARLEY_METRICS',
      'off',
      'where Prometheus finds `/metrics`: an address of its own like `127.0.0.1:9464`, or `token:...` for the main port with that bearer token',
      metricsPlace,
    ),
  ),
  oidcIssuer: optional('PARLEY_OIDC_ISSUER', 'none', 'sign-in by an OpenID provider: its issuer, an https:// URL', issuer),
  oidcClientId: optional('PARLEY_OIDC_CLIENT_ID', 'none', 'what the provider calls Parley', anything),
  oidcClientSecret: secret(
    optional('PARLEY_OIDC_CLIENT_SECRET', 'none', 'what the provider gave Parley; none for a public client', anything),
  ),
  oidcGroups: optional(
    'PARLEY_OIDC_GROUPS',
    'none',
    'the claim that names groups: at each sign-in a user gets those of them that exist here; without it administrators give groups',
    anything,
  ),
} satisfies Record<string, Variable<unknown>>

type Value<V> = V extends Variable<infer T> ? T : never

/** Names of durations end in Ms or Seconds, of sizes in Bytes. `publicUrl` is an origin without a trailing slash. */
export type Config = { readonly [Name in keyof typeof table]: Value<(typeof table)[Name]> }

/** The table, as printed in the documentation. */
export const variables: readonly Omit<Variable<unknown>, 'read'>[] = Object.values(table)

/** Reads all variables. Throws an Error whose message is one line with the variable and what it accepts. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const entries = Object.entries(table).map(([field, row]) => [field, readOne(row, env[row.name])])
  const config = Object.fromEntries(entries) as Config
  if ((config.adminUser === undefined) !== (config.adminPassword === undefined)) {
    throw new Error('PARLEY_ADMIN_USER and PARLEY_ADMIN_PASSWORD must be set together')
  }
  if (config.reusePort === 'on' && (config.databaseUrl === undefined || config.port === 0)) {
    throw new Error('PARLEY_REUSE_PORT needs DATABASE_URL and a PARLEY_PORT other than 0')
  }
  if ((config.oidcIssuer === undefined) !== (config.oidcClientId === undefined)) {
    throw new Error('PARLEY_OIDC_ISSUER and PARLEY_OIDC_CLIENT_ID must be set together')
  }
  return config
}

function readOne(row: Variable<unknown>, text: string | undefined): unknown {
  const value = row.read(text === '' ? undefined : text)
  if (value instanceof Refusal) throw new Error(`${row.name} ${value.expected}`)
  return value
}
