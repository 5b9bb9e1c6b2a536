/**
 * What users of the official SDKs call beyond one request: helpers that put streams together, tool runners, structured outputs, chats,
 * counting, lists page by page, timeouts. Each on an upstream of every dialect; the vendors are scripted and refuse what the real ones do.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema'
import { type CallableTool, FunctionCallingConfigMode, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import type { RunnableToolFunction } from 'openai/lib/RunnableFunction'
import { sampledEngine } from '#testing/database/database'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { type OpenAIClass, olderOpenAI } from './matrix/openai-fault.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

const upstreams: Record<string, { vendor: string; model: string; script: Script; speaks?: string[] }> = {
  chat: { vendor: 'openai-compatible', model: 'gpt-test', script: chatVendor() },
  responses: { vendor: 'openai', model: 'gpt-test', script: responsesVendor(), speaks: ['responses'] },
  messages: { vendor: 'anthropic', model: 'claude-opus-4-8', script: messagesVendor({ models: ['claude-opus-4-8'] }) },
  gemini: { vendor: 'gemini', model: 'gemini-3-pro', script: geminiVendor({ models: ['gemini-3-pro'] }) },
}
const servers: ScriptedUpstream[] = []
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  for (const [name, { vendor, model, script, speaks }] of Object.entries(upstreams)) {
    const server = await scriptedUpstream(script)
    servers.push(server)
    await gateway.price(`on-${name}`)
    await gateway.channel(name, server.url, { vendor, models: [{ name: `on-${name}`, upstream: model }], ...(speaks && { speaks }) })
  }
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const server of servers) await server.close()
})

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
} as const
const cityOf = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false } as const
const weather = ({ city }: { city: string }) => `sunny in ${city}`
const inParis = 'You said: sunny in Paris'
const person = { name: 'Ada', age: 36 }
const names = Object.keys(upstreams)
const modelsOf = async (list: AsyncIterable<{ id?: string; name?: string }>): Promise<string[]> => {
  const found: string[] = []
  for await (const { id, name } of list) found.push((id ?? name ?? '').replace(/^models\//, ''))
  return found.sort()
}
const all = names.map((name) => `on-${name}`).sort()

describe.each<[string, OpenAIClass]>([
  ['openai 7', OpenAI],
  ['openai 6', olderOpenAI],
])('%s', (_, sdk) => {
  const client = () => new sdk({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'How is it?' }]

  test.each(names)('a tool runner of Chat on %s, whole and streamed', async (upstream) => {
    const tools: RunnableToolFunction<{ city: string }>[] = [
      {
        type: 'function' as const,
        function: {
          name: 'weather',
          description: 'Tells it',
          parameters: { ...cityOf, required: ['city'] },
          function: weather,
          parse: JSON.parse,
        },
      },
    ]
    const model = `on-${upstream}`
    const whole = client().chat.completions.runTools({ model, messages, tools })
    expect(await whole.finalContent()).toBe(inParis)
    const streamed = client().chat.completions.runTools({ model, messages, tools, stream: true, stream_options: { include_usage: true } })
    expect(await streamed.finalContent()).toBe(inParis)
    expect((await streamed.totalUsage()).total_tokens).toBeGreaterThan(0)
  })

  test.each(names)('parsed outputs of Chat and Responses on %s', async (upstream) => {
    const model = `on-${upstream}`
    const format = { type: 'json_schema' as const, name: 'person', schema, strict: true }
    const { choices } = await client().chat.completions.parse({
      model,
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'person', schema, strict: true } },
    })
    const message = choices[0]?.message
    const whole = await client().responses.parse({ model, input: 'Who?', text: { format } })
    const streamed = await client().responses.stream({ model, input: 'Who?', text: { format } }).finalResponse()
    expect([message?.content, whole.output_text, streamed.output_text].map((text) => JSON.parse(text ?? ''))).toEqual([
      person,
      person,
      person,
    ])
    // The older SDK parses only what its helpers for zod describe.
    if (sdk === OpenAI) expect([message?.parsed, whole.output_parsed, streamed.output_parsed]).toEqual([person, person, person])
  })

  test.each(names)('a stream of Responses on %s is put together, and the next turn names it', async (upstream) => {
    const model = `on-${upstream}`
    const first = await client().responses.stream({ model, input: 'hello there' }).finalResponse()
    expect(first.output_text).toBe('You said: hello there')
    const second = await client().responses.create({ model, input: 'scenario recall', previous_response_id: first.id })
    expect(second.output_text).toContain('hello there')
    const again = await client().responses.retrieve(first.id)
    expect(again.output_text).toBe(first.output_text)
  })

  test.each(names)('a timeout and an abort on %s are the SDKs’ own errors', async (upstream) => {
    const body = { model: `on-${upstream}`, messages: [{ role: 'user' as const, content: 'scenario endless' }] }
    const late = await client()
      .chat.completions.create(body, { timeout: 300 })
      .catch((thrown: unknown) => thrown)
    expect(late).toBeInstanceOf(sdk.APIConnectionTimeoutError)
    const stream = client().chat.completions.stream({ ...body, stream: true })
    stream.once('content', () => stream.abort())
    expect(await stream.done().catch((thrown: unknown) => thrown)).toBeInstanceOf(sdk.APIUserAbortError)
  })

  test('models are listed', async () => {
    expect(await modelsOf(client().models.list())).toEqual(all)
  })
})

describe('@anthropic-ai/sdk', () => {
  const client = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
  const asked = (upstream: string) => ({
    model: `on-${upstream}`,
    max_tokens: 900,
    messages: [{ role: 'user' as const, content: 'How is it?' }],
  })
  const textOf = (content: readonly { type: string }[]) =>
    content.flatMap((block) => (block.type === 'text' && 'text' in block ? [String(block.text)] : [])).join('')

  test.each(names)('a tool runner on %s, whole and streamed', async (upstream) => {
    const tool = betaTool({ name: 'weather', description: 'Tells it', inputSchema: cityOf, run: weather })
    const whole = await client().beta.messages.toolRunner({ ...asked(upstream), tools: [tool] })
    expect(textOf(whole.content)).toBe(inParis)
    const runner = client().beta.messages.toolRunner({ ...asked(upstream), tools: [tool], stream: true })
    const said: string[] = []
    for await (const stream of runner) said.push(textOf((await stream.finalMessage()).content))
    expect(said.at(-1)).toBe(inParis)
  })

  test.each(names)('parsed outputs on %s, whole and streamed', async (upstream) => {
    const body = { ...asked(upstream), output_config: { format: jsonSchemaOutputFormat(schema) } }
    const whole = await client().messages.parse(body)
    expect(whole.parsed_output).toEqual(person)
    const streamed = await client().messages.stream(body).finalMessage()
    expect(streamed.parsed_output).toEqual(person)
  })

  test.each(names)('the stream helper on %s tells texts, and tokens are counted', async (upstream) => {
    const stream = client().messages.stream(asked(upstream))
    const pieces: string[] = []
    stream.on('text', (piece) => pieces.push(piece))
    expect(await stream.finalText()).toBe('You said: How is it?')
    expect(pieces.join('')).toBe('You said: How is it?')
    const { max_tokens: _, ...question } = asked(upstream)
    expect((await client().messages.countTokens(question)).input_tokens).toBeGreaterThan(0)
  })

  test('models are listed page by page', async () => {
    expect(await modelsOf(client().models.list({ limit: 3 }))).toEqual(all)
  })
})

describe('@google/genai', () => {
  const client = () => new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } })
  const calls = (): CallableTool => ({
    tool: async () => ({ functionDeclarations: [{ name: 'weather', description: 'Tells it', parametersJsonSchema: cityOf }] }),
    callTool: async (asked) =>
      asked.map(({ id, name, args }) => ({
        functionResponse: { ...(id && { id }), name: name ?? '', response: { output: weather({ city: String(args?.city) }) } },
      })),
  })

  test.each(names)('functions are called by the SDK on %s', async (upstream) => {
    const { text } = await client().models.generateContent({
      model: `on-${upstream}`,
      contents: 'How is it?',
      config: { tools: [calls()], toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } } },
    })
    expect(text).toContain('sunny in Paris')
  })

  test.each(names)('a chat on %s remembers, whole and streamed, and gives the shape that it is asked for', async (upstream) => {
    const chat = client().chats.create({ model: `on-${upstream}` })
    expect((await chat.sendMessage({ message: 'hello there' })).text).toBe('You said: hello there')
    const pieces: string[] = []
    for await (const { text } of await chat.sendMessageStream({ message: 'scenario recall' })) pieces.push(text ?? '')
    expect(pieces.join('')).toContain('user: hello there')
    const config = { responseMimeType: 'application/json', responseJsonSchema: schema }
    const shaped = await client().models.generateContent({ model: `on-${upstream}`, contents: 'Who?', config })
    expect(JSON.parse(shaped.text ?? '')).toEqual(person)
    expect((await client().models.countTokens({ model: `on-${upstream}`, contents: 'hello there' })).totalTokens).toBeGreaterThan(0)
  })

  test('models are listed page by page', async () => {
    expect(await modelsOf(await client().models.list({ config: { pageSize: 3 } }))).toEqual(all)
  })
})
