/**
 * Interactions of Gemini with the calls of its SDK, on upstreams of every dialect: whole, streamed, continued, read again, cancelled,
 * deleted, one user's only, charged once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { GoogleGenAI as OlderGenAI } from 'google-genai-2'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { gate, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const upstreams: Record<string, { vendor: string; model: string; script: Script; speaks?: string[]; operations?: string[] }> = {
  chat: { vendor: 'openai-compatible', model: 'gpt-test', script: chatVendor() },
  responses: { vendor: 'openai', model: 'gpt-test', script: responsesVendor(), speaks: ['responses'] },
  messages: { vendor: 'anthropic', model: 'claude-opus-4-8', script: messagesVendor({ models: ['claude-opus-4-8'] }) },
  gemini: { vendor: 'gemini', model: 'gemini-3-pro', script: geminiVendor({ models: ['gemini-3-pro'] }), operations: ['generate'] },
}
const names = Object.keys(upstreams)
const servers: ScriptedUpstream[] = []
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  for (const [name, { vendor, model, script, speaks, operations }] of Object.entries(upstreams)) {
    const server = await scriptedUpstream(script)
    servers.push(server)
    await gateway.price(`on-${name}`)
    await gateway.channel(name, server.url, {
      vendor,
      models: [{ name: `on-${name}`, upstream: model }],
      ...(speaks && { speaks }),
      ...(operations && { operations }),
    })
  }
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  for (const server of servers) await server.close()
})

const clientOf = (apiKey = gateway.key) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } })
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Tells it',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

describe.each(names)('on %s', (upstream) => {
  const model = `on-${upstream}`

  test('an interaction is answered, read again and continued', async () => {
    const client = clientOf()
    const first = await client.interactions.create({ model, input: 'hello there', system_instruction: 'Be brief.' })
    expect(first).toMatchObject({ status: 'completed', model, output_text: 'You said: hello there' })
    expect(first.steps?.at(-1)).toMatchObject({ type: 'model_output', content: [{ type: 'text', text: 'You said: hello there' }] })
    expect(first.usage?.total_tokens).toBe(
      (first.usage?.total_input_tokens ?? 0) + (first.usage?.total_output_tokens ?? 0) + (first.usage?.total_thought_tokens ?? 0),
    )
    expect(first.usage?.total_output_tokens).toBeGreaterThan(0)
    const again = await client.interactions.get(first.id, { include_input: true })
    expect(again).toMatchObject({ id: first.id, status: 'completed', output_text: first.output_text, system_instruction: 'Be brief.' })
    expect(again.input).toEqual([{ type: 'user_input', content: [{ type: 'text', text: 'hello there' }] }] as never)
    const second = await client.interactions.create({ model, input: 'scenario recall', previous_interaction_id: first.id })
    expect(second.output_text).toContain('user: hello there')
    expect(second.previous_interaction_id).toBe(first.id)
    const { data } = await gateway.admin.call<{ data: object[] }>('GET', '/api/logs?limit=1')
    expect(data[0]).toMatchObject({ model, operation: 'generate', status: 200, end: 'complete' })
  })

  test('a stream sends its steps, and can be read again from any event on', async () => {
    const client = clientOf()
    const read = async (stream: AsyncIterable<{ event_type: string; event_id?: string | undefined }>) => {
      const events = []
      for await (const event of stream) events.push(event)
      return events as Record<string, unknown>[]
    }
    const events = await read(await client.interactions.create({ model, input: 'hello there', stream: true }))
    expect(events[0]).toMatchObject({ event_type: 'interaction.created', interaction: { status: 'in_progress', model } })
    const texts = events.flatMap(({ delta }) =>
      (delta as { type?: string } | undefined)?.type === 'text' ? [(delta as { text: string }).text] : [],
    )
    expect(texts.join('')).toBe('You said: hello there')
    const last = events.at(-1) as { event_type: string; interaction: { id: string; status: string; usage: { total_tokens: number } } }
    expect(last).toMatchObject({ event_type: 'interaction.completed', interaction: { status: 'completed' } })
    expect(last.interaction.usage.total_tokens).toBeGreaterThan(0)
    const kinds = (all: Record<string, unknown>[]) => all.map(({ event_type }) => event_type)
    for (const kind of ['step.start', 'step.delta', 'step.stop']) expect(kinds(events)).toContain(kind)
    const replay = await read(await client.interactions.get(last.interaction.id, { stream: true }))
    expect(kinds(replay)).toEqual(
      expect.arrayContaining(['interaction.created', 'step.start', 'step.delta', 'step.stop', 'interaction.completed']),
    )
    const from = await read(
      await client.interactions.get(last.interaction.id, { stream: true, last_event_id: String(replay[1]?.event_id) }),
    )
    expect(from).toEqual(replay.slice(2))
  })

  test('a function is called, and its result goes on in the same interaction', async () => {
    const client = clientOf()
    const asked = await client.interactions.create({ model, input: 'How is it?', tools: [weather] })
    expect(asked.status).toBe('requires_action')
    const call = asked.steps?.find(({ type }) => type === 'function_call') as unknown as {
      id: string
      name: string
      arguments: { city: string }
    }
    expect(call).toMatchObject({ name: 'weather', arguments: { city: 'Paris' } })
    const result = { type: 'function_result' as const, call_id: call.id, name: call.name, result: 'sunny in Paris' }
    const answered = await client.interactions.create({ model, input: [result], tools: [weather], previous_interaction_id: asked.id })
    expect(answered).toMatchObject({ status: 'completed', output_text: 'You said: sunny in Paris' })
    // Without state: the client says all steps itself.
    const steps = [
      { type: 'user_input' as const, content: [{ type: 'text' as const, text: 'How is it?' }] },
      ...(asked.steps ?? []),
      result,
    ]
    const alone = await client.interactions.create({ model, input: steps, tools: [weather], store: false })
    expect(alone.output_text).toBe('You said: sunny in Paris')
    expect(await thrownBy(client.interactions.get(alone.id))).toMatchObject({ status: 404 })
  })

  test('in the background it is answered at once and made meanwhile', async () => {
    const client = clientOf()
    const begun = await client.interactions.create({ model, input: 'hello there', background: true })
    expect(begun).toMatchObject({ status: 'in_progress', model })
    let now = begun
    while (now.status === 'in_progress') {
      await wait(20)
      now = await client.interactions.get(begun.id)
    }
    expect(now).toMatchObject({ id: begun.id, status: 'completed', output_text: 'You said: hello there' })
    expect(await client.interactions.cancel(begun.id)).toMatchObject({ id: begun.id, status: 'completed' })
    await client.interactions.delete(begun.id)
    expect(await thrownBy(client.interactions.get(begun.id))).toMatchObject({ status: 404 })
  })
})

test('answers are held to a schema, and losses on the way are reported', async () => {
  const schema = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name', 'age'] }
  const shaped = await clientOf().interactions.create({
    model: 'on-gemini',
    input: 'Who?',
    response_format: { type: 'text', mime_type: 'application/json', schema },
  })
  expect(JSON.parse(shaped.output_text ?? '')).toEqual({ name: 'Ada', age: 36 })
  const answer = await fetch(`${gateway.url}/v1beta/interactions`, {
    method: 'POST',
    headers: { 'x-goog-api-key': gateway.key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'on-chat', input: 'hello', generation_config: { seed: 3, top_p: 0.5, odd: 1 } }),
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-parley-losses')).toContain('generation_config.seed:dropped')
  expect(answer.headers.get('x-parley-losses')).toContain('generation_config.odd:dropped')
})

test('refusals are in the words of interactions', async () => {
  const client = clientOf()
  const model = 'on-chat'
  const refused = async (body: object) => (await thrownBy(client.interactions.create(body as never))) as { status: number; message: string }
  expect(await refused({ model: 'nobodys', input: 'a' })).toMatchObject({ status: 404 })
  expect(await refused({ model })).toMatchObject({ status: 400, message: expect.stringContaining('input') })
  expect(await refused({ agent: 'deep-research', input: 'a' })).toMatchObject({
    status: 400,
    message: expect.stringContaining('own service of interactions'),
  })
  expect(await refused({ model, input: 'a', tools: [{ type: 'google_maps' }] })).toMatchObject({ status: 400 })
  expect(await refused({ model, input: 'a', response_modalities: ['image'] })).toMatchObject({ status: 400 })
  for (const body of [{ background: true, store: false }, { response_format: { type: 'poem' } }, { response_format: [{ type: 'poem' }] }]) {
    const [field = ''] = Object.keys(body).slice(-1)
    expect(await refused({ model, input: 'a', ...body })).toMatchObject({ status: 400, message: expect.stringContaining(field) })
  }
  expect(await refused({ model, input: 'a', previous_interaction_id: 'nobodys' })).toMatchObject({
    status: 404,
    message: expect.stringContaining('no interaction'),
  })
  expect(await refused({ model, input: [{ type: 'document', uri: 'files/somebodys' }] })).toMatchObject({ status: 404 })
  expect(await thrownBy(client.interactions.cancel('nobodys'))).toMatchObject({ status: 404 })
})

test('an interaction is its user’s alone, and a response under another name', async () => {
  const made = await clientOf().interactions.create({ model: 'on-chat', input: 'hello there' })
  const { key } = await gateway.user('other', '10')
  expect(await thrownBy(clientOf(key).interactions.get(made.id))).toMatchObject({ status: 404 })
  expect(await thrownBy(clientOf(key).interactions.delete(made.id))).toMatchObject({ status: 404 })
  const goOn = { model: 'on-chat', input: 'scenario recall', previous_interaction_id: made.id }
  expect(await thrownBy(clientOf(key).interactions.create(goOn))).toMatchObject({ status: 404 })
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  expect((await openai.responses.retrieve(made.id)).output_text).toBe('You said: hello there')
  const older = new OlderGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } })
  expect((await older.interactions.create(goOn)).output_text).toContain('user: hello there')
})

test('one that is being made is cancelled', async () => {
  const late = gate(chatVendor())
  const slow = await scriptedUpstream(late.script)
  servers.push(slow)
  await gateway.price('on-slow')
  await gateway.channel('slow', slow.url, { vendor: 'openai-compatible', models: [{ name: 'on-slow', upstream: 'gpt-test' }] })
  const client = clientOf()
  const begun = await client.interactions.create({ model: 'on-slow', input: 'hello', background: true })
  expect(await client.interactions.get(begun.id, { include_input: true })).toMatchObject({
    status: 'in_progress',
    input: [{ type: 'user_input' }],
  })
  expect(await thrownBy(client.interactions.delete(begun.id))).toMatchObject({ status: 400 })
  expect(await client.interactions.cancel(begun.id)).toMatchObject({ id: begun.id, status: 'cancelled' })
  late.open()
  expect(await client.interactions.get(begun.id)).toMatchObject({ status: 'cancelled' })
})

test('both versions of the addresses serve the same', async () => {
  const { id } = await clientOf().interactions.create({ model: 'on-chat', input: 'hello there' })
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(gateway.url + path, {
      method,
      headers: { 'x-goog-api-key': gateway.key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return [answer.status, ((await answer.json()) as { id?: string }).id]
  }
  const question = { model: 'on-chat', input: 'hello there' }
  for (const [path, status] of [
    ['/v1/interactions', 405],
    [`/v1beta/interactions/${id}`, 200],
    [`/v1/interactions/${id}`, 200],
  ] as const)
    expect([path, (await ask('GET', path))[0]]).toEqual([path, status])
  expect((await ask('POST', '/v1/interactions', question))[0]).toBe(200)
  expect(await ask('POST', `/v1beta/interactions/${id}/cancel`)).toEqual([200, id])
  expect(await ask('POST', `/v1/interactions/${id}/cancel`)).toEqual([200, id])
})
