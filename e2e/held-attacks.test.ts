/** Attacks that were tried on a running Parley and held: who may call what, smuggled requests, paths, prototypes, slow and many connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { sampledEngine } from '#testing/database/database'
import { type Door, doorsOf } from '#testing/fuzz/doors'
import { startProgram } from '#testing/program/program'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
let doors: Door[]
let user: { cookie: string }
let key: { authorization: string }

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  doors = doorsOf(await (await fetch(`${gateway.url}/openapi.json`)).text())
  const ann = await gateway.user('ann', '1')
  user = { cookie: ann.session.cookie }
  key = { authorization: `Bearer ${ann.key}` }
}, 90_000)
afterAll(() => gateway?.close())

describe('every address of the document', () => {
  // Single sign-on is the way in; whoever has the link to a conversation may read it.
  const open = new Set([
    ...['GET /api/status', 'POST /api/setup', 'POST /api/session', 'POST /api/session/oidc', 'GET /api/session/oidc/callback'],
    'GET /api/shares/{id}',
  ])
  const statusOf = async ({ method, path, sample }: Door, headers: Record<string, string>) => {
    const body = method === 'GET' ? {} : { body: sample ?? '{}' }
    const typed = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers }
    const answer = await fetch(gateway.url + path.replace('{dialect}', 'messages').replace(/\{[^}]+\}/g, 'x'), {
      method,
      headers: typed,
      ...body,
    })
    await answer.body?.cancel()
    return answer.status
  }
  const guarded = () => doors.filter(({ method, path }) => /^\/(?:api|pg|v1|v1beta)\//.test(path) && !open.has(`${method} ${path}`))

  test('tells strangers nothing', async () => {
    expect(guarded().length).toBeGreaterThan(80)
    const others: unknown[] = []
    for (const door of guarded()) {
      const status = await statusOf(door, {})
      if (status !== 401) others.push([door.method, door.path, status])
    }
    expect(others).toEqual([])
  })

  test('takes no key of models where a session belongs, and no session where a key belongs', async () => {
    const others: unknown[] = []
    for (const door of guarded()) {
      const status = await statusOf(door, /^\/(?:api|pg)\//.test(door.path) ? key : user)
      if (status !== 401) others.push([door.method, door.path, status])
    }
    expect(others).toEqual([])
  })

  test('answers a user nothing that only administrators may know', async () => {
    const secret = /^\/api\/(?:users|channels|settings|audit|books|config|concerns|route)/
    for (const door of guarded().filter(({ path }) => secret.test(path))) {
      expect([door.method, door.path, await statusOf(door, user)]).toEqual([door.method, door.path, 403])
    }
  })
})

/** All that a connection answers to these bytes until it is closed, or is silent. */
function answersTo(bytes: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url)
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
const post = (headers: string, body: string) =>
  `POST /api/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`

test.each<[string, () => string]>([
  ['a length beside chunks', () => post(`Content-Length: 4\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner()}`)],
  ['two lengths', () => post(`Content-Length: 0\r\nContent-Length: ${inner().length}`, inner())],
  ['lengths in one field', () => post(`Content-Length: 0, ${inner().length}`, inner())],
  ['a signed length', () => post('Content-Length: +0', inner())],
  ['chunks by another name', () => post('Transfer-Encoding: xchunked', `0\r\n\r\n${inner()}`)],
  ['chunks and then not', () => post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${inner()}`)],
  ['a space before the colon', () => post(`Transfer-Encoding : chunked\r\nContent-Length: ${inner().length}`, inner())],
  ['a chunk of a signed size', () => post('Transfer-Encoding: chunked', `-1\r\n\r\n${inner()}`)],
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
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body,
    })
    expect([odd, answer.status < 500, await answer.text()]).toEqual([odd, true, expect.any(String)])
  }
  const body = '{"name":"k","__proto__":{"user":"admin"}}'
  const made = await fetch(`${gateway.url}/api/keys`, { method: 'POST', headers: { ...user, 'content-type': 'application/json' }, body })
  expect(made.status).toBe(400)
  expect(await (await fetch(`${gateway.url}/api/session`, { headers: user })).json()).toMatchObject({ user: { name: 'ann', role: 'user' } })
})

test('hundreds of connections that say little and many refused sockets keep nobody out', async () => {
  const { hostname, port } = new URL(gateway.url)
  const slow: Socket[] = Array.from({ length: 400 }, () => {
    const socket = connect(Number(port), hostname, () =>
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Le'),
    )
    return socket.on('error', () => undefined)
  })
  const refused = Array.from({ length: 200 }, async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?model=parley-demo-realtime`)
    await new Promise((resolve) => socket.addEventListener('close', resolve))
  })
  await Promise.all(refused)
  expect((await fetch(`${gateway.url}/v1/models`, { headers: key })).status).toBe(200)
  for (const socket of slow) socket.destroy()
}, 60_000)

test('of thirty set-ups at once one makes an administrator', async () => {
  const program = await startProgram()
  try {
    const token = program.printed('Parley setup token')
    const ask = (at: number) =>
      fetch(`${program.url}/api/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, name: `root${at}`, password: 'correct horse battery' }),
      }).then(({ status }) => status)
    const statuses = await Promise.all(Array.from({ length: 30 }, (_, at) => ask(at)))
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([])
  } finally {
    await program.stop()
  }
}, 120_000)
