/**
 * The environment, read once. One table has each variable's name, default, meaning and format; `Config` is derived from it, and so
 * is the table in docs/operations.md (`environment-table.ts`). Nothing here reads the environment itself: `start.ts` passes it in (Bun
 * has read `.env` by then). An empty value counts as absent. Values never appear in a message, because some are secrets.
 */
import { logLevels } from '#runtime/log'
import {
  addressRanges,
  anything,
  atLeast,
  bodiesPlace,
  bytes,
  domainNames,
  hostName,
  httpUrl,
  issuer,
  label,
  masterKey,
  metricsPlace,
  milliseconds,
  oneOf,
  origin,
  type Parse,
  password,
  postgresUrl,
  proxyUrl,
  Refusal,
  region,
  whole,
} from './config-formats.ts'

interface Variable<T> {
  name: string
  /** The default, as printed in the documentation. */
  shown: string
  meaning: string
  /** Its value is never shown: it holds a password, a key or a token. */
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

const table = {
  host: variable('PARLEY_HOST', '127.0.0.1', 'where to listen', hostName),
  port: variable('PARLEY_PORT', '3000', 'where to listen; `0` takes a free port', whole(0, 65_535)),
  publicUrl: optional('PARLEY_PUBLIC_URL', 'from host and port', 'the only source of absolute URLs; https makes cookies Secure', origin),
  dataFolder: variable('PARLEY_DATA', './data', 'embedded database, journal, master key, spool', anything),
  databaseUrl: secret(optional('DATABASE_URL', 'none', 'PostgreSQL instead of the embedded database', postgresUrl)),
  bodiesPlace: optional(
    'PARLEY_BODIES',
    '`PARLEY_DATA/bodies`',
    'where kept requests are stored: a folder or `s3://bucket/prefix`',
    bodiesPlace,
  ),
  awsAccessKeyId: optional('AWS_ACCESS_KEY_ID', 'none', 'access key for a bucket in `PARLEY_BODIES`', anything),
  awsSecretAccessKey: secret(optional('AWS_SECRET_ACCESS_KEY', 'none', 'the secret of that access key', anything)),
  awsSessionToken: secret(optional('AWS_SESSION_TOKEN', 'none', 'the token of temporary credentials', anything)),
  awsRegion: variable('AWS_REGION', 'us-east-1', 'the region of the bucket', anything),
  awsEndpoint: optional(
    'AWS_ENDPOINT_URL_S3',
    'AWS',
    'the S3 service of the bucket if it is not AWS: `https://minio.example.com`',
    anything,
  ),
  configFile: optional('PARLEY_CONFIG', '`./parley.yaml` if it is there', 'declared configuration', anything),
  masterKey: secret(
    optional(
      'PARLEY_MASTER_KEY',
      'generated once in `PARLEY_DATA`',
      '64 hexadecimal digits; seals channel secrets; must be the same on all instances of one database: Parley does not start with another',
      masterKey,
    ),
  ),
  adminUser: optional('PARLEY_ADMIN_USER', 'none', 'first administrator, created if there is none; otherwise ignored', anything),
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
    'host names accepted in addition to IP addresses, `localhost` and the host of the public URL, separated by commas',
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
    '50ms',
    'event loop delay, or queueing time, that means overload once a burst of 2,000 was accepted; then requests that would wait 5 ms get 503',
    milliseconds,
  ),
  maxIdleMs: variable(
    'PARLEY_MAX_IDLE',
    '60s',
    'how long a client may send nothing of its request or read nothing of its answer, and how long a connection may be idle; more than 251s counts as that',
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
    'how much a power failure may lose: `never`, `100ms`, `always`',
    oneOf('never', '100ms', 'always'),
  ),
  journalMaxBytes: variable(
    'PARLEY_JOURNAL_MAX',
    '256MiB',
    'size limit of the journal: entries that wait for the database, and settled ones, which are kept for an hour',
    bytes,
  ),
  takeoverMs: variable(
    'PARLEY_TAKEOVER',
    '20s',
    'how long a process may be silent before another one takes over its batches and replays; at least `1s`',
    atLeast(1_000, '1s', milliseconds),
  ),
  leaseCoverMs: variable('PARLEY_LEASE_COVER', '60s', 'how much traffic a lease should cover', milliseconds),
  leaseWriteOffMs: variable(
    'PARLEY_LEASE_WRITEOFF',
    '24h',
    "when a missing instance's leases are written off; at least 30s",
    atLeast(30_000, '30s', milliseconds),
  ),
  logLevel: variable(
    'PARLEY_LOG',
    'info',
    `log level, JSON lines: ${logLevels.map((level) => `\`${level}\``).join(', ')}`,
    oneOf(...logLevels),
  ),
  environment: optional(
    'PARLEY_ENVIRONMENT',
    'none',
    'name of this installation, such as `staging`: shown above every page and on the sign-in page, so that it is not mistaken for another',
    label,
  ),
  backupFolder: optional('PARLEY_BACKUPS', 'none', 'folder for backups on a timer; without it none are made', anything),
  backupEveryMs: variable('PARLEY_BACKUPS_EVERY', '24h', 'maximum age of the newest backup', atLeast(1_000, '1s', milliseconds)),
  backupsKept: variable('PARLEY_BACKUPS_KEEP', '14', 'how many backups are kept', whole(1, 100_000)),
  backupsForMs: variable('PARLEY_BACKUPS_FOR', '30d', 'how long a backup is kept; the newest always is', milliseconds),
  proxy: secret(
    optional(
      'PARLEY_PROXY',
      'none',
      'outbound proxy of all channels without one: `http://`, `https://` or `socks5://` with host and port; [how](proxies.md)',
      proxyUrl,
    ),
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'none',
    'collector of traces and metrics over OTLP/HTTP; [related variables](opentelemetry.md)',
    httpUrl,
  ),
  metrics: secret(
    variable(
      'PARLEY_METRICS',
      'off',
      'where `/metrics` is served for Prometheus: a separate address like `127.0.0.1:9464`, or `token:...` for the main port with that bearer token',
      metricsPlace,
    ),
  ),
  oidcIssuer: optional('PARLEY_OIDC_ISSUER', 'none', 'sign-in by an OpenID provider: its issuer, an https:// URL', issuer),
  oidcClientId: optional('PARLEY_OIDC_CLIENT_ID', 'none', 'the client id of Parley at the provider', anything),
  oidcClientSecret: secret(
    optional('PARLEY_OIDC_CLIENT_SECRET', 'none', 'the client secret of Parley at the provider; none for a public client', anything),
  ),
  oidcGroups: optional(
    'PARLEY_OIDC_GROUPS',
    'none',
    'the claim with group names: at each sign-in a user gets the existing ones among them; without it administrators assign groups',
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
  if (config.bodiesPlace && 'bucket' in config.bodiesPlace) demandBucket(config)
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

/** Variables that other programs read too: they count only where a bucket is configured. */
function demandBucket({ awsAccessKeyId, awsSecretAccessKey, awsRegion, awsEndpoint }: Config): void {
  if (awsAccessKeyId === undefined || awsSecretAccessKey === undefined) {
    throw new Error('PARLEY_BODIES in a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY')
  }
  const checked = { AWS_REGION: region(awsRegion), AWS_ENDPOINT_URL_S3: awsEndpoint === undefined ? '' : origin(awsEndpoint) }
  for (const [name, value] of Object.entries(checked)) if (value instanceof Refusal) throw new Error(`${name} ${value.expected}`)
}
