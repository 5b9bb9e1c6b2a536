/**
 * Attacks that were tried on a running Parley and held: who may call what, smuggled requests, paths, prototypes, slow and many connections,
 * many set-ups at once; and damaged requests at every address, with a seed (`npm run fuzz -- --endpoints` sends more).
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { globSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { sampledEngine } from '#testing/database/database'
import { type Endpoint, type EndpointCase, endpointCase, endpointFault, endpointsOf, type Identities } from '#testing/fuzz/endpoints'
import { type Program, startProgram } from '#testing/program/program'
import { isDeep, runSeed } from '#testing/sample'
import { databaseOn } from './support/gateway.ts'

let program: Program
let dropDatabase: () => Promise<void>
/** Statuses of thirty set-ups at once. */
let setUps: number[]
let admin: { cookie: string }
let endpoints: [Endpoint, ...Endpoint[]]
let user: { cookie: string }
let key: { authorization: string }

const json = { 'content-type': 'application/json' }
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(program.url + path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
const cookieOf = (answer: Response) => ({ cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' })

beforeAll(async () => {
  const { env, drop } = await databaseOn(sampledEngine(import.meta.file))
  dropDatabase = drop
  program = await startProgram({ env: { ...env, PARLEY_DEMO: 'on' } })
  const token = program.printed('Parley setup token')
  const tries = Array.from({ length: 30 }, (_, at) => post('/api/setup', { token, name: `root${at}`, password: 'correct horse battery' }))
  const answers = await Promise.all(tries)
  setUps = answers.map(({ status }) => status)
  const made = answers.find(({ ok }) => ok)
  if (!made) throw new Error(`no set-up succeeded: ${setUps}`)
  admin = cookieOf(made)
  const password = 'password of ann'
  await post('/api/users', { name: 'ann', password, balance: '1000' }, admin)
  user = cookieOf(await post('/api/session', { name: 'ann', password }))
  const { key: secret } = (await (await post('/api/keys', { name: 'key of ann' }, user)).json()) as { key: string }
  key = { authorization: `Bearer ${secret}` }
  const [first, ...rest] = endpointsOf(await (await fetch(`${program.url}/openapi.json`)).text())
  if (!first) throw new Error('no endpoints')
  endpoints = [first, ...rest]
}, 90_000)
afterAll(async () => {
  await program?.stop()
  await dropDatabase?.()
})

test('of thirty set-ups at once one makes an administrator', () => {
  expect(setUps.filter((status) => status === 201)).toHaveLength(1)
  expect(setUps.filter((status) => status >= 500 && status !== 503)).toEqual([])
})

describe('every address of the document', () => {
  // Single sign-on is an entry point; everyone with the link to a conversation may read it.
  const open = new Set([
    ...['GET /api/status', 'POST /api/setup', 'POST /api/session', 'POST /api/session/oidc', 'GET /api/session/oidc/callback'],
    'GET /api/shares/{id}',
    // Ways in: what they ask for is in the body, or in the cookie of a step.
    ...[
      'POST /api/session/step',
      'POST /api/session/passkey',
      'POST /api/session/passkey-options',
      'POST /api/join',
      'POST /api/join/look',
    ],
  ])
  const statusOf = async ({ method, path, sample }: Endpoint, headers: Record<string, string>) => {
    const body = method === 'GET' ? {} : { body: sample ?? '{}' }
    const typed = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers }
    const answer = await fetch(program.url + path.replace('{dialect}', 'messages').replace(/\{[^}]+\}/g, 'x'), {
      method,
      headers: typed,
      ...body,
    })
    await answer.body?.cancel()
    return answer.status
  }
  const guarded = () => endpoints.filter(({ method, path }) => /^\/(?:api|pg|v1|v1beta)\//.test(path) && !open.has(`${method} ${path}`))

  test('tells strangers nothing', async () => {
    expect(guarded().length).toBeGreaterThan(80)
    const others: unknown[] = []
    for (const endpoint of guarded()) {
      const status = await statusOf(endpoint, {})
      if (status !== 401) others.push([endpoint.method, endpoint.path, status])
    }
    expect(others).toEqual([])
  })

  test('takes no key of models where a session belongs, and no session where a key belongs', async () => {
    const others: unknown[] = []
    for (const endpoint of guarded()) {
      const status = await statusOf(endpoint, /^\/(?:api|pg)\//.test(endpoint.path) ? key : user)
      if (status !== 401) others.push([endpoint.method, endpoint.path, status])
    }
    expect(others).toEqual([])
  })

  test('answers a user nothing that only administrators may know', async () => {
    const secret = /^\/api\/(?:users|plans|credits|codes(?!\/redeem)|channels|settings|audit|books|config|concerns|route|alerts)/
    for (const endpoint of guarded().filter(({ path }) => secret.test(path))) {
      expect([endpoint.method, endpoint.path, await statusOf(endpoint, user)]).toEqual([endpoint.method, endpoint.path, 403])
    }
  })

  test('answers a user nothing of a team without a place in it', async () => {
    for (const endpoint of guarded().filter(({ path }) => path.startsWith('/api/teams/'))) {
      expect([400, 403, 404]).toContain(await statusOf(endpoint, user))
    }
  })
})

/** Everything that a connection answers to these bytes until it is closed or falls silent. */
function answersTo(bytes: string): Promise<string> {
  const { hostname, port } = new URL(program.url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let heard = ''
    socket.setTimeout(700, () => socket.destroy())
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })
    socket.on('error', () => undefined).on('close', () => resolve(heard))
  })
}

const inner = () => `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${key.authorization}\r\n\r\n`
const signIn = (headers: string, body: string) =>
  `POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`

test.each<[string, () => string]>([
  ['a length beside chunks', () => signIn(`Content-Length: 4\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner()}`)],
  ['two lengths', () => signIn(`Content-Length: 0\r\nContent-Length: ${inner().length}`, inner())],
  ['lengths in one field', () => signIn(`Content-Length: 0, ${inner().length}`, inner())],
  ['a signed length', () => signIn('Content-Length: +0', inner())],
  ['chunks by another name', () => signIn('Transfer-Encoding: xchunked', `0\r\n\r\n${inner()}`)],
  ['chunks and then not', () => signIn('Transfer-Encoding: chunked, identity', `0\r\n\r\n${inner()}`)],
  ['a space before the colon', () => signIn(`Transfer-Encoding : chunked\r\nContent-Length: ${inner().length}`, inner())],
  ['a chunk of a signed size', () => signIn('Transfer-Encoding: chunked', `-1\r\n\r\n${inner()}`)],
])('a request behind %s is not answered', async (_, bytes) => {
  const heard = await answersTo(bytes())
  expect(heard).not.toContain('"object":"list"')
  expect(heard).not.toContain('parley-demo')
})

test('no path leads out of the folder of the client', async () => {
  const ups = ['..', '%2e%2e', '%2E.', '..%2f..', '..%5c', '%252e%252e', '....//', '..;', '%c0%ae%c0%ae', '\\..']
  for (const up of ups) {
    for (const file of ['etc/passwd', 'package.json', 'data/master.key']) {
      const heard = await answersTo(`GET /${`${up}/`.repeat(8)}${file} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      expect([up, file, /root:|"devDependencies"/.test(heard)]).toEqual([up, file, false])
    }
  }
}, 120_000)

test('names of prototypes are names like any other', async () => {
  const says = '"messages":[{"role":"user","content":"hi"}]'
  for (const odd of [
    '"__proto__":{"model":"x","isAdmin":true}',
    '"constructor":{"prototype":{"role":"admin"}}',
    '"metadata":{"__proto__":{"a":"b"}}',
  ]) {
    const body = `{"model":"parley-demo",${says},${odd}}`
    const answer = await fetch(`${program.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body,
    })
    expect([odd, answer.status < 500, await answer.text()]).toEqual([odd, true, expect.any(String)])
  }
  const body = '{"name":"k","__proto__":{"user":"admin"}}'
  const made = await fetch(`${program.url}/api/keys`, { method: 'POST', headers: { ...user, 'content-type': 'application/json' }, body })
  expect(made.status).toBe(400)
  expect(await (await fetch(`${program.url}/api/session`, { headers: user })).json()).toMatchObject({ user: { name: 'ann', role: 'user' } })
})

test('hundreds of idle connections and many refused sockets keep no client out', async () => {
  const { hostname, port } = new URL(program.url)
  const slow: Socket[] = Array.from({ length: 400 }, () => {
    const socket = connect(Number(port), hostname, () =>
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Le'),
    )
    return socket.on('error', () => undefined)
  })
  const refused = Array.from({ length: 200 }, async () => {
    const socket = new WebSocket(`${program.url.replace('http', 'ws')}/v1/realtime?model=parley-demo-realtime`)
    await new Promise((resolve) => socket.addEventListener('close', resolve))
  })
  await Promise.all(refused)
  expect((await fetch(`${program.url}/v1/models`, { headers: key })).status).toBe(200)
  for (const socket of slow) socket.destroy()
}, 60_000)

const count = isDeep ? 20_000 : 600

test(`${count} damaged requests are answered, and never by a fault of Parley’s own`, async () => {
  expect(endpoints.length).toBeGreaterThan(60)
  const finds: unknown[] = []
  for (let seed = runSeed * 1_000_000; seed < runSeed * 1_000_000 + count; seed++) {
    const one = endpointCase(seed, endpoints, { key, admin, user })
    const fault = await endpointFault(program.url, one)
    if (fault !== undefined) finds.push({ seed, fault, ...one, headers: Object.keys(one.headers) })
  }
  expect(finds).toEqual([])
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200)
}, 600_000)

const folder = join(import.meta.dir, '../testing/fuzz/endpoint-finds')
test.each(globSync('*.json', { cwd: folder }))('%s, found before', async (name) => {
  const { as, ...one }: EndpointCase & { as: string } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const identities: Identities = { key, admin, user }
  expect(await endpointFault(program.url, { ...one, headers: { ...identities[as], ...one.headers } })).toBeUndefined()
})
