/**
 * Clients that disconnect from an answer that is not streamed, after the request was sent upstream: the upstream completes it and is paid
 * for it, so the answer is awaited, within the channel's timeouts and the hold, and charged.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { faults, respondJson } from '#testing/upstream/scripted-answers'
import { type Exchange, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'
import { soon } from './support/raw-client.ts'

interface Row {
  requestId: string
  end: string
  status: number
  cost: string
  charged: string
  provenance: string | null
  error: { code: string } | null
  attempts: { channel: string; phase: string; cause: string | null }[]
}

interface Asked {
  path: string
  body: object
  headers?: Record<string, string>
}

let first: ScriptedUpstream
let second: ScriptedUpstream
let gateway: Gateway

const messages = [{ role: 'user', content: 'hi' }]
const chat = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: testModel,
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
}
const embedding = {
  object: 'list',
  model: testModel,
  data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
  usage: { prompt_tokens: 2000, total_tokens: 2000 },
}
/** Each costs 0.002 USD at 1 USD per million tokens of input and 2 of output. */
const endpoints: Record<string, Asked & { answer: object }> = {
  chat: { path: '/v1/chat/completions', body: { model: testModel, messages, max_tokens: 500 }, answer: chat },
  'messages, converted': {
    path: '/v1/messages',
    body: { model: testModel, messages, max_tokens: 500 },
    answer: chat,
    headers: { 'anthropic-version': '2023-06-01' },
  },
  embeddings: { path: '/v1/embeddings', body: { model: testModel, input: 'hi' }, answer: embedding },
}

beforeAll(async () => {
  first = await scriptedUpstream()
  second = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('first', first.url, { priority: 1, timeouts: { firstEvent: 3 } })
  await gateway.channel('second', second.url)
  await gateway.price(testModel)
}, 90_000)

afterEach(async () => {
  first.forgetNext()
  await gateway.heal()
})

afterAll(async () => {
  await gateway?.close()
  await first?.close()
  await second?.close()
})

/** Sends a request, disconnects when the upstream has it, and lets the upstream answer by this script. */
async function leaves({ path, body, headers }: Asked, key: string, then: (exchange: Exchange) => unknown) {
  let answer = () => {}
  const left = new Promise<void>((resolve) => (answer = resolve))
  first.next(async (exchange) => {
    await left
    await then(exchange)
  })
  const number = first.requests.length
  const abort = new AbortController()
  const asked = fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: abort.signal,
  }).catch(() => undefined)
  await first.received(number)
  abort.abort()
  await asked
  return answer
}

async function rowOf(session: Session): Promise<Row> {
  let found: { requestId: string } | undefined
  await soon(async () => {
    found = (await session.call<{ data: { requestId: string }[] }>('GET', '/api/logs')).data[0]
    return found !== undefined
  })
  return gateway.log<Row>(found?.requestId ?? '')
}
const money = async (session: Session) => (await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user

describe.each(Object.entries(endpoints))('%s', (name, endpoint) => {
  test('the answer is awaited and charged', async () => {
    const { session, key } = await gateway.user(`stays ${name}`, '1')
    const answer = await leaves(endpoint, key, respondJson(200, endpoint.answer))
    expect(await soon(async () => Number((await money(session)).held) > 0)).toBe(true)
    answer()
    const row = await rowOf(session)
    expect(row).toMatchObject({ end: 'aborted', status: 499, cost: '0.002', charged: '0.002', provenance: 'provider' })
    expect(row.error?.code).toBe('client_closed_request')
    expect(await money(session)).toMatchObject({ balance: '0.998', held: '0' })
  })

  test('where the upstream fails, nobody else is asked and nothing is charged', async () => {
    const { session, key } = await gateway.user(`fails ${name}`, '1')
    const before = second.requests.length
    const answer = await leaves(endpoint, key, faults.beforeHead.reset)
    answer()
    const row = await rowOf(session)
    expect(row).toMatchObject({ end: 'aborted', status: 499, cost: '0', charged: '0' })
    expect(row.attempts).toEqual([expect.objectContaining({ channel: 'first', cause: 'upstream_error' })])
    expect(second.requests.length).toBe(before)
    expect(await money(session)).toMatchObject({ balance: '1', held: '0' })
  })
})

test('it is bounded by the timeouts of the channel', async () => {
  const { session, key } = await gateway.user('waits', '1')
  await leaves({ path: '/v1/chat/completions', body: { model: testModel, messages } }, key, () => undefined)
  const row = await rowOf(session)
  expect(row).toMatchObject({ end: 'aborted', status: 499, cost: '0' })
  expect(row.attempts).toEqual([expect.objectContaining({ channel: 'first', cause: 'upstream_timeout' })])
  expect(await money(session)).toMatchObject({ balance: '1', held: '0' })
})

test('it is bounded by what is held: whoever leaves cannot begin more than the balance pays', async () => {
  const { session, key } = await gateway.user('burns', '0.02')
  // Each holds the output limit: 0.01 USD and a little.
  const endpoint = { path: '/v1/chat/completions', body: { model: testModel, messages, max_tokens: 5_000 } }
  const answer = await leaves(endpoint, key, respondJson(200, chat))
  const refused = await fetch(gateway.url + endpoint.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(endpoint.body),
  })
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([429, 'insufficient_quota'])
  answer()
  expect(await soon(async () => (await money(session)).balance === '0.018')).toBe(true)
})
