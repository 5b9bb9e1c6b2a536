/**
 * No request holds the thread that carries everybody's streams: the most work that each door takes is sent, and what the event loop did
 * in one go is measured, in processor time of its thread. The promise is 20 ms. On a loaded machine up to 30 ms are seen; five times the
 * promise fails, three times in a row. What is not kept yet has its own bound, and says so.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type LoopWatch, loopWatch } from '#testing/program/loop-watch'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'
import {
  cohereModel,
  consoleRequests,
  geminiModel,
  type HeavyRequest,
  keptReads,
  keptRequests,
  operationRequests,
  realtimeFrames,
  uploads,
} from './support/heavy-requests.ts'
import { convertedModel } from './support/large-bodies.ts'
import { realtimeClient } from './support/realtime-client.ts'

const mostMs = 5 * 20
/** A large body that is converted for rerank is still read on this thread: 130 to 190 ms are seen. */
const notKeptMs = 600
const realtimeModel = 'gpt-realtime'

let loop: LoopWatch
let upstream: ScriptedUpstream
let vendor: RealtimeVendor
let gateway: Gateway

const responded = {
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'up' },
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'ok', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}
const said = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'up', stop_reason: 'end_turn', stop_sequence: null },
  ...{ content: [{ type: 'text', text: 'ok' }], usage: { input_tokens: 1, output_tokens: 1 } },
}

let answers = 0
const answerTo = (path: string): unknown => {
  if (path.endsWith('/responses')) return { ...responded, id: `resp_${++answers}` }
  if (path.endsWith('/messages')) return said
  return path.endsWith('/chat/completions') ? chatAnswer() : {}
}

beforeAll(async () => {
  upstream = await scriptedUpstream((exchange) => respondJson(200, answerTo(exchange.request.target))(exchange))
  vendor = realtimeVendor()
  loop = loopWatch()
  gateway = await startGateway(sampledEngine(import.meta.file), { env: loop.env })
  await gateway.channel('native', upstream.url, { speaks: ['chat', 'responses'] })
  await gateway.channel('messages', upstream.url, { vendor: 'anthropic', models: [convertedModel] })
  await gateway.channel('gemini', upstream.url, { vendor: 'gemini', models: [geminiModel] })
  await gateway.channel('cohere', upstream.url, { vendor: 'cohere', models: [cohereModel] })
  await gateway.channel('realtime', vendor.url, { models: [realtimeModel] })
  const free = { input: '0', output: '0', second: '0', image: '0', character: '0', search: '0' }
  for (const model of [testModel, convertedModel, geminiModel, cohereModel, realtimeModel]) await gateway.price(model, free)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await vendor?.close()
  await upstream?.close()
  loop?.close()
})

async function send({ method = 'POST', path, as, headers, body }: HeavyRequest): Promise<string> {
  const who = { key: { authorization: `Bearer ${gateway.key}` }, session: { cookie: gateway.admin.cookie }, stranger: {} }[as]
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const answer = await fetch(gateway.url + path, { method, headers: { ...type, ...who, ...headers }, ...(method !== 'GET' && { body }) })
  return `${answer.status} ${(await answer.text()).slice(0, 200)}`
}

/** The first of three measurements below `most`, else the shortest: work that cannot be cut is long every time, the collector’s is not. */
async function held(work: () => Promise<unknown>, most = mostMs): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least >= most; tries++) {
    loop.takeLongest()
    await work()
    // The probe looks again after the last work.
    await (await fetch(`${gateway.url}/healthz`)).text()
    await Bun.sleep(20)
    least = Math.min(least, loop.takeLongest())
  }
  return least
}

async function expectShort(requests: Iterable<HeavyRequest>, sent = send): Promise<void> {
  for (const request of requests) {
    let answer = ''
    const most = request.name === 'converted rerank, bytes' ? notKeptMs : mostMs
    const ms = await held(async () => {
      answer = await sent(request)
    }, most)
    // None of them is a fault of Parley's own.
    expect([request.name, answer]).toEqual([request.name, expect.not.stringMatching(/^5(?!02)/)])
    expect({ request: request.name, ms, isShort: ms < most }).toMatchObject({ isShort: true })
  }
}

test('embeddings, images, speech, moderations, rerank and counts', () => expectShort(operationRequests()), 300_000)
test('responses that are kept, continued and read again', async () => {
  for (const request of keptRequests()) {
    const answers: string[] = []
    await expectShort([request], async (asked) => {
      const answer = await send(asked)
      answers.push(answer)
      return answer
    })
    const id = /"id":"([^"]+)"/.exec(answers.at(-1) ?? '')?.[1] ?? 'none'
    await expectShort(keptReads(id))
  }
}, 240_000)
test('the console, its strangers, and the playground', () => expectShort(consoleRequests()), 300_000)
test('uploads', () => expectShort(uploads()), 120_000)

describe('a realtime session', () => {
  const connected = () =>
    realtimeClient(`${gateway.url}/v1/realtime?model=${realtimeModel}`, [], { authorization: `Bearer ${gateway.key}` })

  test('reads no frame for long, and refuses one with too many values', async () => {
    for (const { name, frame, refused } of realtimeFrames()) {
      const most = refused ? mostMs : notKeptMs
      const ms = await held(async () => {
        const client = await connected()
        const calls = vendor.calls.length
        client.send(frame)
        if (refused)
          expect(await client.event('error')).toMatchObject({ error: { message: expect.stringContaining('more than 16384 values') } })
        else await vendor.calls[calls - 1]?.received(1)
        client.socket.close()
        await client.closed
      }, most)
      expect({ name, ms, isShort: ms < most }).toMatchObject({ isShort: true })
    }
  }, 120_000)

  test('who sends large frames waits for the next', async () => {
    const client = await connected()
    const call = vendor.calls.at(-1)
    const begun = performance.now()
    const frame = `{"type":"input_audio_buffer.append","audio":"${'x'.repeat(8 * 1024 * 1024)}"}`
    for (let sent = 0; sent < 4; sent++) client.send(frame)
    await call?.received(4)
    // A tenth of a second for each megabyte, three times.
    expect(performance.now() - begun).toBeGreaterThan(2_000)
    client.socket.close()
    await client.closed
  }, 60_000)
})
