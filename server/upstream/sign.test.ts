/** Signatures against an independent implementation that is itself checked against Amazon's published vectors; tokens over real TCP. */
import { afterEach, describe, expect, test } from 'bun:test'
import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto'
import { systemClock } from '#runtime/clock'
import { handClock } from '#testing/hand-clock'
import { gate, respond, respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { createHttpUpstream } from './http.ts'
import { createSigner, type Signer } from './sign.ts'
import type { UpstreamRequest } from './upstream.ts'

const upstream = createHttpUpstream(() => undefined, systemClock)
const never = new AbortController().signal
const request: UpstreamRequest = { method: 'POST', url: 'http://127.0.0.1:9/', headers: { accept: '*/*' }, body: '{}' }

const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
const sha256 = (data: string) => createHash('sha256').update(data).digest('hex')

interface Vector {
  method: string
  /** As it is on the wire; Amazon's services except S3 encode it once more. */
  path: string
  headers: Record<string, string>
  body: string
  secret: string
  region: string
  service: string
}

/** Signature Version 4 from its documentation. */
function signatureOf({ method, path, headers, body, secret, region, service }: Vector): string {
  const names = Object.keys(headers).sort()
  const at = headers['x-amz-date'] ?? ''
  const scope = [at.slice(0, 8), region, service, 'aws4_request']
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  const lines = names.map((name) => `${name}:${headers[name]}\n`).join('')
  const canonical = [method, encoded, '', lines, names.join(';'), sha256(body)].join('\n')
  const key = scope.reduce<string | Buffer>((before, part) => hmac(before, part), `AWS4${secret}`)
  return hmac(key as Buffer, ['AWS4-HMAC-SHA256', at, scope.join('/'), sha256(canonical)].join('\n')).toString('hex')
}

const example = { secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'us-east-1' }
const at = Date.UTC(2015, 7, 30, 12, 36, 0)

describe('SigV4', () => {
  test.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('the reckoning gives Amazon’s vector %s-vanilla', (method, signature) => {
    const headers = { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' }
    expect(signatureOf({ ...example, method, path: '/', headers, body: '', service: 'service' })).toBe(signature)
  })

  const path = '/model/us.anthropic.claude-opus-4-5-20251101-v1%3A0/invoke'
  const host = 'bedrock-runtime.eu-west-3.amazonaws.com'
  const body = '{"messages":[{"role":"user","content":"Grüße"}]}'
  const signer = createSigner({ upstream, clock: handClock(at) })
  const call: UpstreamRequest = {
    method: 'POST',
    url: `https://${host}${path}`,
    headers: { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'parley/0' },
    body,
  }
  const credential = (secret: string, options = {}) => ({ scheme: 'sigv4' as const, secret, options })

  test('a Bedrock request is signed over host, date and body, with its path encoded twice', async () => {
    const signed = await signer.sign(call, credential(`AKIDEXAMPLE:${example.secret}`), never)
    const headers = { host, 'x-amz-date': '20150830T123600Z' }
    const signature = signatureOf({ ...example, region: 'eu-west-3', method: 'POST', path, headers, body, service: 'bedrock' })
    expect(signed.headers).toEqual({
      ...call.headers,
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-3/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    })
    expect(signed).toMatchObject({ url: call.url, body, method: 'POST' })
    expect(call.headers).not.toHaveProperty('authorization')
  })

  test('temporary credentials and the channel’s own x-amz headers are signed too', async () => {
    const withTrace = { ...call, headers: { ...call.headers, 'x-amz-source': 'us' } }
    const signed = await signer.sign(withTrace, credential(`AKID:${example.secret}:session/token==`, { region: 'us-west-2' }), never)
    const headers = { host, 'x-amz-date': '20150830T123600Z', 'x-amz-security-token': 'session/token==', 'x-amz-source': 'us' }
    const signature = signatureOf({ ...example, region: 'us-west-2', method: 'POST', path, headers, body, service: 'bedrock' })
    expect(signed.headers['x-amz-security-token']).toBe('session/token==')
    expect(signed.headers.authorization).toEndWith(`SignedHeaders=${Object.keys(headers).sort().join(';')}, Signature=${signature}`)
  })

  test('what is signed is what arrives', async () => {
    const server = await scriptedUpstream(respondJson(200, {}))
    try {
      const target = { ...call, url: server.url + path }
      const signed = await signer.sign(target, credential(`AKID:${example.secret}`, { region: 'us-east-1' }), never)
      const answer = await upstream.open(signed, never)
      answer.cancel()
      const arrived = await server.received(0)
      expect(arrived.target).toBe(path)
      const headers = { host: new URL(server.url).host, 'x-amz-date': '20150830T123600Z' }
      expect(arrived.header('host')).toBe(headers.host)
      const sent = { ...example, method: 'POST', path: arrived.target, headers, body: arrived.text(), service: 'bedrock' }
      expect(arrived.header('authorization')).toEndWith(signatureOf(sent))
    } finally {
      await server.close()
    }
  })

  test('bytes are signed by the digest that they came with', async () => {
    const server = await scriptedUpstream(respondJson(200, {}))
    try {
      const bytes = new TextEncoder().encode('{"a":1}')
      const body = { type: 'application/json', length: bytes.length, sha256: sha256('{"a":1}'), open: () => new Blob([bytes]).stream() }
      const signed = await signer.sign(
        { ...call, url: server.url + path, body },
        credential(`AKID:${example.secret}`, { region: 'us-east-1' }),
        never,
      )
      const answer = await upstream.open(signed, never)
      answer.cancel()
      const arrived = await server.received(0)
      const headers = { host: new URL(server.url).host, 'x-amz-content-sha256': sha256('{"a":1}'), 'x-amz-date': '20150830T123600Z' }
      const sent = { ...example, method: 'POST', path: arrived.target, headers, body: arrived.text(), service: 'bedrock' }
      expect([arrived.text(), arrived.header('authorization')]).toEqual([
        '{"a":1}',
        expect.stringContaining(`Signature=${signatureOf(sent)}`),
      ])
    } finally {
      await server.close()
    }
  })

  test('a Bedrock API key is a bearer token', async () => {
    const signed = await signer.sign(call, credential('bedrock-api-key-abc'), never)
    expect(signed.headers).toEqual({ ...call.headers, authorization: 'Bearer bedrock-api-key-abc' })
  })

  test.each([':', 'AKID:', ':secret', 'AKID:secret:', 'AKID:secret:token:more'])('%p is no key', async (secret) => {
    await expect(signer.sign(call, credential(secret), never)).rejects.toMatchObject({ code: 'upstream_auth_failed' })
  })

  test('no region, no signature', async () => {
    const elsewhere = { ...call, url: 'https://gate.example/model/x/invoke' }
    await expect(signer.sign(elsewhere, credential('AKID:secret'), never)).rejects.toMatchObject({ code: 'upstream_error' })
  })
})

test('schemes that are plain headers, and channels without a key, pass through', async () => {
  const signer = createSigner({ upstream, clock: handClock() })
  for (const scheme of ['bearer', 'x-api-key', 'none'] as const) {
    expect(await signer.sign(request, { scheme, secret: 's', options: {} }, never)).toBe(request)
  }
  expect(await signer.sign(request, { scheme: 'sigv4', secret: undefined, options: {} }, never)).toBe(request)
  expect(await signer.sign(request, { scheme: 'google-service-account', secret: '', options: {} }, never)).toBe(request)
})

describe('Google service account', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const start = Date.UTC(2026, 10, 20)
  let server: ScriptedUpstream | undefined

  afterEach(async () => {
    await server?.close()
    server = undefined
  })

  async function setUp(script = respondJson(200, { access_token: 'ya29.first', expires_in: 3599, token_type: 'Bearer' })) {
    server = await scriptedUpstream(script)
    const clock = handClock(start)
    const account = { type: 'service_account', client_email: 'p@acme.example', private_key: privateKey, private_key_id: 'k1' }
    const secret = JSON.stringify({ ...account, token_uri: `${server.url}/token` })
    return { server, clock, secret, signer: createSigner({ upstream, clock }) }
  }

  const sign = (signer: Signer, secret: string, signal = never) =>
    signer.sign(request, { scheme: 'google-service-account', secret, options: {} }, signal)

  test('a statement that Google can verify becomes a bearer token', async () => {
    const { server, signer, secret } = await setUp()
    const signed = await sign(signer, secret)
    expect(signed.headers).toEqual({ accept: '*/*', authorization: 'Bearer ya29.first' })

    const asked = await server.received(0)
    expect([asked.method, asked.target]).toEqual(['POST', '/token'])
    expect(asked.header('content-type')).toBe('application/x-www-form-urlencoded')
    const form = new URLSearchParams(asked.text())
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(decode(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' })
    expect(decode(claims)).toEqual({
      iss: 'p@acme.example',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: `${server.url}/token`,
      iat: start / 1000,
      exp: start / 1000 + 3600,
    })
    const verifier = createVerify('RSA-SHA256').update(`${head}.${claims}`)
    expect(verifier.verify(publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test('the key may be written in base64, as one word', async () => {
    const { signer, secret } = await setUp()
    const signed = await sign(signer, Buffer.from(secret).toString('base64'))
    expect(signed.headers.authorization).toBe('Bearer ya29.first')
  })

  test('one token serves until shortly before its end', async () => {
    const { server, clock, signer, secret } = await setUp()
    await sign(signer, secret)
    await clock.advance((3599 - 61) * 1000)
    await sign(signer, secret)
    expect(server.requests).toHaveLength(1)
    server.answer(respondJson(200, { access_token: 'ya29.second', expires_in: 3599 }))
    await clock.advance(1000)
    expect((await sign(signer, secret)).headers.authorization).toBe('Bearer ya29.second')
    expect(server.requests).toHaveLength(2)
    expect(clock.pending()).toBe(0)
  })

  test('concurrent requests share one token fetch; an aborted one does not cancel it for the others', async () => {
    const gated = gate(respondJson(200, { access_token: 'ya29.shared', expires_in: 3599 }))
    const { server, signer, secret } = await setUp(gated.script)
    const leaving = new AbortController()
    const left = sign(signer, secret, leaving.signal)
    const staying = Array.from({ length: 20 }, () => sign(signer, secret))
    await server.received(0)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    gated.open()
    for (const signed of await Promise.all(staying)) expect(signed.headers.authorization).toBe('Bearer ya29.shared')
    expect(server.requests).toHaveLength(1)
  })

  test('two accounts have two tokens', async () => {
    const { server, signer, secret } = await setUp()
    await sign(signer, secret)
    server.answer(respondJson(200, { access_token: 'ya29.other', expires_in: 3599 }))
    const other = JSON.stringify({ ...JSON.parse(secret), client_email: 'q@acme.example' })
    expect((await sign(signer, other)).headers.authorization).toBe('Bearer ya29.other')
    expect((await sign(signer, secret)).headers.authorization).toBe('Bearer ya29.first')
  })

  test.each([
    ['400 invalid_grant', respondJson(400, { error: 'invalid_grant', error_description: 'p@acme.example' }), 'upstream_auth_failed'],
    ['401', respondJson(401, {}), 'upstream_auth_failed'],
    ['429', respondJson(429, {}), 'upstream_error'],
    ['500', respond(500), 'upstream_error'],
    ['a redirect', respond(307, { location: 'http://127.0.0.1:1/' }), 'upstream_error'],
    ['no JSON', respond(200, {}, '<html>'), 'upstream_error'],
    ['no token', respondJson(200, { expires_in: 3599 }), 'upstream_error'],
    ['a token that is no header', respondJson(200, { access_token: 'a\r\nb: c', expires_in: 3599 }), 'upstream_error'],
    ['no lifetime', respondJson(200, { access_token: 'a' }), 'upstream_error'],
    ['a cut', stream(['{"access_'], { ending: 'close' }), 'upstream_error'],
  ])('%s is a failure, told without a word of it, and not remembered', async (_, script, code) => {
    const { server, signer, secret } = await setUp(script)
    const failure = await sign(signer, secret).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code })
    expect(String(failure)).not.toMatch(/acme|127\.0|grant/)
    server.answer(respondJson(200, { access_token: 'ya29.later', expires_in: 3599 }))
    expect((await sign(signer, secret)).headers.authorization).toBe('Bearer ya29.later')
  })

  test('no answer ends in time', async () => {
    const { server, clock, signer, secret } = await setUp(() => undefined)
    const signing = sign(signer, secret).catch((error: unknown) => error)
    await server.received(0)
    await clock.advance(10_000)
    expect(await signing).toMatchObject({ code: 'upstream_timeout' })
    expect(clock.pending()).toBe(0)
  })

  test('a key of another kind causes no request', async () => {
    const { server, signer, secret } = await setUp()
    const whole = JSON.parse(secret)
    const bad = ['x', '{', '[]', '{}', JSON.stringify({ ...whole, private_key: 'x' }), JSON.stringify({ ...whole, token_uri: 'x' })]
    for (const key of bad) await expect(sign(signer, key)).rejects.toMatchObject({ code: 'upstream_auth_failed' })
    expect(server.requests).toHaveLength(0)
  })
})

// https://ibm.com/watsonx/developer/get-started/quick-start shows the request and the answer.
test('an API key of IBM Cloud becomes a bearer token, asked for once', async () => {
  const issuer = await scriptedUpstream(
    respondJson(200, { access_token: 'eyJ.a.b', token_type: 'Bearer', expires_in: 3600, expiration: 1 }),
  )
  try {
    const clock = handClock(at)
    const signer = createSigner({ upstream, clock })
    const sign = (secret: string) =>
      signer.sign(request, { scheme: 'ibm-iam', secret, options: { iam: `${issuer.url}/identity/token` } }, never)
    const [first] = await Promise.all([sign('key one'), sign('key one')])
    expect(first?.headers.authorization).toBe('Bearer eyJ.a.b')
    expect(issuer.requests.map((one) => [one.target, one.text()])).toEqual([
      ['/identity/token', 'grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey&apikey=key+one'],
    ])
    await sign('key two')
    expect(issuer.requests.length).toBe(2)
    issuer.answer(respondJson(400, { errorCode: 'BXNIM0415E', errorMessage: 'Provided API key could not be found.' }))
    await expect(sign('key three')).rejects.toMatchObject({ code: 'upstream_auth_failed' })
    await expect(signer.sign(request, { scheme: 'ibm-iam', secret: 'k', options: { iam: 'no address' } }, never)).rejects.toMatchObject({
      code: 'upstream_error',
    })
  } finally {
    await issuer.close()
  }
})
