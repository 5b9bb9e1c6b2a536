/** Protocol cases that need the whole program: what is sent, stored between requests, and charged. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: testModel, ...fields })}\n\n`
const says = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const usage = chunk({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } })
const done = 'data: [DONE]\n\n'

let chat: ScriptedUpstream
let gemini: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  chat = await scriptedUpstream()
  gemini = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('chat', chat.url)
  await gateway.channel('gemini', gemini.url, { vendor: 'gemini', models: ['gemini-3-pro-preview'] })
  await gateway.price(testModel)
  await gateway.price('gemini-3-pro-preview')
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await chat?.close()
  await gemini?.close()
})

const post = (path: string, body: object, signal?: AbortSignal) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
const ask = (more: object = {}, signal?: AbortSignal) =>
  post('/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'hi' }], stream: true, ...more }, signal)
const rowOf = (answer: Response) => gateway.log<Record<string, unknown>>(answer.headers.get('x-request-id') ?? '')

/** Disconnects after the second word of an endless stream; resolves to how long the upstream continued. */
async function leave(first: string): Promise<{ answer: Response; goneMs: number }> {
  const abort = new AbortController()
  chat.next(stream([first, says('12345678'), says('12345678')], { ending: 'hang' }))
  const number = chat.exchanges.length
  const answer = await ask({}, abort.signal)
  const reader = answer.body?.getReader()
  let text = ''
  while (!text.includes('12345678"', text.indexOf('12345678"') + 1)) {
    const { value } = (await reader?.read()) ?? {}
    text += Buffer.from(value ?? []).toString()
  }
  const left = performance.now()
  abort.abort()
  await chat.exchanges[number]?.gone
  return { answer, goneMs: performance.now() - left }
}

async function settled(answer: Response): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 100; tries++) {
    const row = await rowOf(answer).catch(() => undefined)
    if (row) return row
    await wait(50)
  }
  throw new Error('the request was never settled')
}

describe('T10: a client leaves after two words', () => {
  test('the upstream request is aborted at once, and what was delivered is charged', async () => {
    const { answer, goneMs } = await leave(says(''))
    console.log(`the upstream was left ${goneMs.toFixed(0)} ms after the client left`)
    expect(goneMs).toBeLessThan(2000)
    expect(await settled(answer)).toMatchObject({ end: 'aborted', status: 499, provenance: 'estimated', usage: { out: { total: 6 } } })
  })

  test('usage that the upstream had reported is charged', async () => {
    const { answer } = await leave(usage)
    expect(await settled(answer)).toMatchObject({ end: 'aborted', usage: { in: { fresh: 1000 }, out: { total: expect.any(Number) } } })
  })
})

describe('T13: a stream of Gemini without alt=sse', () => {
  const askGemini = () =>
    post(`/v1beta/models/${testModel}:streamGenerateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })

  test('is one JSON array, sent as it arrives', async () => {
    chat.next(stream([says('Hel'), says('lo'), finish, usage, done]))
    const answer = await askGemini()
    expect(answer.headers.get('content-type')).toStartWith('application/json')
    const list = (await answer.json()) as { candidates?: { content?: { parts?: { text?: string }[] } }[] }[]
    expect(list.map((each) => each.candidates?.[0]?.content?.parts?.[0]?.text ?? '').join('')).toBe('Hello')
  })

  test('ends with the error as its last element', async () => {
    chat.next(stream([says('Hel'), 'data: {"error":{"message":"boom"}}\n\n']))
    const list = (await (await askGemini()).json()) as { error?: { code?: unknown } }[]
    expect(list.at(-1)?.error?.code).toBe(502)
  })
})

test('T15: a packed answer arrives unpacked, under headers that fit it', async () => {
  const unpacked = says('Hello') + finish + done
  const packed = gzipSync(unpacked)
  chat.next(stream([packed.subarray(0, 20), packed.subarray(20)], { headers: { 'Content-Encoding': 'gzip' } }))
  const answer = await ask()
  expect(await answer.text()).toBe(unpacked)
  const { headers } = answer
  // It is complete once it is unpacked, so it is sent as one response.
  expect([headers.get('content-encoding'), headers.get('content-length')]).toEqual([null, String(Buffer.byteLength(unpacked))])
  expect(headers.get('x-accel-buffering')).toBe('no')
  expect(headers.get('cache-control')).toContain('no-cache')
})

describe('T31: the state of a call survives a client that drops it', () => {
  const signature = Buffer.from('what the model thought').toString('base64')
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
  const request = { model: 'gemini-3-pro-preview', tools, messages: [{ role: 'user', content: 'hi' }] }
  const answered = (parts: object[]) =>
    respondJson(200, {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
    })
  const sent = () => gemini.requests.at(-1)?.json() as { contents: { parts: { functionCall?: object; thoughtSignature?: string }[] }[] }
  const signatures = () =>
    sent().contents.flatMap(({ parts }) => parts.flatMap((part) => (part.functionCall ? [part.thoughtSignature] : [])))

  test('it goes back with its call; where it is lost, the stand-in goes with the first call alone', async () => {
    const part = { functionCall: { id: 'a', name: 'look', args: {} }, thoughtSignature: signature }
    gemini.next(answered([part, { functionCall: { id: 'b', name: 'look', args: {} } }]))
    const first = (await (await post('/v1/chat/completions', request)).json()) as {
      choices: { message: { tool_calls: { id: string; function: object }[] } }[]
    }
    const calls = first.choices[0]?.message.tool_calls.map(({ id, function: called }) => ({ id, type: 'function', function: called })) ?? []
    const results = (ids: string[]) => ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' }))
    const history = (tool_calls: typeof calls) => [
      ...request.messages,
      { role: 'assistant', content: null, tool_calls },
      ...results(tool_calls.map(({ id }) => id)),
    ]

    gemini.next(answered([{ text: 'Done.' }]))
    expect((await post('/v1/chat/completions', { ...request, messages: history(calls) })).status).toBe(200)
    expect(signatures()).toEqual([signature, undefined])

    const unknown = calls.map((call, index) => ({ ...call, id: `call_unknown_${index}` }))
    gemini.next(answered([{ text: 'Done.' }]))
    expect((await post('/v1/chat/completions', { ...request, messages: history(unknown) })).status).toBe(200)
    expect(signatures()).toEqual(['skip_thought_signature_validator', undefined])
  })
})

test('T39: a client that does not request usage gets none, and both are charged the same', async () => {
  const bodies: string[] = []
  const costs: unknown[] = []
  for (const more of [{}, { stream_options: { include_usage: true } }]) {
    chat.next(stream([says('Hello'), finish, usage, done]))
    const answer = await ask(more)
    bodies.push(await answer.text())
    costs.push((await settled(answer)).cost)
    expect(JSON.parse(chat.requests.at(-1)?.text() ?? '').stream_options).toEqual({ include_usage: true })
  }
  expect(bodies).toEqual([says('Hello') + finish + done, says('Hello') + finish + usage + done])
  expect(costs).toEqual(['0.002', '0.002'])
})
