import { describe, expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { refusesHost } from './addresses.ts'
import { createMediaFetcher } from './media.ts'
import { publicOnly, readAddress } from './media-policy.ts'
import { mediaType } from './media-type.ts'

const hosts: Record<string, string[]> = {
  'S-SSRF-1 literals': [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '0.0.0.0',
    '0.1.2.3',
    '192.0.0.1',
    '192.0.0.192',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '192.88.99.1',
    '168.63.129.16',
    '[::]',
    '[::1]',
    '[fc00::1]',
    '[fdff::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[fd00:ec2::254]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
    '[5f00::1]',
  ],
  'S-SSRF-1 spellings of one address': [
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '127.0.0.1.',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '①②⑦.⓪.⓪.①',
  ],
  'S-SSRF-2 IPv4 inside IPv6': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2002:a00:1::1]',
    '[2001:0:7f00:1::]',
    '[2001:0:102:304::80ff:fffe]',
    '[2606:4700::5efe:7f00:1]',
    '[::ffff:8.8.8.8]',
  ],
  'S-SSRF-3 names': [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'localhost..',
    'a.localhost',
    'a.localhost.',
    'db',
    'db.internal',
    'db.local',
    'nas.lan',
    'router.home.arpa',
    'x.localdomain',
    'metadata.google.internal',
    'metadata.google.internal.',
    'metadata.goog',
    'a.corp',
    'a.onion',
    'ⓛocalhost',
    `${'a.'.repeat(126)}com`,
  ],
}

describe.each(Object.entries(hosts))('%s', (_, refused) => {
  test.each(refused)('%s', (host) => {
    const url = readAddress(`https://${host}/a`, publicOnly)
    expect(url === undefined || refusesHost(url.hostname.replace(/^\[|\]$|\.+$/g, ''), publicOnly)).toBe(true)
  })
})

test('public addresses and names are allowed', () => {
  const hosts = [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '192.0.1.1',
    '198.20.0.1',
    '223.255.255.255',
  ]
  const others = [
    '2606:4700::1111',
    '64:ff9b::808:808',
    'example.com',
    'xn--bcher-kva.example',
    'localhost.example.com',
    'a.internal.example',
  ]
  expect([...hosts, ...others].filter((host) => refusesHost(host, publicOnly))).toEqual([])
})

test('every spelling is refused before anything is connected to', async () => {
  const server = await scriptedUpstream()
  const { port } = new URL(server.url)
  const policy = { ...publicOnly, schemes: ['http:'], allowsPort: () => true }
  const resolve = async () => ['127.0.0.1']
  const fetchMedia = createMediaFetcher({ clock: systemClock, policy, resolve, limits: { failureMs: 0, parallel: 4, waiting: 1000 } })
  try {
    const answers = await Promise.all(
      [...Object.values(hosts).flat(), 'public.example'].map((host) =>
        fetchMedia(`http://${host}:${port}/secret`, new AbortController().signal).catch((thrown: unknown) => thrown),
      ),
    )
    expect(new Set(answers.map((answer) => (answer instanceof GatewayError ? answer.message : answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ code: 'invalid_value', status: 400, param: undefined })
    expect(String(answers[0])).not.toMatch(/127|secret|private/)
    expect(server.connections.accepted).toBe(0)
  } finally {
    await server.close()
  }
})

const addresses: Record<string, string[]> = {
  'S-SSRF-5 schemes': [
    'http://example.com/',
    'file:///etc/passwd',
    'ftp://example.com/a',
    'gopher://example.com/',
    'data:image/png;base64,iVBORw0KGgo=',
    'blob:https://example.com/1',
    'javascript:alert(1)',
    'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
    'ws://example.com/',
    'gs://bucket/a',
    '//example.com/a',
    '/a',
    '',
    'https:',
    'https://',
    'example.com/a',
  ],
  'S-SSRF-6 ports and user names': [
    'https://example.com:22/',
    'https://example.com:8080/',
    'https://example.com:6379/',
    'https://example.com:0/',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://:secret@example.com/',
  ],
  'S-SSRF-7 what parsers read differently': [
    'https://example.com\\@127.0.0.1/',
    'https:\\\\127.0.0.1/',
    'https://exam\tple.com/',
    'https://example.com/\n@127.0.0.1',
    'https://a@b@127.0.0.1/',
    'https://example.com%2f@127.0.0.1/',
    'https://example.com%00.127.0.0.1/',
    'https://[::1/',
    'https://exa mple.com/',
    `https://example.com/${'a'.repeat(9000)}`,
  ],
}

describe.each(Object.entries(addresses))('%s', (_, refused) => {
  test.each(refused)('%s', (address) => {
    expect(readAddress(address, publicOnly)).toBeUndefined()
  })
})

test('S-SSRF-7 what follows `#` belongs to no host', () => {
  expect(readAddress('https://example.com#@127.0.0.1/', publicOnly)?.hostname).toBe('example.com')
  expect(readAddress('https://example.com:80/a b?c=d e', publicOnly)?.href).toBe('https://example.com:80/a%20b?c=d%20e')
})

test.each<[string, string | Uint8Array]>([
  ['image/png', '\x89PNG\r\n\x1a\nrest'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\x10\0\0\0WEBPVP8 '],
  ['audio/wav', 'RIFF\x10\0\0\0WAVEfmt '],
  ['application/pdf', '%PDF-1.7'],
  ['audio/mpeg', 'ID3\x04'],
  ['audio/mpeg', '\xff\xfb\x90'],
])('%s is known by its bytes', (kind, start) => {
  expect(mediaType(Buffer.from(start as string, 'latin1'))).toBe(kind as never)
})

test.each(['', 'G', '<svg', '<!DOCTYPE html>', '{"a":1}', 'RIFF\x10\0\0\0AVI ', '\x1f\x8b\x08', 'PK\x03\x04', 'MZ', '%!PS'])(
  '%p is none',
  (start) => {
    expect(mediaType(Buffer.from(start, 'latin1'))).toBeUndefined()
  },
)
