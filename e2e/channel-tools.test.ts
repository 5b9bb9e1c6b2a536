/** Requests to a single channel: the administrator's channel test, the upstream's list of models, and the command line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProbeAnswer, UpstreamModels } from '#shared/console/inspection/probe'
import { sampledEngine } from '#testing/database/database'
import { administrator } from '#testing/program/program'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
let upstream: ReturnType<typeof Bun.serve>
const channels = new Map<string, string>()
const seen: { path: string; headers: Headers; body: Record<string, unknown> | undefined }[] = []
let broken = false

const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 }
const whole = (model: unknown) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
  usage,
})
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const events = { headers: { 'content-type': 'text/event-stream' } }

function answerChat(body: Record<string, unknown>): Response {
  if (body.stream !== true) return Response.json(whole(body.model))
  if (broken) return new Response(chunk({ content: 'O' }, null), events)
  return new Response(`${chunk({ content: 'OK' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`, events)
}

const messagesAnswer = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'far', stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: 'OK' }],
  usage: { input_tokens: 2, output_tokens: 1 },
}

async function answer(request: Request): Promise<Response> {
  const { pathname: path, search } = new URL(request.url)
  const body = request.method === 'POST' ? ((await request.json()) as Record<string, unknown>) : undefined
  seen.push({ path: path + search, headers: request.headers, body })
  const secret = request.headers.get('authorization') ?? request.headers.get('x-api-key') ?? request.headers.get('x-goog-api-key') ?? ''
  if (secret.includes('bad')) return Response.json({ error: { message: `Incorrect API key provided: ${secret}.` } }, { status: 401 })
  if (path.startsWith('/html')) return new Response('<html>', { headers: { 'content-type': 'text/html' } })
  if (path.endsWith('/v1beta/models')) return Response.json({ models: [{ name: 'models/gemini-x' }] })
  if (path.endsWith('/models')) return Response.json({ object: 'list', data: [{ id: 'z-new' }, { id: 'up' }, { id: 'up' }, { id: 5 }] })
  if (path.endsWith('/v1/messages')) return Response.json(messagesAnswer)
  return answerChat(body ?? {})
}

beforeAll(async () => {
  upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  const base = `http://127.0.0.1:${upstream.port}`
  const add = async (name: string, fields: object, path = '') =>
    channels.set(name, (await gateway.channel(name, `${base}${path}`, { models: [{ name: 'm', upstream: 'up' }], ...fields })).id)
  await add('good', {})
  await add('two keys', {
    keys: [
      { key: 'sk-good', name: 'first' },
      { key: 'sk-bad-secret-1', name: 'second' },
    ],
  })
  await add('messages', { vendor: 'anthropic', models: ['far'] })
  await add('google', { vendor: 'gemini', models: ['gemini-x'] })
  await add('html', {}, '/html')
  await add('pictures', { operations: ['image'] })
  await add('ranks', { vendor: 'jina' })
  await add('nobody', { baseUrl: 'http://127.0.0.1:9' })
  await gateway.price('m')
}, 60_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.stop(true)
})

const idOf = (name: string) => channels.get(name) ?? ''
const probe = (name: string, question: object = {}) => gateway.admin.call<ProbeAnswer>('POST', `/api/channels/${idOf(name)}/test`, question)
const refusalOf = async (response: Response) => [response.status, ((await response.json()) as { error: { code: string } }).error.code]

describe('a test of a channel', () => {
  test('is a real tiny request with its own key, whole or streamed', async () => {
    for (const stream of [false, true]) {
      seen.length = 0
      expect(await probe('good', { stream })).toEqual({
        ...{ ok: true, status: 200, ms: expect.any(Number), error: null, model: 'm' },
        keys: [{ key: 'key 1', ok: true, status: 200, ms: expect.any(Number), error: null }],
      })
      expect(seen.map(({ body }) => [body?.model, body?.stream === true])).toEqual([['up', stream]])
      expect(seen[0]?.headers.get('authorization')).toBe('Bearer sk-vendor')
      expect(JSON.stringify(seen[0]?.body).length).toBeLessThan(300)
    }
  })

  test('of another dialect', async () => {
    expect(await probe('messages')).toMatchObject({ ok: true, status: 200, model: 'far' })
  })

  test('names the refused key, and shows none', async () => {
    const answered = await probe('two keys')
    expect(answered).toMatchObject({ ok: false, status: 401, error: { code: 'upstream_auth_failed' } })
    expect(answered.keys.map(({ key, ok }) => [key, ok])).toEqual([
      ['first', true],
      ['second', false],
    ])
    expect(JSON.stringify(answered)).not.toContain('secret')
  })

  test('fails on a body that is not an answer, on a stream that breaks off, and on a closed port', async () => {
    expect(await probe('html')).toMatchObject({ ok: false, status: 200, error: { code: 'upstream_error' } })
    expect(await probe('html', { stream: true })).toMatchObject({ ok: false, status: 200 })
    broken = true
    expect(await probe('good', { stream: true })).toMatchObject({ ok: false, status: 200, error: { code: 'upstream_error' } })
    broken = false
    expect(await probe('nobody')).toMatchObject({ ok: false, status: null, error: { code: 'upstream_error' } })
  })

  test('does not affect health, costs nothing and leaves no row', async () => {
    for (let i = 0; i < 6; i++) expect((await probe('nobody')).ok).toBe(false)
    const { data } = await gateway.admin.call<{ data: [] }>('GET', `/api/channels/${idOf('nobody')}/health`)
    expect(data).toEqual([])
    expect((await gateway.admin.call<{ data: [] }>('GET', '/api/logs')).data).toEqual([])
    const { user } = await gateway.admin.call<{ user: { balance: string; held: string } }>('GET', '/api/session')
    expect([user.balance, user.held]).toEqual(['100', '0'])
  })

  test('of the demo channel needs no network', async () => {
    const { data } = await gateway.admin.call<{ data: { id: string; name: string }[] }>('GET', '/api/channels')
    const demo = data.find(({ name }) => name === 'demo')?.id
    expect(await gateway.admin.call<ProbeAnswer>('POST', `/api/channels/${demo}/test`, {})).toMatchObject({
      ok: true,
      model: 'parley-demo',
    })
  })

  test('is refused where it can mean nothing', async () => {
    const path = (name: string) => `/api/channels/${idOf(name)}/test`
    expect(await refusalOf(await gateway.admin.raw('POST', path('good'), { model: 'other' }))).toEqual([404, 'model_not_found'])
    expect(await refusalOf(await gateway.admin.raw('POST', path('pictures'), {}))).toEqual([400, 'unsupported_endpoint'])
    expect(await refusalOf(await gateway.admin.raw('POST', '/api/channels/nothing/test', {}))).toEqual([404, 'not_found'])
    expect(await refusalOf(await gateway.admin.raw('POST', path('good'), { colour: 1 }))).toEqual([400, 'unknown_field'])
    const { session } = await gateway.user('nobody', '1')
    expect((await session.raw('POST', path('good'), {})).status).toBe(403)
  })
})

describe('the list of an upstream', () => {
  const list = (name: string) => gateway.admin.call<UpstreamModels>('GET', `/api/channels/${idOf(name)}/models`)

  test('in the layouts of three vendors, with the credential of each', async () => {
    seen.length = 0
    const both = [
      { id: 'up', offered: true },
      { id: 'z-new', offered: false },
    ]
    expect((await list('good')).data).toEqual(both)
    expect((await list('messages')).data.map(({ id }) => id)).toEqual(['up', 'z-new'])
    expect((await list('google')).data).toEqual([{ id: 'gemini-x', offered: true }])
    expect(seen.map(({ path }) => path)).toEqual(['/v1/models', '/v1/models?limit=1000', '/v1beta/models?pageSize=1000'])
    expect(seen.map(({ headers }) => headers.get('authorization') ?? headers.get('x-api-key') ?? headers.get('x-goog-api-key'))).toEqual([
      'Bearer sk-vendor',
      'sk-vendor',
      'sk-vendor',
    ])
    expect(seen[1]?.headers.get('anthropic-version')).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  test('a vendor without one, and an upstream that answers with something else, are reported', async () => {
    const raw = (name: string) => gateway.admin.raw('GET', `/api/channels/${idOf(name)}/models`)
    expect(await refusalOf(await raw('ranks'))).toEqual([400, 'unsupported_endpoint'])
    expect(await refusalOf(await raw('html'))).toEqual([502, 'upstream_error'])
    expect(await refusalOf(await raw('nobody'))).toEqual([502, 'upstream_error'])
  })
})

describe('on the command line', () => {
  const cli = join(fileURLToPath(new URL('..', import.meta.url)), 'server/cli.ts')
  async function run(args: string[], { input, env = administrator }: { input?: string; env?: Record<string, string> } = {}) {
    const child = Bun.spawn([process.execPath, cli, ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      cwd: gateway.program.folder,
      stdin: input === undefined ? 'ignore' : new Blob([input]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { code: await child.exited, stdout, stderr }
  }

  test('where a request would go, and what it could cost, from a file or standard input', async () => {
    await gateway.user('asker', '1')
    const body = JSON.stringify({ model: 'x', max_completion_tokens: 10, messages: [{ role: 'user', content: 'Well?' }] })
    await Bun.write(`${gateway.program.folder}/body.json`, body)
    const args = ['route', '--url', gateway.url, '--key', 'key of asker', '--model', 'm']
    seen.length = 0
    for (const given of [await run([...args, 'body.json']), await run(args, { input: body })]) {
      expect([given.code, given.stderr]).toEqual([0, ''])
      expect(given.stdout).toContain('m in group default')
      expect(given.stdout).toMatch(/1\. .*: up, chat, unchanged/)
      expect(given.stdout).toContain('pictures: The channel does not serve this operation.')
      expect(given.stdout).toMatch(/At most 0\.0000\d+ USD\./)
    }
    expect(seen).toEqual([])
    expect(JSON.parse((await run([...args, '--json', 'body.json'])).stdout)).toMatchObject({ model: 'm', group: 'default' })
  })

  test('asked with a management key, at the address in PARLEY_URL', async () => {
    const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/management-keys', { name: 'reader', scopes: ['read'] })
    const given = await run(['route', '--model', 'm'], { env: { PARLEY_URL: gateway.url, PARLEY_MANAGEMENT_KEY: key } })
    expect([given.code, given.stderr]).toEqual([0, ''])
    expect(given.stdout).toContain('m in group default')
  })

  test('what cannot be answered is one clear line and no stack', async () => {
    const failures = [
      await run(['fly']),
      await run(['route', '--colour', 'red']),
      await run(['route', '--url', gateway.url, 'missing.json']),
      await run(['route', '--url', gateway.url], { input: 'no json' }),
      await run(['route', '--url', gateway.url, '--model', 'm'], { env: {} }),
      await run(['route', '--url', gateway.url, '--model', 'm', '--key', 'no such key']),
      await run(['route', '--url', 'http://127.0.0.1:9', '--model', 'm']),
    ]
    expect(failures.map(({ code }) => code)).toEqual([2, 2, 1, 1, 1, 1, 1])
    for (const { stderr } of failures) expect(stderr).not.toMatch(/\n\s+at |Error:/)
    const unknown = await run(['route', '--url', gateway.url, '--model', 'nothing'])
    expect(unknown.code).toBe(2)
    expect(unknown.stdout).toContain('Refused now:')
  })
})
