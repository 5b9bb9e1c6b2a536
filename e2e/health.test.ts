/** Failing channels rest for a while, which is visible and can be ended by an administrator; callers' own limits hold. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Program, startProgram } from '#testing/program/program'
import { wait } from '#testing/upstream/scripted-answers'
import { chatAnswer } from './support/chat-answer.ts'

let upstream: ReturnType<typeof Bun.serve>
let program: Program
let status = 500
let asked = 0
/** Answers wait for it; so many do. */
let hold: Promise<void> | undefined
let waiting = 0
const json = { 'content-type': 'application/json' }

const config = (base: string) => `
channels:
  - { name: sick, vendor: openai-compatible, baseUrl: "${base}/v1", keys: [{ key: upstream, name: first }], models: [sick-model, other-model] }
prices:
  sick-model: { input: 1, output: 2 }
  other-model: { input: 1, output: 2 }
users:
  - { name: admin, role: admin, password: "password of admin", balance: 100 }
keys:
  - { name: plain, user: admin, key: sk-plain-key-1 }
  - { name: slow, user: admin, key: sk-limited-key-1, limits: { rpm: 2 } }
`

const body = chatAnswer()

beforeAll(async () => {
  upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch() {
      asked += 1
      waiting += 1
      await hold
      waiting -= 1
      return status === 200 ? Response.json(body) : Response.json({ error: { message: 'no' } }, { status, headers: { 'retry-after': '2' } })
    },
  })
  program = await startProgram({ config: config(`http://127.0.0.1:${upstream.port}`) })
})

afterAll(async () => {
  await program.stop()
  await upstream.stop(true)
})

const chat = (model: string, key = 'sk-plain-key-1') =>
  fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Well?' }] }),
  })

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(5)
}

const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code

/** The rows of a console call by the administrator. */
async function console<Row>(method: string, path: string): Promise<Row[]> {
  const session = await fetch(`${program.url}/api/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'admin', password: 'password of admin' }),
  })
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const answer = await fetch(program.url + path, { method, headers: { ...json, cookie } })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { data: Row[] }).data
}

describe('a channel whose upstream is broken', () => {
  test('comes last after five faults, and is still used if no other is left', async () => {
    status = 500
    for (let i = 0; i < 4; i++) expect((await chat('sick-model')).status).toBe(502)
    const [channel] = await console<{ id: string }>('GET', '/api/channels')
    expect(await console('GET', `/api/channels/${channel?.id}/health`)).toMatchObject([{ state: 'open' }])
    const before = asked
    expect((await chat('sick-model')).status).toBe(502)
    expect(asked).toBe(before + 1)
  })

  test('takes four at a time; a request without a place within a second gets 503 with Retry-After', async () => {
    const held = Promise.withResolvers<void>()
    hold = held.promise
    const running = Array.from({ length: 4 }, () => chat('sick-model'))
    await until(() => waiting === 4)
    const refused = await chat('sick-model')
    expect([refused.status, await codeOf(refused)]).toEqual([503, 'no_channel_available'])
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 6)
    expect(waiting).toBe(4)
    hold = undefined
    held.resolve()
    expect((await Promise.all(running)).map((answer) => answer.status)).toEqual([502, 502, 502, 502])
  })

  test('its other model is not touched', async () => {
    status = 200
    expect((await chat('other-model')).status).toBe(200)
  })

  test('an administrator sees why, and ends it', async () => {
    status = 500
    const [channel] = await console<{ id: string }>('GET', '/api/channels')
    expect(await console('GET', `/api/channels/${channel?.id}/health`)).toEqual([
      { key: 'first', model: 'sick-model', state: 'open', cause: 'upstream_error', retryInMs: expect.any(Number) },
    ])
    expect(await console('POST', `/api/channels/${channel?.id}/reset`)).toEqual([])
  })

  test('is used by all requests again after its first answer', async () => {
    for (let i = 0; i < 4; i++) await chat('sick-model')
    status = 200
    expect((await chat('sick-model')).status).toBe(200)
    const [channel] = await console<{ id: string }>('GET', '/api/channels')
    expect(await console('GET', `/api/channels/${channel?.id}/health`)).toEqual([])
  })
})

test('an upstream that limits rests, and the caller gets its Retry-After', async () => {
  status = 429
  expect((await chat('other-model')).status).toBe(429)
  const before = asked
  const second = await chat('other-model')
  const { error } = (await second.json()) as { error: { code: string; message: string } }
  expect([second.status, error.code]).toEqual([429, 'rate_limit_exceeded'])
  expect(error.message).toContain("The limit is the upstream's")
  expect(Number(second.headers.get('retry-after'))).toBeWithin(1, 3)
  expect(asked).toBe(before)
  status = 200
  await Bun.sleep(2_050)
  expect((await chat('other-model')).status).toBe(200)
})

test('requests per minute of a key: announced in headers, refused with Retry-After, in each protocol’s own way', async () => {
  status = 200
  const first = await chat('other-model', 'sk-limited-key-1')
  expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2')
  expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('1')
  const second = await fetch(`${program.url}/v1/messages`, {
    method: 'POST',
    headers: { ...json, 'x-api-key': 'sk-limited-key-1', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'other-model', max_tokens: 10, messages: [{ role: 'user', content: 'Well?' }] }),
  })
  expect(second.status).toBe(200)
  expect(second.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0')
  const before = asked
  const third = await chat('other-model', 'sk-limited-key-1')
  expect(await third.clone().text()).toContain('Too many requests in a minute for this API key.')
  expect([third.status, await codeOf(third)]).toEqual([429, 'rate_limit_exceeded'])
  expect(Number(third.headers.get('retry-after'))).toBeWithin(50, 66)
  expect(asked).toBe(before)
})
