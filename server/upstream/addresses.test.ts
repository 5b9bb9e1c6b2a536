import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { handClock } from '#testing/hand-clock'
import { type AddressPolicy, assertChannelAddress, createAddressCheck, type Resolve } from './addresses.ts'

const hosts = {
  allowed: [
    '127.0.0.1:11434',
    'localhost',
    'localhost.',
    '[::1]:8080',
    '0.0.0.0:1234',
    '10.0.0.5',
    '172.16.3.4',
    '192.168.1.10:8000',
    '100.64.0.1',
    '100.100.100.201',
    '169.253.255.255',
    '169.255.0.1',
    '[fd00::1]',
    '[fec0::1]',
    '[::ffff:10.0.0.1]',
    'api.openai.com',
    'metadata-service.example',
    'my-metadata.example',
    'xn--bcher-kva.example',
  ],
  refused: [
    // One address in every spelling that the URL parser unifies.
    '169.254.169.254',
    '169.254.169.254.',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.16689662',
    '１６９.２５４.１６９.２５４',
    '169。254。169。254',
    '%31%36%39.254.169.254',
    // The whole link-local range, and the clouds' exceptions.
    '169.254.0.1',
    '169.254.170.2',
    '169.254.255.255:80',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '[fe80::1]',
    '[febf:ffff::1]',
    '[fd00:ec2::254]',
    '[fd00:0ec2:0:0:0:0:0:23]',
    '[fd20:ce::254]',
    // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo (server, inverted client), ISATAP.
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[::a9fe:a9fe]',
    '[::ffff:0:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[2001:0:a9fe:a9fe::1]',
    '[2001:0:102:304::5601:5601]',
    '[2001:db8::5efe:a9fe:a9fe]',
    '[2001:db8::200:5efe:a9fe:a9fe]',
    '[::ffff:100.100.100.200]',
    // Names.
    'metadata',
    'metadata.google.internal',
    'METADATA.Google.Internal.',
    'metadata.google.internal..',
    'x.metadata.google.internal',
    'metadata.goog',
    'instance-data',
    'instance-data.ec2.internal',
    'metadata.azure.internal',
  ],
}

const thrown = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('assertChannelAddress', () => {
  test.each(hosts.allowed)('allows %s', (host) => {
    expect(thrown(() => assertChannelAddress(`http://${host}/v1`))).toBeUndefined()
  })

  test.each(hosts.refused)('refuses %s', (host) => {
    const error = thrown(() => assertChannelAddress(`https://${host}/v1`))
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ code: 'invalid_value', param: 'baseUrl' })
  })

  test.each([
    'file:///etc/passwd',
    'ftp://host.example/',
    'gopher://host.example/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'http+unix://socket',
    'https://user:s3cret@host.example/',
    'https://user@host.example/',
    'https://host.example@169.254.169.254/',
    'http://169.254.169.254#@host.example/',
    'http://169.254.169.254\\@host.example/',
    'http://169.254\t.169.254/',
    'not a url',
    '',
  ])('refuses %p, and repeats nothing of it', (url) => {
    const error = thrown(() => assertChannelAddress(url))
    expect(error).toMatchObject({ code: 'invalid_value', param: 'baseUrl' })
    expect((error as GatewayError).message).not.toMatch(/169|s3cret|host\.example|etc/)
  })

  test('the policy is an argument', () => {
    const nothing: AddressPolicy = { refusesIpv4: () => true, refusesIpv6: () => true, refusesName: () => true }
    expect(thrown(() => assertChannelAddress('http://127.0.0.1', nothing))).toBeInstanceOf(GatewayError)
    expect(thrown(() => assertChannelAddress('http://api.openai.com', nothing))).toBeInstanceOf(GatewayError)
  })
})

describe('the check before a call', () => {
  function checkWith(answers: Record<string, string[]>) {
    const asked: string[] = []
    const clock = handClock()
    const resolve: Resolve = async (name) => {
      asked.push(name)
      const found = answers[name]
      if (found === undefined) throw new Error('no such name')
      return found
    }
    return { asked, clock, answers, check: createAddressCheck({ clock, resolve }) }
  }
  const verdict = async (work: () => Promise<void> | undefined) => {
    try {
      await work()
      return 'allowed'
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError)
      return (error as GatewayError).code
    }
  }

  test('a literal address is decided at once, without DNS', () => {
    const { check, asked } = checkWith({})
    expect(check('http://127.0.0.1:8000/v1')).toBeUndefined()
    expect(check('http://[::1]:8000/v1')).toBeUndefined()
    expect(thrown(() => check('http://169.254.169.254/'))).toMatchObject({ code: 'upstream_error' })
    expect(thrown(() => check('http://[::ffff:a9fe:a9fe]/'))).toMatchObject({ code: 'upstream_error' })
    expect(asked).toEqual([])
  })

  test('a name with one refused address among good ones is refused', async () => {
    const { check } = checkWith({
      'good.example': ['203.0.113.7', '2001:db8::7'],
      'private.example': ['10.0.0.7'],
      'mixed.example': ['203.0.113.7', '169.254.169.254'],
      'six.example': ['203.0.113.7', 'fe80::1%eth0'],
      'mapped.example': ['::ffff:169.254.169.254'],
      'empty.example': [],
    })
    expect(await verdict(() => check('https://good.example/v1'))).toBe('allowed')
    expect(await verdict(() => check('https://private.example/v1'))).toBe('allowed')
    for (const name of ['mixed', 'six', 'mapped', 'empty', 'unknown']) {
      expect(await verdict(() => check(`https://${name}.example/v1`))).toBe('upstream_error')
    }
  })

  test('asked once in 30 s, also by many at a time; then again, and a changed answer counts', async () => {
    const { check, asked, clock, answers } = checkWith({ 'host.example': ['203.0.113.7'] })
    await Promise.all(Array.from({ length: 20 }, () => check('https://host.example/v1')))
    expect(check('https://HOST.example./other')).toBeUndefined()
    expect(asked).toEqual(['host.example'])
    answers['host.example'] = ['169.254.169.254']
    await clock.advance(29_999)
    expect(await verdict(() => check('https://host.example/v1'))).toBe('allowed')
    await clock.advance(1)
    expect(await verdict(() => check('https://host.example/v1'))).toBe('upstream_error')
    expect(asked.length).toBe(2)
  })

  test('a failure is not kept', async () => {
    const { check, answers } = checkWith({})
    expect(await verdict(() => check('https://host.example/v1'))).toBe('upstream_error')
    answers['host.example'] = ['203.0.113.7']
    expect(await verdict(() => check('https://host.example/v1'))).toBe('allowed')
  })
})
