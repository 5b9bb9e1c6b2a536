/** Every failure has the OpenAI error envelope and a request id, and the process survives all of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { sampledEngine } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream(chatVendor({ strictFields: false, models: [testModel, 'vendor/deep/model'] }))
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('vendor', upstream.url, {
    models: [testModel, 'vendor/deep/model', 'unpriced', { name: 'alias', upstream: testModel }],
  })
  for (const model of [testModel, 'vendor/deep/model', 'alias']) await gateway.price(model)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const messages = [{ role: 'user', content: 'hi' }]
const whole = { model: testModel, messages }
const post = (body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers },
  })

async function envelope(answer: Response): Promise<{ message: string; type: string; code: string | null; param: string | null }> {
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(answer.headers.get('x-request-id')).toMatch(/^req_\w{20,}$/)
  expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id') ?? '')
  const { error } = (await answer.json()) as { error: { message: string; type: string; code: string; param: string | null } }
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
  return error
}

const bodies: [string, BodyInit, number, string, string | null][] = [
  ['no body', '', 400, 'invalid_json', null],
  ['broken JSON', '{"model":', 400, 'invalid_json', null],
  ['null', 'null', 400, 'invalid_request', null],
  ['a list', '[]', 400, 'invalid_request', null],
  ['a number', '0', 400, 'invalid_request', null],
  ['no model', JSON.stringify({ messages }), 400, 'missing_field', 'model'],
  ['no messages', JSON.stringify({ model: testModel }), 400, 'missing_field', 'messages'],
  ['messages of the wrong type', JSON.stringify({ model: testModel, messages: 'hi' }), 400, 'invalid_value', 'messages'],
  ['model of the wrong type', JSON.stringify({ model: 5, messages }), 400, 'invalid_value', 'model'],
  ['a NUL in the model', JSON.stringify({ model: 'a\0b', messages }), 400, 'invalid_value', 'model'],
  ['stream of the wrong type', JSON.stringify({ ...whole, stream: 'yes' }), 400, 'invalid_value', 'stream'],
  ['a negative limit', JSON.stringify({ ...whole, max_tokens: -1 }), 400, 'invalid_value', 'max_tokens'],
  ['a limit as text', JSON.stringify({ ...whole, max_tokens: '5' }), 400, 'invalid_value', 'max_tokens'],
  [
    'a limit beyond all bounds',
    `{"model":"${testModel}","messages":[{"role":"user","content":"hi"}],"max_tokens":1e308}`,
    400,
    'invalid_value',
    'max_tokens',
  ],
  [
    'nesting 65 deep',
    `{"model":"${testModel}","messages":[{"role":"user","content":"hi"}],"x":${'['.repeat(65)}${']'.repeat(65)}}`,
    400,
    'invalid_request',
    null,
  ],
  ['nesting 100,000 deep', '['.repeat(100_000), 400, 'invalid_request', null],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 400, 'invalid_json', null],
  ['an unknown model', JSON.stringify({ ...whole, model: 'nope' }), 404, 'model_not_found', 'model'],
  ['a model without a price', JSON.stringify({ ...whole, model: 'unpriced' }), 404, 'model_not_found', 'model'],
]

test.each(bodies)('%s', async (_, body, status, code, param) => {
  const answer = await post(body)
  expect(answer.status).toBe(status)
  const error = await envelope(answer)
  expect(error).toMatchObject({ code, param })
  // The caller was known, so the request id finds a row.
  expect(await gateway.log(answer.headers.get('x-request-id') ?? '')).toMatchObject({ status, cost: '0', end: 'error', error: { code } })
})

test('nesting 64 deep passes', async () => {
  const answer = await post(`{"model":"${testModel}","messages":[{"role":"user","content":"hi"}],"x":${'['.repeat(63)}${']'.repeat(63)}}`)
  expect(answer.status).toBe(200)
})

test('a body of 33 MiB is refused and the next request is served', async () => {
  const answer = await post(JSON.stringify({ ...whole, messages: [{ role: 'user', content: 'x'.repeat(33 * 1024 * 1024) }] }))
  expect(answer.status).toBe(413)
  expect((await envelope(answer)).code).toBe('request_too_large')
  expect((await post(JSON.stringify(whole))).status).toBe(200)
})

test('a body of 31 MiB passes', async () => {
  const { key } = await gateway.user('rich', '1000')
  const answer = await post(JSON.stringify({ ...whole, messages: [{ role: 'user', content: 'x'.repeat(31 * 1024 * 1024) }] }), {
    authorization: `Bearer ${key}`,
  })
  expect(answer.status).toBe(200)
})

test('content types: JSON, +json and none pass, others are 415', async () => {
  const text = JSON.stringify(whole)
  for (const type of ['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'])
    expect((await post(text, { 'content-type': type })).status).toBe(200)
  const bare = [
    'POST /v1/chat/completions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${gateway.key}`,
    `Content-Length: ${text.length}`,
  ]
  expect(statusOf(await rawRequest(head(...bare) + text))).toBe(200)
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await post(text, { 'content-type': type })
    expect(answer.status).toBe(415)
    expect((await envelope(answer)).code).toBe('unsupported_media_type')
  }
})

const badKeys = [
  'Bearer',
  'Bearer ',
  'Bearer sk-unknown-but-well-formed',
  `Bearer sk-${'x'.repeat(12_000)}`,
  "Bearer sk-' or 1=1 --",
  'Basic abc',
  'Bearer sk-a b',
]

test.each(badKeys.map((key) => [key.slice(0, 40), key]))('a bad key is 401 in the envelope: %s', async (_, authorization) => {
  const answer = await post(JSON.stringify(whole), { authorization })
  expect(answer.status).toBe(401)
  const error = await envelope(answer)
  expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_api_key' })
  expect(answer.headers.get('x-should-retry')).toBe('false')
  expect(JSON.stringify(error)).not.toContain('unknown-but')
})

test('every carrier of the key works, two different keys do not', async () => {
  const call = (headers: Record<string, string>, query = '') => fetch(`${gateway.url}/v1/models${query}`, { headers })
  const { key } = gateway
  for (const name of ['x-api-key', 'x-third-api-key', 'x-goog-api-key']) expect((await call({ [name]: key })).status).toBe(200)
  expect((await call({ authorization: `bEARER ${key}` })).status).toBe(200)
  expect((await call({}, `?key=${key}`)).status).toBe(200)
  expect((await call({ authorization: `Bearer ${key}`, 'x-api-key': key })).status).toBe(200)
  const answer = await post(JSON.stringify(whole), { 'x-api-key': 'sk-another-one-entirely' })
  expect(answer.status).toBe(401)
  expect((await envelope(answer)).code).toBe('conflicting_credentials')
  expect((await call({ cookie: gateway.admin.cookie })).status).toBe(401)
  expect(gateway.program.output()).not.toContain(`?key=${key}`)
})

test('an empty header, and an Authorization that is no Bearer, are no second key', async () => {
  const call = (headers: Record<string, string>, query = '') => fetch(`${gateway.url}/v1/models${query}`, { headers })
  const { key } = gateway
  const bearer = { authorization: `Bearer ${key}` }
  const version = { 'anthropic-version': '2023-06-01' }
  for (const name of ['x-api-key', 'x-third-api-key', 'x-goog-api-key']) {
    expect((await call({ ...bearer, [name]: '' })).status).toBe(200)
    expect((await call({ authorization: '', [name]: key })).status).toBe(200)
    expect((await call({ authorization: 'Bearer ', [name]: key })).status).toBe(200)
    expect((await call({ authorization: 'Basic dXNlcjpwYXNz', [name]: key })).status).toBe(200)
  }
  expect((await call(bearer, '?key=')).status).toBe(200)
  expect((await call({ ...bearer, 'x-api-key': '', ...version })).status).toBe(200)
  expect((await call({ authorization: 'Bearer ', 'x-goog-api-key': 'sk-another-one-entirely' }, `?key=${key}`)).status).toBe(401)
  const refused = async (answer: Response) => [answer.status, (await envelope(answer)).code]
  expect(await refused(await post(JSON.stringify(whole), { 'x-api-key': '', authorization: '' }))).toEqual([401, 'invalid_api_key'])
  expect(await refused(await post(JSON.stringify(whole), { authorization: 'Basic dXNlcjpwYXNz' }))).toEqual([401, 'invalid_api_key'])
  const two = { 'x-api-key': '', 'x-goog-api-key': 'sk-another-one-entirely' }
  expect(await refused(await post(JSON.stringify(whole), two))).toEqual([401, 'conflicting_credentials'])
})

test('Allow names the methods that the address serves', async () => {
  const headers = { authorization: `Bearer ${gateway.key}` }
  for (const [path, allow] of [
    ['/v1/responses', 'POST'],
    ['/openai/v1/responses', 'POST'],
    ['/v1/models/c', 'GET'],
    ['/v1beta/models/a/b', 'GET'],
    ['/v1/models/c:generateContent', 'POST'],
    ['/v1beta/models/a/b%3AstreamGenerateContent', 'POST'],
    ['/v1beta/models/c:batchGenerateContent', 'POST'],
    ['/v1beta/models', 'GET'],
  ] as const) {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await fetch(gateway.url + path, { method, headers })
      expect([path, method, answer.status, answer.headers.get('allow')]).toEqual([path, method, 405, allow])
    }
  }
})

test('a compressed body is 415 in the envelope of the caller', async () => {
  const packed = Bun.gzipSync(JSON.stringify(whole))
  const gzip = { 'content-encoding': 'gzip' }
  const answer = await post(packed, gzip)
  expect([answer.status, await envelope(answer)]).toMatchObject([
    415,
    { type: 'invalid_request_error', code: 'unsupported_media_type', message: expect.stringContaining('Content-Encoding') },
  ])
  const large = await post(Bun.gzipSync(crypto.getRandomValues(new Uint8Array(65_536)), { level: 0 }), gzip)
  expect([large.status, (await envelope(large)).code]).toEqual([415, 'unsupported_media_type'])
  const ask = (path: string) =>
    fetch(gateway.url + path, {
      method: 'POST',
      body: packed,
      headers: { ...gzip, 'anthropic-version': '2023-06-01', 'x-api-key': gateway.key },
    })
  const messages = await ask('/v1/messages')
  expect([messages.status, await messages.json()]).toMatchObject([415, { type: 'error', error: { type: 'invalid_request_error' } }])
  const gemini = await ask(`/v1beta/models/${testModel}:generateContent`)
  expect([gemini.status, await gemini.json()]).toMatchObject([415, { error: { status: 'INVALID_ARGUMENT' } }])
  expect((await post(JSON.stringify(whole), { 'content-encoding': 'identity' })).status).toBe(200)
})

test('paths: unknown is 404, a wrong method is 405 with Allow, models may have slashes', async () => {
  const call = (method: string, path: string) => fetch(gateway.url + path, { method, headers: { authorization: `Bearer ${gateway.key}` } })
  const unknown = await call('GET', '/v1/unknown')
  expect(unknown.status).toBe(404)
  expect((await envelope(unknown)).code).toBe('not_found')
  const wrong = await call('GET', '/v1/chat/completions')
  expect(wrong.status).toBe(405)
  expect(wrong.headers.get('allow')).toBe('POST')
  expect((await envelope(wrong)).code).toBe('method_not_allowed')
  expect((await call('DELETE', '/v1/models')).status).toBe(405)
  for (const path of ['vendor/deep/model', 'vendor%2Fdeep%2Fmodel']) {
    const found = await call('GET', `/v1/models/${path}`)
    expect(found.status).toBe(200)
    expect(await found.json()).toMatchObject({ id: 'vendor/deep/model', object: 'model' })
  }
  const missing = await call('GET', '/v1/models/nope')
  expect(missing.status).toBe(404)
  expect((await envelope(missing)).code).toBe('model_not_found')
  const listed = (await (await call('GET', '/v1/models')).json()) as { data: { id: string }[] }
  expect(listed.data.map((model) => model.id)).toEqual(['alias', testModel, 'vendor/deep/model'])
})

/** A request as raw bytes, since no client lets a test send these. */
function rawRequest(text: string): Promise<string> {
  const { port } = new URL(gateway.url)
  return new Promise((resolve, reject) => {
    let got = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
    socket.setTimeout(3000, () => socket.destroy())
    socket.on('data', (bytes) => {
      got += bytes
    })
    socket.on('close', () => resolve(got))
    socket.on('error', reject)
  })
}
const head = (...lines: string[]) => `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

test('Host: short, malformed, doubled or foreign names reach no handler', async () => {
  const users = 'GET /api/users HTTP/1.1'
  for (const host of ['abc', 'a', 'evil.example']) {
    const answer = await rawRequest(head(users, `Host: ${host}`))
    expect(statusOf(answer)).toBe(421)
    expect(answer).toContain('PARLEY_ALLOWED_HOSTS')
  }
  for (const host of ['a/b', 'a?b', 'a b', 'x@y', 'a\\b', '127.0.0.1:99999'])
    expect(statusOf(await rawRequest(head(users, `Host: ${host}`)))).toBe(400)
  expect(statusOf(await rawRequest(head(users, 'Host: localhost', 'Host: evil.example')))).toBeGreaterThanOrEqual(400)
  for (const target of ['/v1/api/users', '//api/users', '/api//users', '/API/users', '/api%2fusers', '/api/users/..%2f']) {
    expect([401, 404, 405]).toContain(statusOf(await rawRequest(head(`GET ${target} HTTP/1.1`, 'Host: localhost'))))
  }
})

test('nothing of the caller reaches the upstream but the body, and nothing of the account comes back', async () => {
  const number = upstream.requests.length
  const answer = await post(JSON.stringify(whole), {
    cookie: 'a=b',
    'x-forwarded-for': '1.2.3.4',
    'x-api-key': gateway.key,
    'x-secret': 'mine',
    'openai-organization': 'org-mine',
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('openai-organization')).toBeNull()
  expect(answer.headers.get('set-cookie')).toBeNull()
  const sent = upstream.requests[number]
  const names = sent?.headers.map(([name]) => name.toLowerCase()).sort() ?? []
  expect(names).toEqual([
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ])
  expect(sent?.header('authorization')).toBe('Bearer sk-vendor')
  expect(sent?.text()).toBe(JSON.stringify(whole))
})

test('an alias goes out by its upstream name and comes back by its own', async () => {
  const number = upstream.requests.length
  const answer = await post(`{ "messages":[{"role":"user","content":"hi"}],"unknown":{"a":1.50} , "model" : "alias" }`)
  expect(upstream.requests[number]?.text()).toBe(
    `{ "messages":[{"role":"user","content":"hi"}],"unknown":{"a":1.50} , "model" : "${testModel}" }`,
  )
  expect(((await answer.json()) as { model: string }).model).toBe('alias')
})

test('the process is alive and its log holds no key', async () => {
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({ status: 'ready' })
  const printed = gateway.program.output().replaceAll(`PARLEY_KEY=${gateway.key}`, '')
  expect(printed).not.toContain(gateway.key)
  expect(printed).not.toContain('sk-vendor')
})

describe('console and playground', () => {
  test('/pg needs the session and the same origin, takes the group, and refuses attachments', async () => {
    const pg = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${gateway.url}/pg/chat/completions`, {
        method: 'POST',
        headers: { cookie: gateway.admin.cookie, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const number = upstream.requests.length
    expect((await pg({ ...whole, group: 'default' })).status).toBe(200)
    expect(upstream.requests[number]?.json()).toEqual(whole)
    expect((await envelope(await pg(whole, { cookie: '' }))).code).toBe('not_signed_in')
    expect((await envelope(await pg(whole, { cookie: '', authorization: `Bearer ${gateway.key}` }))).code).toBe('not_signed_in')
    expect((await envelope(await pg(whole, { origin: 'https://evil.example' }))).code).toBe('bad_origin')
    expect((await envelope(await pg(whole, { 'sec-fetch-site': 'cross-site' }))).code).toBe('bad_origin')
    expect((await envelope(await pg({ ...whole, group: 'vip' }))).code).toBe('group_not_allowed')
    expect((await envelope(await pg(whole, { 'content-type': 'text/plain' }))).code).toBe('unsupported_media_type')
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }
    for (const body of [
      { ...whole, messages: [image] },
      { ...whole, web_search_options: {} },
    ]) {
      expect((await envelope(await pg(body))).code).toBe('unsupported_in_playground')
    }
    expect(upstream.requests.length).toBe(number + 1)
  })
})
