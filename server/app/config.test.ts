import { describe, expect, test } from 'bun:test'
import { readConfig, variables } from './config.ts'

/** Operators use them in start scripts: names are only ever added here, never changed or removed. */
const namesForEver = [
  ...['PARLEY_HOST', 'PARLEY_PORT', 'PARLEY_PUBLIC_URL', 'PARLEY_DATA', 'DATABASE_URL', 'PARLEY_CONFIG', 'PARLEY_MASTER_KEY'],
  ...['PARLEY_ADMIN_USER', 'PARLEY_ADMIN_PASSWORD', 'PARLEY_DEMO', 'PARLEY_ALLOWED_HOSTS', 'PARLEY_TRUSTED_PROXIES', 'PARLEY_MAX_OPEN'],
  ...['PARLEY_MAX_LAG', 'PARLEY_MAX_IDLE', 'PARLEY_REUSE_PORT', 'PARLEY_DRAIN_SECONDS', 'PARLEY_JOURNAL_FSYNC', 'PARLEY_JOURNAL_MAX'],
  ...['PARLEY_LEASE_COVER', 'PARLEY_LEASE_WRITEOFF', 'PARLEY_LOG', 'PARLEY_METRICS', 'PARLEY_PROXY', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ...['PARLEY_TAKEOVER', 'PARLEY_BACKUPS', 'PARLEY_BACKUPS_EVERY', 'PARLEY_BACKUPS_KEEP', 'PARLEY_BACKUPS_FOR'],
  ...['PARLEY_BODIES', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_REGION', 'AWS_ENDPOINT_URL_S3'],
  ...['PARLEY_OIDC_ISSUER', 'PARLEY_OIDC_CLIENT_ID', 'PARLEY_OIDC_CLIENT_SECRET', 'PARLEY_OIDC_GROUPS'],
]

test('no environment variable has another name', () => {
  const names = new Set(variables.map(({ name }) => name))
  expect(namesForEver.filter((name) => !names.has(name))).toEqual([])
})

describe('readConfig', () => {
  test('an empty environment gives every default', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: undefined,
      dataFolder: './data',
      databaseUrl: undefined,
      bodiesPlace: undefined,
      awsAccessKeyId: undefined,
      awsSecretAccessKey: undefined,
      awsSessionToken: undefined,
      awsRegion: 'us-east-1',
      awsEndpoint: undefined,
      configFile: undefined,
      masterKey: undefined,
      adminUser: undefined,
      adminPassword: undefined,
      demo: 'auto',
      allowedHosts: [],
      trustedProxies: [],
      maxOpen: 10_000,
      maxLagMs: 50,
      maxIdleMs: 60_000,
      reusePort: 'off',
      drainSeconds: 300,
      environment: undefined,
      backupFolder: undefined,
      backupEveryMs: 86_400_000,
      backupsKept: 14,
      backupsForMs: 30 * 86_400_000,
      proxy: undefined,
      otlpEndpoint: undefined,
      journalFsync: '100ms',
      journalMaxBytes: 256 * 1024 * 1024,
      takeoverMs: 20_000,
      leaseCoverMs: 60_000,
      leaseWriteOffMs: 86_400_000,
      logLevel: 'info',
      metrics: undefined,
      oidcIssuer: undefined,
      oidcClientId: undefined,
      oidcClientSecret: undefined,
      oidcGroups: undefined,
    })
  })

  test('an empty value counts as absent, as compose files write it', () => {
    expect(readConfig({ PARLEY_PORT: '', DATABASE_URL: '', PARLEY_ADMIN_USER: '' })).toEqual(readConfig({}))
  })

  test.each([
    ['127.0.0.1:9464', { hostname: '127.0.0.1', port: 9464 }],
    ['[::1]:9464', { hostname: '::1', port: 9464 }],
    ['token:abc', { token: 'abc' }],
    ['off', undefined],
  ])('metrics at %s', (text, place) => {
    expect(readConfig({ PARLEY_METRICS: text }).metrics).toEqual(place)
  })

  test.each(['on', '9464', 'token:', '127.0.0.1:99999', 'localhost'])('no metrics at %s', (text) => {
    expect(() => readConfig({ PARLEY_METRICS: text })).toThrow('PARLEY_METRICS must be')
  })

  test('a shared port needs a database that several processes can share, and a port of its own', () => {
    const shared = { PARLEY_REUSE_PORT: 'on', DATABASE_URL: 'postgres://127.0.0.1/parley' }
    expect(readConfig(shared).reusePort).toBe('on')
    expect(() => readConfig({ PARLEY_REUSE_PORT: 'on' })).toThrow('PARLEY_REUSE_PORT needs DATABASE_URL')
    expect(() => readConfig({ ...shared, PARLEY_PORT: '0' })).toThrow('PARLEY_PORT')
  })

  test('values are read in their own form', () => {
    const config = readConfig({
      PARLEY_HOST: '::1',
      PARLEY_PORT: '0',
      PARLEY_PUBLIC_URL: 'https://ai.example.com/',
      DATABASE_URL: 'postgres://parley:secret@127.0.0.1:5432/parley',
      PARLEY_MASTER_KEY: 'AB'.repeat(32),
      PARLEY_ADMIN_USER: 'ada',
      PARLEY_ADMIN_PASSWORD: 'eight ch',
      PARLEY_ALLOWED_HOSTS: ' AI.example.com, inner ,',
      PARLEY_TRUSTED_PROXIES: '10.0.0.0/8, ::1, fd00::/64',
      PARLEY_JOURNAL_MAX: '1GiB',
      PARLEY_LEASE_COVER: '500ms',
    })
    expect(config).toMatchObject({
      host: '::1',
      port: 0,
      publicUrl: 'https://ai.example.com',
      databaseUrl: 'postgres://parley:secret@127.0.0.1:5432/parley',
      masterKey: 'ab'.repeat(32),
      adminUser: 'ada',
      adminPassword: 'eight ch',
      allowedHosts: ['ai.example.com', 'inner'],
      trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/64'],
      journalMaxBytes: 1024 ** 3,
      leaseCoverMs: 500,
    })
  })

  const wrong: [string, string][] = [
    ['PARLEY_HOST', 'http://here'],
    ['PARLEY_PORT', '65536'],
    ['PARLEY_PORT', '3e3'],
    ['PARLEY_PORT', '-1'],
    ['PARLEY_PUBLIC_URL', 'https://ai.example.com/parley'],
    ['PARLEY_PUBLIC_URL', 'https://user:secret@ai.example.com'],
    ['PARLEY_PUBLIC_URL', 'ai.example.com'],
    ['DATABASE_URL', 'mysql://root:secret@127.0.0.1/x'],
    ['PARLEY_MASTER_KEY', 'secret'],
    ['PARLEY_ADMIN_PASSWORD', 'secret'],
    ['PARLEY_DEMO', 'yes'],
    ['PARLEY_ALLOWED_HOSTS', 'a.example:3000'],
    ['PARLEY_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['PARLEY_TRUSTED_PROXIES', 'proxy.example'],
    ['PARLEY_DRAIN_SECONDS', '5m'],
    ['PARLEY_JOURNAL_FSYNC', '50ms'],
    ['PARLEY_JOURNAL_MAX', '256 MB'],
    ['PARLEY_JOURNAL_MAX', '256constructor'],
    ['PARLEY_LEASE_COVER', '60'],
    ['PARLEY_LEASE_WRITEOFF', '0s'],
    ['PARLEY_LEASE_WRITEOFF', '29s'],
    ['PARLEY_LOG', 'loud'],
  ]
  test.each(wrong)('%s=%s is refused in one line that names the variable and reveals no secret', (name, value) => {
    const message = messageOf({ [name]: value })
    expect(message).toStartWith(`${name} must be `.replace('PASSWORD must be', 'PASSWORD must have'))
    expect(message).not.toContain('\n')
    expect(message).not.toContain('secret')
  })

  test.each(['https://id.example', 'https://id.example/realms/house', 'http://127.0.0.1:8080', 'http://localhost:8080/'])(
    'an issuer at %s',
    (text) => {
      expect(readConfig({ PARLEY_OIDC_ISSUER: text, PARLEY_OIDC_CLIENT_ID: 'parley' }).oidcIssuer).toEqual(new URL(text))
    },
  )

  test.each(['http://id.example', 'http://127.0.0.1.example', 'id.example', 'https://a:secret@id.example', 'https://id.example/?a=secret'])(
    'no issuer at %s',
    (text) => {
      expect(() => readConfig({ PARLEY_OIDC_ISSUER: text, PARLEY_OIDC_CLIENT_ID: 'parley' })).toThrow(
        'PARLEY_OIDC_ISSUER must be an https:// URL',
      )
    },
  )

  test('a provider needs both an issuer and a client', () => {
    const both = 'PARLEY_OIDC_ISSUER and PARLEY_OIDC_CLIENT_ID must be set together'
    expect(() => readConfig({ PARLEY_OIDC_ISSUER: 'https://id.example' })).toThrow(both)
    expect(() => readConfig({ PARLEY_OIDC_CLIENT_ID: 'parley' })).toThrow(both)
  })

  test('an administrator needs both a name and a password', () => {
    expect(messageOf({ PARLEY_ADMIN_USER: 'ada' })).toContain('set together')
    expect(messageOf({ PARLEY_ADMIN_PASSWORD: 'long enough' })).toContain('set together')
  })
})

test('no variable is named twice', () => {
  const names = variables.map((row) => row.name)
  expect(new Set(names).size).toBe(names.length)
})

function messageOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  return 'nothing was thrown'
}
