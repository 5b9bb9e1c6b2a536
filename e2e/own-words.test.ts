/** Clients whose dialect no channel has, with their vendors' SDKs: Ollama's, and Amazon's for Converse. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { Ollama } from 'ollama/browser'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
let upstream: ScriptedUpstream
beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  await gateway.channel('claude', upstream.url, { vendor: 'anthropic', keys: ['k'], models: ['claude'] })
  await gateway.price('claude')
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const model = 'parley-demo'
const messages = [{ role: 'user', content: 'scenario short' }]
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'w',
    parameters: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
  },
}
const ollama = (key = gateway.key) => new Ollama({ host: `${gateway.url}/ollama`, headers: { authorization: `Bearer ${key}` } })
/** Of the log, newest first. */
const lastRow = async () => (await gateway.admin.call<{ data: Record<string, unknown>[] }>('GET', '/api/logs?limit=1')).data
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown as Record<string, unknown>,
  )

test.each([
  ...['POST /ollama/api/chat', 'POST /ollama/api/generate', 'POST /ollama/api/embed', 'POST /ollama/api/embeddings'],
  ...['GET /ollama/api/tags', 'POST /ollama/api/show', 'GET /ollama/api/ps', 'GET /ollama/api/version', 'POST /ollama/api/pull'],
  ...['POST /model/parley-demo/converse', 'POST /model/parley-demo/converse-stream'],
])('%s wants a key, in its own envelope', async (route) => {
  const [method = '', path = ''] = route.split(' ')
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(gateway.url + path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
  const said = { [path.startsWith('/model') ? 'message' : 'error']: expect.stringContaining('An API key is required') }
  expect([answer.status, await answer.json()]).toEqual([401, said])
})

describe('ollama', () => {
  test('a chat, whole and streamed, is charged and has a row', async () => {
    const whole = await ollama().chat({ model, messages })
    expect(whole).toMatchObject({ model, done: true, done_reason: 'stop', message: { role: 'assistant' } })
    expect(whole.message.content).not.toBe('')
    let text = ''
    let last: Record<string, unknown> = {}
    for await (const piece of await ollama().chat({ model, messages, stream: true, options: { mirostat: 1 } })) {
      text += piece.message.content
      last = { ...piece }
    }
    expect(text).toBe(whole.message.content)
    expect(last).toMatchObject({ done: true, eval_count: whole.eval_count, prompt_eval_count: whole.prompt_eval_count })
    const [row] = await lastRow()
    expect(row).toMatchObject({ model, dialect: 'chat', stream: true, end: 'complete' })
    expect(Number(row?.charged)).toBeGreaterThan(0)
    expect(row?.losses).toContainEqual(expect.objectContaining({ field: 'options.mirostat', what: 'dropped' }))
  })

  test('a prompt, a tool, vectors, models', async () => {
    expect((await ollama().generate({ model, prompt: 'scenario short' })).response).not.toBe('')
    const called = await ollama().chat({ model, messages: [{ role: 'user', content: 'What is the weather?' }], tools: [weather] })
    expect(called.message.tool_calls?.[0]?.function).toMatchObject({ name: 'get_weather', arguments: { city: expect.any(String) } })
    const { embeddings } = await ollama().embed({ model: 'parley-demo-embed', input: ['a', 'b'] })
    expect(embeddings.map(({ length }) => length > 1)).toEqual([true, true])
    expect((await ollama().embeddings({ model: 'parley-demo-embed', prompt: 'a' })).embedding).toEqual(embeddings[0] ?? [])
    expect((await ollama().list()).models.map(({ name }) => name)).toContain(model)
    expect((await ollama().show({ model })).capabilities).toContain('completion')
  })

  test('a large body is read in the worker', async () => {
    const many = Array.from({ length: 3000 }, () => ({ role: 'user', content: 'hi' }))
    expect(await ollama().chat({ model, messages: many, options: { num_predict: 5 } })).toMatchObject({ model, done: true })
  })

  test('refusals are one text', async () => {
    expect(await thrownBy(ollama('sk-nobody-at-all').list())).toMatchObject({ status_code: 401 })
    expect(await thrownBy(ollama().chat({ model: 'nothing', messages }))).toMatchObject({
      status_code: 404,
      error: expect.stringContaining('model'),
    })
    expect(await thrownBy(ollama().pull({ model }))).toMatchObject({ status_code: 400, error: expect.stringContaining('does not serve') })
    const strict = new Ollama({
      host: `${gateway.url}/ollama`,
      headers: { authorization: `Bearer ${gateway.key}`, 'x-parley-strict': 'true' },
    })
    expect(await thrownBy(strict.chat({ model, messages, options: { mirostat: 1 } }))).toMatchObject({
      status_code: 400,
      error: expect.stringContaining('options.mirostat'),
    })
  })
})

describe('@aws-sdk/client-bedrock-runtime', () => {
  const bearer = () =>
    new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: gateway.url,
      token: { token: gateway.key },
      authSchemePreference: ['httpBearerAuth'],
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    })
  const asked = {
    modelId: model,
    messages: [{ role: 'user' as const, content: [{ text: 'scenario short' }] }],
    inferenceConfig: { maxTokens: 500 },
  }

  test('Converse and ConverseStream say the same', async () => {
    const whole = await bearer().send(new ConverseCommand(asked))
    expect(whole).toMatchObject({ stopReason: 'end_turn', output: { message: { role: 'assistant' } } })
    const said = whole.output?.message?.content?.[0]?.text ?? ''
    expect(said).not.toBe('')
    const { stream: events } = await bearer().send(new ConverseStreamCommand(asked))
    let text = ''
    let counted: unknown
    for await (const event of events ?? []) {
      text += event.contentBlockDelta?.delta?.text ?? ''
      counted = event.metadata?.usage ?? counted
    }
    expect(text).toBe(said)
    expect(counted).toEqual(whole.usage)
    const [row] = await lastRow()
    expect(row).toMatchObject({ model, dialect: 'messages', stream: true, end: 'complete' })
    expect(Number(row?.charged)).toBeGreaterThan(0)
  })

  test('a channel of Messages gets what it would get from its own client', async () => {
    upstream.next(
      respondJson(200, {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_reason: 'end_turn', stop_sequence: null },
        ...{ content: [{ type: 'text', text: 'Hi' }], usage: { input_tokens: 3, output_tokens: 2 } },
      }),
    )
    const answer = await bearer().send(new ConverseCommand({ ...asked, modelId: 'claude' }))
    expect(answer).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 }, output: { message: { content: [{ text: 'Hi' }] } } })
    const sent = upstream.requests.at(-1)
    expect(sent?.target).toBe('/v1/messages')
    expect(sent?.json()).toEqual({
      model: 'claude',
      max_tokens: 500,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'scenario short' }] }],
    })
  })

  test('an error in a stream is an exception of the SDK', async () => {
    const event = (fields: { type: string }) => `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`
    const start = {
      type: 'message_start',
      message: { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    }
    const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }
    const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    upstream.next(stream([start, block, delta, failure].map(event), { headers: { 'content-type': 'text/event-stream' } }))
    const { stream: events } = await bearer().send(new ConverseStreamCommand({ ...asked, modelId: 'claude' }))
    const read = async () => {
      for await (const _ of events ?? []);
    }
    expect(await thrownBy(read())).toMatchObject({ name: expect.stringMatching(/Exception$/) })
  })

  test('refusals have their kind, and a signature cannot be verified', async () => {
    expect(await thrownBy(bearer().send(new ConverseCommand({ ...asked, modelId: 'nothing' })))).toMatchObject({
      name: 'ResourceNotFoundException',
    })
    const signing = new BedrockRuntimeClient({
      ...{ region: 'us-east-1', endpoint: gateway.url, maxAttempts: 1, requestHandler: new NodeHttpHandler() },
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
    })
    const refused = await thrownBy(signing.send(new ConverseCommand(asked)))
    expect(refused).toMatchObject({ name: 'UnrecognizedClientException', message: expect.stringContaining('AWS_BEARER_TOKEN_BEDROCK') })
  })
})
