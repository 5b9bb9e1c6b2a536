/**
 * The API document and the reference page against the running program: every documented route is served and every served route is
 * documented, every sample runs as printed, and answers, events and keys match their description.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { carriers } from '#shared/api/carriers'
import { streaming } from '#shared/api/events'
import type { Sample } from '#shared/api/sample'
import { samples } from '#shared/api/samples'
import { type SchemaName, schemas } from '#shared/api/schemas'
import { type Checker, checker } from '#shared/check'
import { errorTable } from '#shared/errors'
import { sampledEngine } from '#testing/database/database'
import { administrator } from '#testing/program/program'
import { type Gateway, startGateway } from './support/gateway.ts'

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>
}
type Schema = { $ref?: string; anyOf?: Schema[] }
type Paths = Record<string, Record<string, Operation>>

/** SPECIFICATION section 4. */
const specified = `
  POST /v1/chat/completions          POST /pg/chat/completions         POST /v1/completions
  POST /v1/embeddings                POST /v1/engines/{model}/embeddings
  POST /v1/images/generations        POST /v1/images/edits             POST /v1/edits
  POST /v1/audio/transcriptions      POST /v1/audio/translations       POST /v1/audio/speech
  POST /v1/rerank                    POST /v1/moderations              POST /v1/responses
  POST /v1/responses/compact         POST /v1/alpha/search             POST /v1/messages
  GET /v1/realtime                   GET /v1/models                    GET /v1/models/{model}
  GET /v1beta/models                 GET /v1beta/openai/models
  POST /v1beta/models/{model}:generateContent                          POST /v1/models/{model}:generateContent
  POST /v1beta/models/{model}:streamGenerateContent                    POST /v1/models/{model}:streamGenerateContent
  POST /v1beta/models/{model}:embedContent                             POST /v1/models/{model}:embedContent
  POST /v1beta/models/{model}:batchEmbedContents                       POST /v1/models/{model}:batchEmbedContents`
  .trim()
  .split(/\s{2,}/)

let gateway: Gateway
let paths: Paths
let text: string
let page: string
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  text = await (await fetch(`${gateway.url}/openapi.json`)).text()
  paths = JSON.parse(text).paths
  page = await (await fetch(`${gateway.url}/docs`)).text()
}, 90_000)
afterAll(() => gateway?.close())

const operations = () =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, path, method, operation })),
  )

describe('the document', () => {
  test('is OpenAPI 3.1 for anyone, whole in itself', async () => {
    const whole = JSON.parse(text)
    expect(whole).toMatchObject({ openapi: '3.1.0', info: { title: 'Parley' }, servers: [{ url: '/' }] })
    for (const reference of new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path))) {
      const found = reference.split('/').reduce((inside, name) => inside?.[name], whole)
      expect([reference, typeof found]).toEqual([reference, 'object'])
    }
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, route, operation } of operations()) {
      const named = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)
      expect([route, named]).toEqual([route, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')])
    }
  })

  test('has every endpoint of the specification, and nothing without a summary of its own', () => {
    const known = operations().map(({ route }) => route)
    expect(specified.filter((route) => !known.includes(route))).toEqual([])
    expect(operations().filter(({ path, operation }) => operation.summary === path)).toEqual([])
  })

  test('names exactly the methods that each address takes', async () => {
    // After a model's name, which may hold anything, and before an action, one address takes what several paths describe.
    // What follows a model's name is the server's to read, but for the console.
    const servedAt = (path: string) => (path.startsWith('/api/') ? path : path.replace(/\{id\}:\w+$/, '{id}'))
    for (const path of Object.keys(paths)) {
      const answer = await fetch(gateway.url + concrete(path), { method: 'OPTIONS' })
      const allowed = (answer.headers.get('allow') ?? '').toLowerCase().split(', ').sort()
      const described = operations().filter((one) => servedAt(one.path) === servedAt(path))
      // The one address whose GET is nothing but a WebSocket, and which has more than that.
      const methods = described.map(({ method }) => method).filter((method) => path !== '/v1/responses' || method !== 'get')
      expect([path, answer.status, allowed]).toEqual([path, 405, [...new Set(methods)].sort()])
    }
  })

  test('states who may call: no call succeeds without', async () => {
    for (const { route, path, method, operation } of operations().filter((one) => one.operation.security.length > 0)) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(gateway.url + concrete(path), { method, headers, ...(method === 'get' ? {} : { body: '{}' }) })
      expect([route, answer.status]).toEqual([route, 401])
      expect(await answer.text()).toMatch(
        'session' in (operation.security[0] ?? {}) ? /not_signed_in/ : /invalid_api_key|UNAUTHENTICATED|An API key is required/,
      )
    }
  })

  test('every endpoint stands in a test', () => {
    const root = join(import.meta.dir, '..')
    const files = ['e2e', 'server'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
    )
    const tests = files.filter((name) => /\.(test|e2e)\.ts$/.test(name)).map((name) => readFileSync(name, 'utf8'))
    const all = tests.join('\n').replace(/^const specified = `[^`]*`/m, '')
    expect(Object.keys(paths).filter((path) => !writtenAs(path).test(all))).toEqual([])
  })

  test('rows of the console are as it says', async () => {
    await gateway.admin.call('POST', '/api/keys', { name: 'documented' })
    for (const { route, path, operation } of operations().filter((one) => one.route.startsWith('GET /api') && !one.path.includes('{'))) {
      // The event stream has no end; e2e/console-live.test.ts reads it.
      if (path === '/api/events') continue
      // It answers browsers that come back from a provider, with a redirect: e2e/single-sign-on.test.ts has one.
      if (path === '/api/session/oidc/callback') continue
      const types = Object.keys(operation.responses['200']?.content ?? {})
      if (types.length > 0 && !types.includes('application/json')) {
        const file = await gateway.admin.raw('GET', path)
        expect([route, file.status, types.some((type) => file.headers.get('content-type')?.startsWith(type))]).toEqual([route, 200, true])
        continue
      }
      const answer = await gateway.admin.call('GET', path === '/api/search' ? `${path}?q=documented` : path)
      expect([route, faults(operation, answer)]).toEqual([route, []])
    }
  })
})

const concrete = (path: string) => path.replace('{dialect}', 'messages').replace(/\{\w+\}/g, 'anything')

/** A path as tests write it, with anything in place of a parameter. */
const writtenAs = (path: string) =>
  new RegExp(`${path.replace('.', '\\.').replace(/\{\w+\}/g, '(?:\\$\\{[^}]*\\}|[^\'"`?\\s])+?')}(?![\\w/])`)

const checkers = new Map<string, Checker<unknown>>()

/** The violations of the named schema in a value. */
function faultsOf(reference: Schema, value: unknown) {
  const name = reference.$ref?.split('/').at(-1) as SchemaName
  const check = checkers.get(name) ?? checker(schemas[name])
  checkers.set(name, check)
  return check.faults(value)
}

/** The violations in an answer; where several formats are possible, those of the best fit. */
function faults({ responses }: Operation, value: unknown) {
  const success = Object.entries(responses).find(([status]) => status !== 'default')?.[1]
  const schema = success?.content?.['application/json']?.schema
  const [best] = (schema?.anyOf ?? [schema ?? {}]).map((one) => faultsOf(one, value)).sort((a, b) => a.length - b.length)
  return best
}

describe('keys', () => {
  const headersOf = ({ id, place, name }: (typeof carriers)[number]): Record<string, string> => {
    if (place === 'subprotocol') return { 'sec-websocket-protocol': `realtime, ${name}${gateway.key}` }
    if (place === 'query') return {}
    return { [name]: id === 'bearer' ? `Bearer ${gateway.key}` : gateway.key }
  }
  for (const carrier of carriers) {
    test(`${carrier.written} is taken, and stands on the page`, async () => {
      const query = carrier.place === 'query' ? `?${carrier.name}=${gateway.key}` : ''
      const answer = await fetch(`${gateway.url}/v1/models${query}`, { headers: headersOf(carrier) })
      expect(answer.status).toBe(200)
      expect(page).toContain(carrier.written)
    })
  }
})

describe('samples', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-samples-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function run({ language, text: script }: Sample): Promise<string> {
    const { PARLEY_ADMIN_USER: PARLEY_USER, PARLEY_ADMIN_PASSWORD: PARLEY_PASSWORD } = administrator
    const env = { ...process.env, PARLEY_URL: gateway.url, PARLEY_KEY: gateway.key, PARLEY_USER, PARLEY_PASSWORD }
    const command = language === 'sh' ? ['sh', '-c', script] : [process.execPath, '-e', script]
    const child = Bun.spawn(command, { cwd: folder, env, stdout: 'pipe', stderr: 'pipe', timeout: 30_000 })
    const [output, complaint, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect([complaint, code]).toEqual(['', 0])
    return output
  }

  for (const [index, sample] of samples.entries()) {
    test(`${index + 1}: ${sample.route}${sample.note ? ` (${sample.note})` : ''}`, async () => {
      const [method = '', path = ''] = sample.route.split(' ')
      const operation = paths[path]?.[method.toLowerCase()]
      if (!operation) throw new Error('the document does not have this endpoint')
      const body = /-d '(\{.*\})'$/.exec(sample.text)?.[1]
      const asked = operation.requestBody?.content['application/json']?.schema
      if (body !== undefined && asked && !sample.text.includes('/api/')) expect(faultsOf(asked, JSON.parse(body))).toEqual([])

      const output = await run(sample)
      if (sample.prints === 'file') expect(readFileSync(join(folder, sample.shows)).length).toBeGreaterThan(1000)
      else expect(output).toContain(sample.shows)
      if (sample.prints !== 'json') return
      const answer = JSON.parse(output)
      if (sample.refusal) expect(answer.error.code).toBe(sample.refusal)
      else expect(faults(operation, answer)).toEqual([])
    }, 60_000)
  }

  test('there is one for every endpoint that takes a key, but for what is not served', () => {
    // Of objects in upstreams' accounts only those that make one: the others are called as their vendor says.
    const isLikeIts = ({ tags, summary }: Operation) => tags.includes('Objects') && !/: make one$/.test(summary)
    const isRepeated = (path: string) => /^\/v1\/(?:cachedContents|fileSearchStores)$/.test(path)
    const withKey = operations().filter(
      ({ operation, path }) => operation.security.some((one) => 'bearer' in one) && !isLikeIts(operation) && !isRepeated(path),
    )
    const sampled = new Set(samples.map(({ route }) => route))
    expect(withKey.map(({ route }) => route).filter((route) => !sampled.has(route))).toEqual(['GET /v1/responses'])
  })
})

describe('streams', () => {
  const user = [{ role: 'user', content: 'Hello /think' }]
  const contents = [{ role: 'user', parts: [{ text: 'Hello /think' }] }]
  const routes = {
    chat: ['/v1/chat/completions', { model: 'parley-demo', stream: true, messages: user }],
    completions: ['/v1/completions', { model: 'parley-demo', stream: true, prompt: 'Hello' }],
    responses: ['/v1/responses', { model: 'parley-demo', stream: true, input: 'Hello' }],
    messages: ['/v1/messages', { model: 'parley-demo', stream: true, max_tokens: 500, messages: user }],
    gemini: ['/v1beta/models/parley-demo:streamGenerateContent?alt=sse', { contents }],
    images: ['/v1/images/generations', { model: 'parley-demo-image', prompt: 'A red bicycle', stream: true, partial_images: 1 }],
    speech: [
      '/v1/audio/speech',
      { model: 'parley-demo-speech', voice: 'alloy', input: 'Hello', response_format: 'wav', stream_format: 'sse' },
    ],
  } as const

  /** Nothing came that the table does not have, and its first event did. */
  function judge(id: keyof typeof streaming, names: readonly string[]): void {
    const { events } = streaming[id]
    const known = events.flatMap(({ name, means }) => [name, ...(means.includes('`.done`') ? [name.replace(/delta$/, 'done')] : [])])
    expect([...new Set(names)].filter((name) => !known.includes(name))).toEqual([])
    expect(names).toContain(known[0] ?? '')
  }

  for (const [id, [address, body]] of Object.entries(routes)) {
    test(`${id}: nothing comes that the table does not have`, async () => {
      const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
      const answer = await fetch(gateway.url + address, { method: 'POST', headers, body: JSON.stringify(body) })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/event-stream')])
      judge(id as keyof typeof routes, namesIn(await answer.text()))
    }, 30_000)
  }

  test('realtime: nothing comes that the table does not have', async () => {
    const address = `${gateway.url.replace('http', 'ws')}/v1/realtime?model=parley-demo-realtime&key=${gateway.key}`
    const socket = new WebSocket(address)
    const names: string[] = []
    await new Promise((resolve) => {
      socket.onclose = resolve
      socket.onmessage = ({ data }) => {
        const { type } = JSON.parse(String(data))
        names.push(type)
        if (type === 'session.created') socket.send(JSON.stringify({ type: 'response.create' }))
        if (type === 'response.done') socket.close()
      }
    })
    judge('realtime', names)
    expect(names).toContain('response.done')
  }, 30_000)

  test('transcriptions: nothing comes that the table does not have', async () => {
    const headers = { authorization: `Bearer ${gateway.key}` }
    const speech = { model: 'parley-demo-speech', voice: 'alloy', input: 'Hello', response_format: 'wav' }
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(speech) }
    const body = new FormData()
    body.set('model', 'parley-demo-transcribe')
    body.set('stream', 'true')
    body.set('file', await (await fetch(`${gateway.url}/v1/audio/speech`, init)).blob(), 'speech.wav')
    const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body })
    judge('transcriptions', namesIn(await answer.text()))
  }, 30_000)

  /** The field that identifies a dialect's events. */
  function namesIn(stream: string): string[] {
    const data = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json))
    return data.map(({ type, object, candidates }) => type ?? object ?? (candidates ? 'GenerateContentResponse' : 'unknown'))
  }
})

test('the endpoints of Gemini under /v1 answer as those under /v1beta', async () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
  const asked = [
    ['/v1/models/parley-demo:generateContent', { contents }, 'candidates'],
    ['/v1/models/parley-demo:countTokens', { contents }, 'totalTokens'],
    ['/v1/models/parley-demo-embed:embedContent', { content: { parts: [{ text: 'Hello' }] } }, 'embedding'],
  ] as const
  for (const [address, body, field] of asked) {
    const ask = async (path: string) => {
      const headers = { 'x-goog-api-key': gateway.key, 'content-type': 'application/json' }
      const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return ((await answer.json()) as Record<string, unknown>)[field]
    }
    const answer = await ask(address)
    expect(answer).toBeDefined()
    expect(answer).toEqual(await ask(address.replace('/v1/', '/v1beta/')))
  }
})

test('the page has every endpoint, every code, and lets nothing in from elsewhere', async () => {
  for (const path of Object.keys(paths)) expect(page).toContain(`${path}</code>`)
  const unpublished = ['client_closed_request', 'upstream_rejected', 'upstream_rate_limited']
  for (const code of Object.keys(errorTable).filter((one) => !unpublished.includes(one))) expect(page).toContain(`<code>${code}</code>`)
  const { headers, status } = await fetch(`${gateway.url}/docs`)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'/)
  expect(page).not.toMatch(/<(script|img|link|iframe)|src=|https?:\/\/(?!127\.0\.0\.1)/)
})
