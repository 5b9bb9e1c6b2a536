/** SDK calls other than generation: further endpoints, stored objects, and endpoints that are not served. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { AzureOpenAI, toFile } from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
}, 90_000)
afterAll(() => gateway?.close())

const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
const google = () => new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } })
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { status?: number },
  )

describe('further addresses of the same endpoints', () => {
  const messages = [{ role: 'user' as const, content: 'scenario short' }]
  const azure = (more: { deployment?: string } = {}) =>
    new AzureOpenAI({ endpoint: gateway.url, apiKey: gateway.key, apiVersion: '2026-10-21', maxRetries: 0, ...more })

  test('a client of Azure asks deployments, whole and streamed', async () => {
    const whole = await azure().chat.completions.create({ model: 'parley-demo', messages })
    expect(whole).toMatchObject({ object: 'chat.completion', model: 'parley-demo' })
    const named = await azure({ deployment: 'parley-demo' }).chat.completions.create({ model: 'what the deployment is', messages })
    expect(named.model).toBe('parley-demo')
    const stream = azure().chat.completions.stream({ model: 'parley-demo', messages })
    expect(await stream.finalContent()).toBe(whole.choices[0]?.message.content ?? 'nothing')
    const { data } = await azure().embeddings.create({ model: 'parley-demo-embed', input: 'a' })
    expect(data[0]?.embedding.length).toBeGreaterThan(1)
    expect((await azure().images.generate({ model: 'parley-demo-image', prompt: 'a' })).data).toHaveLength(1)
  })

  test('an uploaded form, and a large body, get the model of the address', async () => {
    const form = new FormData()
    form.set('file', await toFile(Buffer.from('RIFF'), 'a.wav'))
    form.set('model', 'nothing')
    const headers = { 'api-key': gateway.key }
    const path = `${gateway.url}/openai/deployments/parley-demo-transcribe/audio/transcriptions?api-version=1`
    expect((await fetch(path, { method: 'POST', headers, body: form })).status).toBe(200)
    const large = await fetch(`${gateway.url}/openai/deployments/parley-demo/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      // So many values are read in the worker.
      body: JSON.stringify({ messages: Array.from({ length: 3000 }, () => ({ role: 'user', content: 'hi' })), max_tokens: 5 }),
    })
    expect([large.status, (await large.json()) as unknown]).toEqual([200, expect.objectContaining({ model: 'parley-demo' })])
  })

  test.each(['/openai/v1', '/openai', '/v1beta/openai'])('%s has what /v1 has', async (prefix) => {
    const client = new OpenAI({ baseURL: gateway.url + prefix, apiKey: gateway.key, maxRetries: 0 })
    const kept = await client.responses.create({ model: 'parley-demo', input: 'scenario short' })
    expect((await client.responses.retrieve(kept.id)).output_text).toBe(kept.output_text)
    expect((await client.responses.inputItems.list(kept.id)).data).toHaveLength(1)
    await client.responses.delete(kept.id)
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('parley-demo')
    expect((await client.models.retrieve('parley-demo')).id).toBe('parley-demo')
    expect(await thrownBy(client.vectorStores.list())).toMatchObject({ status: 400, code: 'unsupported_here' })
    expect(await thrownBy(client.get('/nothing-here'))).toMatchObject({ status: 404, code: 'not_found' })
    expect(await thrownBy(client.delete('/models'))).toMatchObject({ status: 405 })
  })

  test('`api-key` counts at the addresses of Azure only', async () => {
    const asked = (path: string, key: string) => fetch(gateway.url + path, { headers: { 'api-key': key } })
    expect((await asked('/openai/v1/models', gateway.key)).status).toBe(200)
    expect((await asked('/openai/models', 'sk-wrong')).status).toBe(401)
    for (const path of ['/v1/models', '/v1beta/openai/models/parley-demo']) expect((await asked(path, gateway.key)).status).toBe(401)
    const two = { 'api-key': gateway.key, authorization: 'Bearer sk-other' }
    expect((await fetch(`${gateway.url}/openai/models`, { headers: two })).status).toBe(401)
  })
})

describe('Responses over a WebSocket', () => {
  type Said = { type: string; response?: { id: string; status: string; output: unknown[] }; status?: number; error?: { code: string } }
  /** A connection, and what comes of each frame: its last event. */
  async function connected(key = gateway.key) {
    const client = await realtimeClient(`${gateway.url}/v1/responses`, [], { authorization: `Bearer ${key}` })
    let seen = 0
    return {
      client,
      async ask(body: object): Promise<Said> {
        client.send({ type: 'response.create', model: 'parley-demo', ...body })
        for (;;) {
          await client.received(seen + 1)
          const event = JSON.parse(String(client.frames[seen++])) as Said
          if (['response.completed', 'response.failed', 'error'].includes(event.type)) return event
        }
      },
    }
  }
  const textOf = ({ response }: Said) => JSON.stringify(response?.output)

  test('each turn is a request with a row, and continues what is kept or what the connection remembers', async () => {
    const { ask, client } = await connected()
    const first = await ask({ input: 'scenario short' })
    expect(first).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
    expect((await openai().responses.retrieve(first.response?.id ?? '')).status).toBe('completed')
    expect(textOf(await ask({ input: 'again', previous_response_id: first.response?.id }))).toContain('3 messages')
    const alone = await ask({ input: 'my name is Ann', store: false })
    expect(await thrownBy(openai().responses.retrieve(alone.response?.id ?? ''))).toMatchObject({ status: 404 })
    expect(textOf(await ask({ input: 'again', previous_response_id: alone.response?.id, store: false }))).toContain('3 messages')
    const ahead = await ask({ input: 'sent ahead', generate: false })
    expect(ahead.response?.output).toEqual([])
    const laned = await ask({ input: 'go', previous_response_id: ahead.response?.id, store: false, stream_id: 'lane' })
    expect([textOf(laned), laned]).toEqual([expect.stringContaining('2 messages'), expect.objectContaining({ stream_id: 'lane' })])
    const { data } = await gateway.admin.call<{ data: object[] }>('GET', '/api/logs?limit=5')
    expect(data).toMatchObject(Array(5).fill({ dialect: 'responses', stream: true, end: 'complete' }))
    client.socket.close()
  })

  test('what is wrong is an error of its turn alone', async () => {
    const { ask } = await connected()
    expect(await ask({ input: 'x', previous_response_id: 'resp_nobodys' })).toMatchObject({
      status: 400,
      error: { code: 'previous_response_not_found' },
    })
    expect(await ask({ input: 'x', model: 'nothing' })).toMatchObject({ status: 404, error: { code: 'model_not_found' } })
    expect(await ask({ type: 'response.steer' })).toMatchObject({ status: 400, error: { code: 'invalid_value' } })
    expect(await ask({ input: 'x'.repeat(1_100_000) })).toMatchObject({ status: 413 })
    expect(await ask({ input: 'scenario short' })).toMatchObject({ type: 'response.completed' })
    // It stays open: the program must end it when it stops.
    await expect(connected('sk-nobody-at-all')).rejects.toThrow('refused')
  })

  test('the SDK’s own client', async () => {
    const socket = new ResponsesWS(openai())
    const done = new Promise<string>((resolve, reject) => {
      socket.on('response.completed', ({ response }) => resolve(response.status ?? ''))
      socket.on('error', reject)
    })
    socket.send({ type: 'response.create', model: 'parley-demo', input: 'scenario short' })
    expect(await done).toBe('completed')
    socket.close()
  })
})

describe('what is not served is refused in the words of its protocol', () => {
  test('openai', async () => {
    const refused = { status: 400, code: 'unsupported_here', type: 'invalid_request_error' }
    expect(await thrownBy(openai().vectorStores.create({ name: 'a' }))).toMatchObject(refused)
    expect(await thrownBy(openai().fineTuning.jobs.list())).toMatchObject(refused)
    expect(await thrownBy(openai().evals.list())).toMatchObject(refused)
  })

  test('@anthropic-ai/sdk', async () => {
    const thrown = await thrownBy(anthropic().beta.skills.list())
    expect(thrown).toBeInstanceOf(Anthropic.BadRequestError)
    expect(thrown).toMatchObject({ error: { type: 'error', error: { type: 'invalid_request_error' } } })
  })

  test('@google/genai', async () => {
    const model = 'parley-demo'
    const calls = [google().caches.create({ model, config: {} }), google().fileSearchStores.list()]
    for (const thrown of await Promise.all(calls.map(thrownBy))) {
      expect([thrown?.status, thrown?.message]).toEqual([400, expect.stringContaining('INVALID_ARGUMENT')])
    }
  })
})
