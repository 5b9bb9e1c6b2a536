/**
 * Large bodies do not delay others: they pass, are converted or refused like small ones, while others are answered. `PARLEY_FLOOD=60`
 * floods for a minute on either engine and waits until the memory has come back; else it is a second on one engine, and the figures
 * are printed. A sample of the endpoints is tried in each run, all of them with `PARLEY_DEEP=1`. The answers to each of the worst bodies
 * are in `event-loop.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { engines, sampledEngine } from '#testing/database/database'
import { type LoopWatch, loopWatch } from '#testing/program/loop-watch'
import { sampled } from '#testing/sample'
import { respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'
import { convertedModel } from './support/large-bodies.ts'

const floodSeconds = Number(process.env.PARLEY_FLOOD ?? 1)
const isLong = floodSeconds >= 60

let upstream: ScriptedUpstream
let gateway: Gateway
let loop: LoopWatch
/** Gives the channels of large bodies another upstream. */
let moveChannels: (baseUrl: string) => Promise<void>
/** Megabytes of memory before any large body. */
let atRest: number

const messagesAnswer = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'up', stop_reason: 'end_turn', stop_sequence: null },
  ...{ content: [{ type: 'text', text: 'ok' }], usage: { input_tokens: 1, output_tokens: 1 } },
}
const embedded = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [1] }],
  model: 'up',
  usage: { prompt_tokens: 1, total_tokens: 1 },
}
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

/** A model of small requests, whose upstream is in this process. */
const smallModel = 'small-test'

/** Complete lines, as they come. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true })
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      yield text.slice(0, end)
      text = text.slice(end + 1)
    }
  }
  return undefined
}

/** Hundredths of a second of processor time, by the name of the thread; the first is the one that carries streams. */
function threadTimes(pid: number): Record<string, number> {
  const times: Record<string, number> = {}
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const line = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    const name = thread === `${pid}` ? 'main thread' : line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'))
    times[name] = (times[name] ?? 0) + Number(fields[11]) + Number(fields[12])
  }
  return times
}

describe.each(isLong ? engines : [sampledEngine(import.meta.file)])('on %s', (engine) => {
  beforeAll(async () => {
    upstream = await scriptedUpstream((exchange) => {
      const { target: path } = exchange.request
      const answer = path.endsWith('/messages') ? messagesAnswer : path.endsWith('/embeddings') ? embedded : responded
      return respondJson(200, path.endsWith('/chat/completions') ? chatAnswer() : answer)(exchange)
    })
    loop = loopWatch()
    gateway = await startGateway(engine, { env: loop.env })
    const native = await gateway.channel('native', upstream.url, { speaks: ['chat', 'responses'] })
    const other = await gateway.channel('other', upstream.url, { vendor: 'anthropic', models: [convertedModel] })
    await gateway.channel('small', upstream.url, { models: [smallModel] })
    for (const model of [testModel, convertedModel, smallModel]) await gateway.price(model, { input: '0', output: '0' })
    moveChannels = async (baseUrl) => {
      for (const { id } of [native, other]) await gateway.admin.call('PATCH', `/api/channels/${id}`, { baseUrl, keys: ['sk-vendor'] })
    }
    expect(
      (await ask(gateway.key, '/v1/chat/completions', JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }] })))
        .status,
    ).toBe(200)
    atRest = rss()
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
    loop?.close()
  })

  const ask = (key: string, path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
      body,
    })

  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.program.pid}/status`, 'utf8'))?.[1]) / 1024

  test('what passes arrives whole, and what is converted says the same', async () => {
    const text = '漢\\n'.repeat(400_000)
    const native = `{"model":"${testModel}","messages":[{"role":"user","content":"${text}"}],"x":1}`
    let received = upstream.requests.length
    expect((await ask(gateway.key, '/v1/chat/completions', native)).status).toBe(200)
    expect((await upstream.received(received)).text()).toBe(native)

    const shared = { role: 'user', content: [{ type: 'text', text: JSON.parse(`"${text}"`) }] }
    received = upstream.requests.length
    const converted = await ask(gateway.key, '/v1/chat/completions', JSON.stringify({ model: convertedModel, messages: [shared], seed: 7 }))
    expect([converted.status, converted.headers.get('x-parley-losses')]).toEqual([200, 'sampling.seed:dropped'])
    expect(await converted.json()).toMatchObject({ choices: [{ message: { content: 'ok' } }] })
    const said = (await upstream.received(received)).json() as { messages: { content: unknown }[] }
    expect(said.messages[0]?.content === shared.content[0]?.text).toBeTrue()

    const ambiguous = `{"model":"${testModel}","Model":"x","messages":[{"role":"user","content":"${text}"}]}`
    const refused = await ask(gateway.key, '/v1/chat/completions', ambiguous)
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('ambiguous_field')])
    // It is kept, so it can be continued.
    const kept = await ask(gateway.key, '/v1/responses', `{"model":"${testModel}","input":"${text}"}`)
    const { id } = (await kept.json()) as { id: string }
    const again = (model: string) => ask(gateway.key, '/v1/responses', JSON.stringify({ model, previous_response_id: id, input: 'and?' }))
    // The upstream that stores it gets the id, any other one the whole conversation.
    received = upstream.requests.length
    const next = await again(testModel)
    expect([next.status, next.headers.get('x-parley-losses')]).toEqual([200, null])
    expect((await upstream.received(received)).json()).toEqual({ model: testModel, previous_response_id: id, input: 'and?' })
    received = upstream.requests.length
    const other = await again(convertedModel)
    expect([other.status, other.headers.get('x-parley-losses')]).toEqual([200, null])
    const { messages } = (await upstream.received(received)).json() as { messages: { role: string; content: unknown }[] }
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[0]?.content).toBe(shared.content[0]?.text)
    // It can be asked for, and its continuation continued.
    const items = (await (await fetch(`${gateway.url}/v1/responses/${id}/input_items`, as(gateway.key))).json()) as { data: unknown[] }
    expect(items.data).toEqual([
      {
        id: `${id}_item_0`,
        type: 'message',
        status: 'completed',
        role: 'user',
        content: [{ type: 'input_text', text: shared.content[0]?.text }],
      },
    ])
    const third = { model: convertedModel, previous_response_id: ((await other.json()) as { id: string }).id, input: text.slice(0, 30) }
    received = upstream.requests.length
    expect((await ask(gateway.key, '/v1/responses', JSON.stringify(third))).status).toBe(200)
    expect(((await upstream.received(received)).json() as { messages: unknown[] }).messages).toHaveLength(5)
    const missing = `{"model":"${testModel}","input":"${text}","previous_response_id":"resp_none"}`
    expect((await ask(gateway.key, '/v1/responses', missing)).status).toBe(404)
  }, 60_000)

  test(
    'others are answered while one caller floods, and the memory comes back',
    async () => {
      const { key: other } = await gateway.user('other', '10')
      const small = JSON.stringify({ model: smallModel, messages: [{ role: 'user', content: 'hi' }] })
      const script = new URL('./support/flood.ts', import.meta.url).pathname
      const flood = Bun.spawn([process.execPath, script, gateway.url, gateway.key, gateway.admin.cookie, `${floodSeconds}`], {
        ...{ stdin: 'pipe', stdout: 'pipe', env: { ...process.env, BUN_OPTIONS: '' } },
      })
      const said = linesOf(flood.stdout)
      await moveChannels((await said.next()).value ?? '')
      expect((await ask(other, '/v1/chat/completions', small)).status).toBe(200)
      loop.takeLongest()
      const before = threadTimes(gateway.program.pid)
      const waits: number[] = []
      let most = 0
      let isOver = false
      flood.stdin.write('go\n')
      await flood.stdin.end()
      const told = said.next().finally(() => {
        isOver = true
      })
      while (!isOver) {
        const begun = performance.now()
        const answer = await ask(other, '/v1/chat/completions', small)
        await answer.text()
        waits.push(performance.now() - begun)
        expect(answer.status).toBe(200)
        most = Math.max(most, rss())
        await wait(5)
      }
      const spent = threadTimes(gateway.program.pid)
      waits.sort((one, another) => one - another)
      const p99 = waits[Math.floor(waits.length * 0.99)] ?? Number.POSITIVE_INFINITY
      console.log(
        `${waits.length} requests of others: p50 ${waits[waits.length >> 1]?.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${waits.at(-1)?.toFixed(0)} ms; the event loop was held for ${loop.takeLongest()} ms at most`,
      )
      console.log(
        `processor time: ${Object.keys(spent)
          .map((name) => `${name} ${(((spent[name] ?? 0) - (before[name] ?? 0)) / 100).toFixed(1)} s`)
          .join(', ')}`,
      )
      console.log((await told).value)
      // A quiet machine stays below 100 ms.
      expect(p99).toBeLessThan(2_000)
      let left = rss()
      for (let second = 0; isLong && second < 60 && left > (atRest * 4) / 3; second++) {
        await wait(1_000)
        left = rss()
      }
      console.log(`memory: ${atRest.toFixed(0)} MB before, ${most.toFixed(0)} MB at most, ${left.toFixed(0)} MB after`)
      if (isLong) expect(left).toBeLessThan((atRest * 4) / 3)
    },
    (floodSeconds + 120) * 1000,
  )

  test('33 MiB are refused with an answer at every endpoint, declared or not', async () => {
    const bytes = Buffer.alloc(33 * 1024 * 1024, 'x')
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, 'anthropic-version': '2023-06-01' }
    const endpoints = ['chat/completions', 'responses', 'messages', 'messages/count_tokens', 'embeddings', 'engines/m/embeddings', 'rerank']
    for (const endpoint of sampled([...endpoints, 'images/generations', 'models/m:generateContent', 'models/m:countTokens'], 4)) {
      for (const body of [bytes, new Blob([bytes]).stream()]) {
        const answer = await fetch(`${gateway.url}/v1/${endpoint}`, { method: 'POST', headers, body })
        expect([endpoint, answer.status, await answer.text()]).toEqual([
          endpoint,
          413,
          expect.stringContaining('larger than 33554432 bytes'),
        ])
      }
    }
  }, 60_000)
})
