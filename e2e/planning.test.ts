/**
 * Conversations stay on their channel; fallback models take over before the first content only; and the usage row names the model that
 * answered.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { usualBodies } from '#shared/console/body'
import type { RouteAnswer } from '#shared/console/inspection/route'
import type { LogRow } from '#shared/console/log'
import { type Program, startProgram } from '#testing/program/program'

interface Play {
  status?: number
  error?: object
  /** Null = no text. */
  text?: string | null
  finish?: string
  /** The stream breaks after its first word. */
  breaks?: boolean
}
interface Seen {
  host: string
  model: string
  body: Record<string, unknown>
}

let upstream: ReturnType<typeof Bun.serve>
let program: Program
let cookie = ''
/** The channel whose upstream fails every request. */
let failing: string | undefined
const plays = new Map<string, Play>()
const seen: Seen[] = []
const json = { 'content-type': 'application/json' }

function chatAnswer({ text = 'Yes', finish = 'stop' }: Play, model: string) {
  const message = { role: 'assistant', content: text }
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
  return { id: 'c', object: 'chat.completion', created: 1, model, choices: [{ index: 0, message, finish_reason: finish }], usage }
}

function chatStream({ text = 'Yes', finish = 'stop', breaks }: Play, model: string): string {
  const chunk = (choices: object[], more = {}) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`
  const said = text === null ? [] : [chunk([{ index: 0, delta: { content: text }, finish_reason: null }])]
  const opening = [chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]), ...said].join('')
  if (breaks) return opening
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
  return `${opening}${chunk([{ index: 0, delta: {}, finish_reason: finish }])}${chunk([], { usage })}data: [DONE]\n\n`
}

function messagesAnswer({ text = 'Yes', finish = 'end_turn' }: Play, model: string) {
  const content = text === null ? [] : [{ type: 'text', text }]
  const usage = { input_tokens: 10, output_tokens: 10 }
  return { id: 'msg_1', type: 'message', role: 'assistant', model, content, stop_reason: finish, stop_sequence: null, usage }
}

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const [, host = ''] = pathname.split('/')
  const body = (await request.json()) as Record<string, unknown>
  const model = String(body.model)
  // Not the checks of resting channels that Parley sends by itself, every 15 seconds.
  if (!JSON.stringify(body).includes('Say OK.')) seen.push({ host, model, body })
  const play = failing === host ? { status: 500 } : (plays.get(model) ?? {})
  if (play.status !== undefined) return Response.json({ error: play.error ?? { message: 'no' } }, { status: play.status })
  if (pathname.endsWith('/messages')) return Response.json(messagesAnswer(play, model))
  if (body.stream !== true) return Response.json(chatAnswer(play, model))
  return new Response(chatStream(play, model), { headers: { 'content-type': 'text/event-stream' } })
}

const config = (base: string) => `
groups:
  default: {}
  other: {}
channels:
  - { name: one, vendor: openai-compatible, baseUrl: "${base}/one/v1", keys: [k], models: [shared, a, { name: b, upstream: b-upstream }, unpriced] }
  - { name: two, vendor: openai-compatible, baseUrl: "${base}/two/v1", keys: [k], models: [shared] }
  - { name: far, vendor: anthropic, baseUrl: "${base}/far", keys: [k], models: [far, wide] }
  - { name: elsewhere, vendor: openai-compatible, baseUrl: "${base}/elsewhere/v1", keys: [k], groups: [other], models: [secret] }
prices:
  shared: { input: 1, output: 2 }
  a: { input: 1, output: 2 }
  b: { input: 10, output: 20 }
  far: { input: 100, output: 200 }
  wide: { input: 1, output: 2 }
  secret: { input: 1, output: 2 }
users:
  - { name: admin, role: admin, password: "password of admin", balance: 100 }
  - { name: poor, balance: "0.002" }
keys:
  - { name: plain, user: admin, key: sk-plain-key-1 }
  - { name: narrow, user: admin, key: sk-narrow-key-1, models: [a] }
  - { name: poor, user: poor, key: sk-poor-key-1 }
fallbacks:
  a: { error: [unpriced, secret, b, far], context: [wide], filter: [b, far] }
routing: { checkMinutes: 1440 }
`

beforeAll(async () => {
  upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  program = await startProgram({ config: config(`http://127.0.0.1:${upstream.port}`) })
  const session = await fetch(`${program.url}/api/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'admin', password: 'password of admin' }),
  })
  cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}, 60_000)

afterAll(async () => {
  await program?.stop()
  await upstream?.stop(true)
})

beforeEach(async () => {
  plays.clear()
  seen.length = 0
  const { data } = await call<{ data: { id: string }[] }>('GET', '/api/channels')
  for (const { id } of data) await call('POST', `/api/channels/${id}/reset`)
})

async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(program.url + path, {
    method,
    headers: { ...json, cookie },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Answer
}

const messages = [{ role: 'user', content: 'Well?' }]
const ask = (body: object, { key = 'sk-plain-key-1', headers = {} }: { key?: string; headers?: Record<string, string> } = {}) =>
  fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ messages, max_completion_tokens: 50, ...body }),
  })
const rowOf = (response: Response) => call<LogRow>('GET', `/api/logs/${response.headers.get('x-request-id')}`)
const modelsAsked = () => seen.map(({ model }) => model)
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string; param: string | null } }).error

describe('a conversation stays on its channel', () => {
  const ways: [string, object, Record<string, string>][] = [
    ['by its prompt cache key', { prompt_cache_key: 'cache-1' }, {}],
    ['by a session header', {}, { 'x-session-id': 'session-1' }],
    ['by the header of a code agent', {}, { session_id: 'session-2' }],
    ['by metadata.user_id', { metadata: { user_id: 'user-1' } }, {}],
  ]
  for (const [what, body, headers] of ways) {
    test(what, async () => {
      for (let turn = 0; turn < 12; turn++) expect((await ask({ model: 'shared', ...body }, { headers })).status).toBe(200)
      expect(new Set(seen.map(({ host }) => host)).size).toBe(1)
    })
  }

  test('without a name it goes where the draw falls', async () => {
    for (let turn = 0; turn < 24; turn++) await ask({ model: 'shared' })
    expect(new Set(seen.map(({ host }) => host)).size).toBe(2)
  })

  test('its channel fails: the other answers at once, and keeps it', async () => {
    const asked = { model: 'shared', prompt_cache_key: 'cache-2' }
    await ask(asked)
    const [first] = seen
    failing = first?.host
    try {
      expect((await ask(asked)).status).toBe(200)
    } finally {
      failing = undefined
    }
    seen.length = 0
    for (let turn = 0; turn < 6; turn++) await ask(asked)
    expect(new Set(seen.map(({ host }) => host))).toEqual(new Set(['one', 'two'].filter((host) => host !== first?.host)))
  })
})

describe('another model stands in', () => {
  test('after an error; what is not priced or not in the group is passed over', async () => {
    plays.set('a', { status: 500 })
    const response = await ask({ model: 'a' })
    expect(response.status).toBe(200)
    expect(((await response.json()) as { model: string }).model).toBe('b')
    expect(modelsAsked()).toEqual(['a', 'a', 'b-upstream'])
    const row = await rowOf(response)
    expect([row.model, row.answeredModel, row.upstreamModel, row.cost, row.price?.input]).toEqual(['a', 'b', 'b-upstream', '0.0003', '10'])
    expect(row.attempts?.map(({ model, cause }) => [model, cause])).toEqual([
      [undefined, 'upstream_error'],
      [undefined, 'upstream_error'],
      ['b', null],
    ])
  })

  test('through a conversion: the answer names it, and its price holds', async () => {
    plays.set('a', { status: 500 })
    plays.set('b-upstream', { status: 500 })
    const response = await ask({ model: 'a', stream: false })
    expect(((await response.json()) as { model: string }).model).toBe('far')
    expect((await rowOf(response)).price?.input).toBe('100')
  })

  test('in a stream, before the first content', async () => {
    plays.set('a', { status: 500 })
    const response = await ask({ model: 'a', stream: true })
    const text = await response.text()
    expect(text).toContain('"model":"b"')
    expect(text).toEndWith('data: [DONE]\n\n')
    expect((await rowOf(response)).cost).toBe('0.0003')
  })

  test('never after it: the stream ends with an error', async () => {
    plays.set('a', { breaks: true })
    const text = await (await ask({ model: 'a', stream: true })).text()
    expect(text).toContain('"error"')
    expect(modelsAsked()).toEqual(['a'])
  })

  test('a context too long asks its own list, in each vendor’s words', async () => {
    const words = [
      { message: 'Too much.', type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages' },
      { message: "This model's maximum context length is 8192 tokens. However, you requested more." },
      { message: 'request exceeds the context', type: 'exceed_context_size_error', code: 400 },
    ]
    for (const error of words) {
      seen.length = 0
      plays.set('a', { status: 400, error })
      expect((await ask({ model: 'a' })).status).toBe(200)
      expect(modelsAsked()).toEqual(['a', 'wide'])
    }
  })

  test('a refusal that is the caller’s own fault is final', async () => {
    plays.set('a', { status: 400, error: { message: 'No such field.', type: 'invalid_request_error', code: 'unknown_parameter' } })
    const response = await ask({ model: 'a' })
    expect([response.status, modelsAsked()]).toEqual([400, ['a']])
  })

  test('a filter that refuses, or that ends the answer with nothing said', async () => {
    const filtered: Play[] = [
      { status: 400, error: { message: 'Filtered.', code: 'content_filter' } },
      { text: null, finish: 'content_filter' },
      { text: '', finish: 'content_filter' },
    ]
    for (const stream of [false, true]) {
      for (const play of filtered) {
        seen.length = 0
        plays.set('a', play)
        const response = await ask({ model: 'a', stream })
        expect(await response.text()).toContain('Yes')
        expect(modelsAsked()).toEqual(['a', 'b-upstream'])
      }
    }
  })

  test('a filter that let something through, or the last model’s, is the answer', async () => {
    for (const stream of [false, true]) {
      seen.length = 0
      plays.set('a', { text: 'Well', finish: 'content_filter' })
      expect(await (await ask({ model: 'a', stream })).text()).toContain('"finish_reason":"content_filter"')
      expect(modelsAsked()).toEqual(['a'])
      plays.set('b-upstream', { text: null, finish: 'content_filter' })
      expect(await (await ask({ model: 'b', stream })).text()).toContain('"finish_reason":"content_filter"')
    }
  })

  test('none delivers: the caller is told what became of the model it asked for, and nothing is charged', async () => {
    plays.set('a', { status: 400, error: { message: 'Too much.', code: 'context_length_exceeded' } })
    for (const other of ['wide', 'b-upstream', 'far']) plays.set(other, { status: 500 })
    const response = await ask({ model: 'a' })
    expect(response.status).toBe(400)
    expect((await codeOf(response)).code).toBe('context_length_exceeded')
    expect((await rowOf(response)).cost).toBe('0')
  })

  test('all channels of a model rest: the next model answers, and nobody is asked in vain', async () => {
    plays.set('a', { status: 500 })
    for (let turn = 0; turn < 4; turn++) await ask({ model: 'a', models: [] })
    seen.length = 0
    expect((await ask({ model: 'a' })).status).toBe(200)
    expect(modelsAsked()).toEqual(['b-upstream'])
  })

  test('all models rest: the one that was asked for is asked all the same, after the others', async () => {
    for (const model of ['a', 'b-upstream', 'far']) plays.set(model, { status: 500 })
    for (const model of ['a', 'b', 'far']) for (let turn = 0; turn < 4; turn++) await ask({ model, models: [] })
    seen.length = 0
    plays.set('a', { text: 'Yes' })
    const response = await ask({ model: 'a' })
    expect([response.status, modelsAsked()]).toEqual([200, ['a']])
    expect((await ask({ model: 'a' })).status).toBe(200)
  })

  test('Messages: the field is the same, and does not go on', async () => {
    plays.set('far', { status: 529 })
    const response = await fetch(`${program.url}/v1/messages`, {
      method: 'POST',
      headers: { ...json, 'x-api-key': 'sk-plain-key-1', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'far', models: ['wide'], max_tokens: 10, messages }),
    })
    expect(((await response.json()) as { model: string }).model).toBe('wide')
    expect(seen.every(({ body }) => !('models' in body))).toBe(true)
  })
})

describe('through other endpoints', () => {
  test('Gemini and Responses: the answer names the model that gave it', async () => {
    plays.set('a', { status: 500 })
    const headers = { ...json, authorization: 'Bearer sk-plain-key-1' }
    const gemini = await fetch(`${program.url}/v1beta/models/a:generateContent`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Well?' }] }] }),
    })
    expect(((await gemini.json()) as { modelVersion: string }).modelVersion).toBe('b')
    const responses = await fetch(`${program.url}/v1/responses`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'a', models: ['b'], input: 'Well?', stream: true }),
    })
    const text = await responses.text()
    expect(text).toContain('"model":"b"')
    expect(text).toContain('response.completed')
  })

  test('a Messages answer that its filter ended with nothing said', async () => {
    plays.set('far', { text: null, finish: 'refusal' })
    const response = await fetch(`${program.url}/v1/messages`, {
      method: 'POST',
      headers: { ...json, 'x-api-key': 'sk-plain-key-1', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'far', models: ['b'], max_tokens: 10, messages }),
    })
    expect(await response.json()).toMatchObject({ model: 'b', content: [{ type: 'text', text: 'Yes' }] })
  })
})

describe('the caller’s own list', () => {
  test('takes the place of the configured one and goes to no upstream', async () => {
    plays.set('a', { status: 500 })
    const response = await ask({ model: 'a', models: ['a', 'wide'] })
    expect(((await response.json()) as { model: string }).model).toBe('wide')
    expect(seen.every(({ body }) => !('models' in body))).toBe(true)
  })

  test('an empty one switches the configured one off', async () => {
    plays.set('a', { status: 500 })
    expect((await ask({ model: 'a', models: [] })).status).toBe(502)
    expect(new Set(modelsAsked())).toEqual(new Set(['a']))
  })

  test('of another type is refused, and so is what the caller may not use', async () => {
    for (const models of ['b', [1], [''], {}, Array(21).fill('b')]) {
      const response = await ask({ model: 'a', models })
      expect(response.status).toBe(400)
      expect((await codeOf(response)).param).toBe('models')
    }
    for (const model of ['unpriced', 'secret', 'nothing']) {
      const response = await ask({ model: 'a', models: ['b', model] })
      expect([response.status, (await codeOf(response)).code]).toEqual([404, 'model_not_found'])
    }
    expect((await ask({ model: 'a', models: ['b'] }, { key: 'sk-narrow-key-1' })).status).toBe(404)
    expect((await ask({ model: 'a' }, { key: 'sk-narrow-key-1' })).status).toBe(200)
    expect(seen.length).toBe(1)
  })

  test('the hold covers the dearest of them', async () => {
    expect((await ask({ model: 'a', models: [] }, { key: 'sk-poor-key-1' })).status).toBe(200)
    const refused = await ask({ model: 'a', models: ['far'] }, { key: 'sk-poor-key-1' })
    expect([refused.status, (await codeOf(refused)).code]).toEqual([429, 'insufficient_quota'])
  })
})

test('the explanation names the models that would stand in, and the dearest cost', async () => {
  const explained = await call<RouteAnswer>('POST', '/api/route', { body: { model: 'a', messages, max_completion_tokens: 50 } })
  expect(explained.fallbacks).toEqual({ error: ['b', 'far'], context: ['wide'], filter: ['b', 'far'] })
  expect(Number(explained.largestCost)).toBeGreaterThan(0.01)
})

describe('settings', () => {
  const change = (body: object) =>
    fetch(`${program.url}/api/settings`, { method: 'PATCH', headers: { ...json, cookie }, body: JSON.stringify(body) })

  test('show what holds, and whose it is', async () => {
    const quotas = {
      keys: 200,
      modelsPerKey: 500,
      conversations: 10_000,
      conversationBytes: 256 * 1024 * 1024,
      files: 1000,
      fileBytes: 256 * 1024 * 1024,
      invitations: 200,
    }
    expect(await call<object>('GET', '/api/settings')).toEqual({
      moderationModel: 'omni-moderation-latest',
      fallbacks: { a: { error: ['unpriced', 'secret', 'b', 'far'], context: ['wide'], filter: ['b', 'far'] } },
      keepLogsMonths: null,
      shareLinks: false,
      quotas,
      checkMinutes: 1440,
      managedByFile: { fallbacks: ['a'], routing: ['checkMinutes'] },
      bodies: usualBodies,
      defaults: { moderationModel: 'omni-moderation-latest', keepLogsMonths: null, shareLinks: false, quotas, bodies: usualBodies },
      changed: [],
    })
    for (const [keepLogsMonths, status] of [
      [0, 400],
      ['12', 400],
      [1.5, 400],
      [12, 200],
      [null, 200],
    ]) {
      expect([keepLogsMonths, (await change({ keepLogsMonths })).status]).toEqual([keepLogsMonths, status])
    }
  })

  test('fallbacks made here work at once; the file’s are the file’s', async () => {
    const changed = await change({ fallbacks: { wide: { error: ['b'] } } })
    expect(changed.status).toBe(200)
    expect(Object.keys(((await changed.json()) as { fallbacks: object }).fallbacks).sort()).toEqual(['a', 'wide'])
    plays.set('wide', { status: 500 })
    expect(((await (await ask({ model: 'wide' })).json()) as { model: string }).model).toBe('b')
    const refused = await change({ fallbacks: { a: { error: ['wide'] } } })
    expect([refused.status, (await codeOf(refused)).code]).toEqual([409, 'managed_by_file'])
    expect((await change({ fallbacks: {} })).status).toBe(200)
    expect((await ask({ model: 'wide' })).status).toBe(502)
  })

  test('settings of routing that the file declares are the file’s', async () => {
    const refused = await change({ checkMinutes: 5 })
    expect([refused.status, (await codeOf(refused)).code]).toEqual([409, 'managed_by_file'])
    expect((await change({ checkMinutes: 1440, balancing: 'round_robin' })).status).toBe(200)
    expect((await change({ balancing: 'weight' })).status).toBe(200)
  })

  test('what does not exist is refused, and so is whoever is no administrator', async () => {
    const unknown = await change({ colour: 'red' })
    expect([unknown.status, (await codeOf(unknown)).code]).toEqual([400, 'unknown_field'])
    expect((await change({ moderationModel: 5 })).status).toBe(400)
    expect((await fetch(`${program.url}/api/settings`)).status).toBe(401)
  })

  test('the model of moderations that name none', async () => {
    expect((await change({ moderationModel: 'b' })).status).toBe(200)
    await fetch(`${program.url}/v1/moderations`, {
      method: 'POST',
      headers: { ...json, authorization: 'Bearer sk-plain-key-1' },
      body: JSON.stringify({ input: 'Well' }),
    })
    expect(new Set(modelsAsked())).toEqual(new Set(['b-upstream']))
  })
})
