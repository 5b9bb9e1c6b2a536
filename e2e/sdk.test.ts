/** The official openai SDK through Parley: with a scripted vendor that refuses what the real one refuses, and with the demo. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { sampledEngines } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor, vendorFailed, vendorRateLimited } from '#testing/vendors/chat-vendor'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const tool = (name: string): OpenAI.ChatCompletionTool => ({
  type: 'function',
  function: {
    name,
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
})
const user = (content: string): OpenAI.ChatCompletionMessageParam => ({ role: 'user', content })
/** The error of a refused call; the SDK's promises are not plain ones, so `rejects` does not work with them. */
const fault = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => 'no refusal',
    (thrown: unknown) => thrown,
  )
const onlyCall = (answer: OpenAI.ChatCompletion) => answer.choices[0]?.message.tool_calls ?? []

describe.each(sampledEngines(import.meta.file))('openai SDK on %s', (engine) => {
  let upstream: ScriptedUpstream
  let gateway: Gateway
  let client: OpenAI
  let demo: OpenAI

  beforeAll(async () => {
    upstream = await scriptedUpstream(chatVendor())
    gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'on' } })
    await gateway.channel('vendor', `${upstream.url}/v1`)
    await gateway.price(testModel)
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
    demo = client
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })

  const create = (body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) =>
    client.chat.completions.create({ model: testModel, messages: [user('hello there')], ...body })

  test('create', async () => {
    const answer = await create({})
    expect(answer.choices[0]?.message.content).toBe('You said: hello there')
    expect(answer.usage?.prompt_tokens).toBe(10)
    expect(answer.model).toBe('gpt-test-2026-01-01')
  })

  test('stream, with and without usage', async () => {
    const read = async (options: { stream_options?: { include_usage: boolean } }) => {
      const stream = await client.chat.completions.create({ model: testModel, messages: [user('one two three')], stream: true, ...options })
      const chunks = []
      for await (const chunk of stream) chunks.push(chunk)
      return chunks
    }
    const plain = await read({})
    expect(plain.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('You said: one two three')
    expect(plain.every((chunk) => !('usage' in chunk))).toBe(true)
    const asked = await read({ stream_options: { include_usage: true } })
    expect(asked.filter((chunk) => chunk.usage !== null)).toHaveLength(1)
    expect(asked.at(-1)?.choices).toEqual([])
    expect(asked.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
  })

  test('the stream helper puts the whole answer together', async () => {
    const stream = client.chat.completions.stream({ model: testModel, messages: [user('a b c')] })
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('You said: a b c')
  })

  test('a tool in two turns, streamed and not', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [user('weather?')]
    const first = await create({ messages, tools: [tool('weather')] })
    const [call] = onlyCall(first)
    expect(first.choices[0]?.finish_reason).toBe('tool_calls')
    expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual({ city: 'Paris' })
    const again = {
      model: testModel,
      messages: [...messages, first.choices[0]?.message, { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'sunny' }].filter(
        (message) => message !== undefined,
      ),
      tools: [tool('weather')],
    }
    expect((await client.chat.completions.create(again)).choices[0]?.message.content).toBe('You said: sunny')
    const streamed = client.chat.completions.stream(again)
    expect((await streamed.finalChatCompletion()).choices[0]?.message.content).toBe('You said: sunny')
  })

  test('parallel tools, streamed', async () => {
    const stream = client.chat.completions.stream({ model: testModel, messages: [user('both')], tools: [tool('weather'), tool('news')] })
    const calls = onlyCall(await stream.finalChatCompletion())
    expect(calls.map((call) => call.type === 'function' && call.function.name)).toEqual(['weather', 'news'])
    expect(calls.map((call) => call.id)).toEqual(['call_1', 'call_2'])
  })

  test('image input and structured output', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const seen = await create({ messages: [{ role: 'user', content: [{ type: 'text', text: 'look' }, image] }] })
    expect(seen.choices[0]?.message.content).toBe('You said: look [image_url]')
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
      additionalProperties: false,
    }
    const shaped = await create({ response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } } })
    expect(JSON.parse(shaped.choices[0]?.message.content ?? '')).toEqual({ name: 'Ada', age: 36 })
  })

  test('abort before the first byte reaches the upstream and settles', async () => {
    upstream.next((exchange) => exchange.gone)
    const number = upstream.requests.length
    const abort = new AbortController()
    const { key, session } = await gateway.user(`abort-early-${engine}`, '1')
    const other = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 })
    const pending = other.chat.completions.create({ model: testModel, messages: [user('x')], stream: true }, { signal: abort.signal })
    await upstream.received(number)
    abort.abort()
    expect(await fault(pending)).toBeInstanceOf(OpenAI.APIUserAbortError)
    await upstream.exchanges[number]?.gone
    const row = await settledRow(session)
    expect(row).toMatchObject({ end: 'aborted', status: 499, cost: '0' })
    expect(await session.call('GET', '/api/session')).toMatchObject({ user: { balance: '1', held: '0' } })
  })

  test('abort after the first byte reaches the upstream and charges what came', async () => {
    upstream.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      await exchange.chunk(
        'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":{"content":"12345678"},"finish_reason":null}]}\n\n',
      )
      await exchange.gone
    })
    const number = upstream.requests.length
    const { key, session } = await gateway.user(`abort-late-${engine}`, '1')
    const other = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 })
    const stream = await other.chat.completions.create({ model: testModel, messages: [user('x')], stream: true })
    for await (const chunk of stream) {
      expect(chunk.choices[0]?.delta.content).toBe('12345678')
      break
    }
    await upstream.exchanges[number]?.gone
    const row = await settledRow(session)
    expect(row).toMatchObject({ end: 'aborted', provenance: 'estimated', usage: { out: { total: 3 }, in: { fresh: 23 } } })
    expect(await session.call('GET', '/api/session')).toMatchObject({ user: { held: '0' } })
  })

  async function settledRow(session: Gateway['admin']): Promise<Record<string, unknown>> {
    for (let tries = 0; tries < 100; tries++) {
      const page = await session.call<{ data: Record<string, unknown>[] }>('GET', '/api/logs')
      if (page.data[0]) return page.data[0]
      await Bun.sleep(20)
    }
    throw new Error('no usage row came')
  }

  test('error classes', async () => {
    const wrongKey = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'sk-wrong-key-wrong-key', maxRetries: 0 })
    expect(await fault(wrongKey.models.list())).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(await fault(create({ model: 'no-such-model' }))).toBeInstanceOf(OpenAI.NotFoundError)
    expect(await fault(create({ temperature: 9 }))).toBeInstanceOf(OpenAI.BadRequestError)
    upstream.next(vendorRateLimited())
    expect(await fault(create({}))).toBeInstanceOf(OpenAI.RateLimitError)
    await gateway.heal()
    upstream.next(vendorFailed(), vendorFailed())
    expect(await fault(create({}))).toBeInstanceOf(OpenAI.InternalServerError)
    const poor = await gateway.user(`poor-${engine}`, '0')
    const broke = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: poor.key, maxRetries: 2 })
    const before = upstream.requests.length
    expect(await fault(broke.chat.completions.create({ model: testModel, messages: [user('x')] }))).toMatchObject({
      status: 429,
      code: 'insufficient_quota',
    })
    expect(upstream.requests.length).toBe(before)
  })

  test('model list and retrieve', async () => {
    const ids = (await client.models.list()).data.map((model) => model.id)
    expect(ids).toContain(testModel)
    expect(ids).toContain('parley-demo')
    expect((await client.models.retrieve(testModel)).object).toBe('model')
    expect(await fault(client.models.retrieve('nope'))).toMatchObject({ status: 404, code: 'model_not_found' })
  })

  test('the demo model: create, stream, tool in two turns, abort', async () => {
    const model = 'parley-demo'
    const answer = await demo.chat.completions.create({ model, messages: [user('Hello!')] })
    expect(answer.choices[0]?.message.content?.length).toBeGreaterThan(10)
    expect(answer.usage?.total_tokens).toBeGreaterThan(0)
    const tools = [tool('weather')]
    const first = await demo.chat.completions.create({ model, messages: [user('weather in Paris?')], tools })
    const [call] = onlyCall(first)
    expect(call?.type === 'function' && call.function.name).toBe('weather')
    const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'sunny and 21 degrees' }
    const message = first.choices[0]?.message as OpenAI.ChatCompletionMessageParam
    const second = demo.chat.completions.stream({ model, messages: [user('weather in Paris?'), message, result], tools })
    expect((await second.finalChatCompletion()).choices[0]?.message.content).toContain('sunny')
    const stream = await demo.chat.completions.create({ model, messages: [user('/long 2000')], stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    expect(await gateway.admin.call('GET', '/api/session')).toMatchObject({ user: { name: 'admin' } })
  })
})
