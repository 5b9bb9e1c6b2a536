/**
 * What Parley itself answers, beside the types that the SDKs declare: lists and facts of models, kept responses, and answers converted from
 * every other dialect. Each field that a type requires must be there.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { faultsIn } from '#testing/walk/conforms'
import { sdkImports } from '#testing/walk/requests'
import { sdkTypes } from '#testing/walk/sdk-types'
import { type Gateway, startGateway } from './support/gateway.ts'

const types = await sdkTypes(sdkImports, {
  openaiModels: '{ object: "list", data: OpenAI.Models.Model[] }',
  openaiModel: 'OpenAI.Models.Model',
  anthropicModels: '{ data: Anthropic.Models.ModelInfo[], has_more: boolean, first_id: string | null, last_id: string | null }',
  anthropicModel: 'Anthropic.Models.ModelInfo',
  // Of Google's types every field is optional: what its SDK cannot do without.
  googleModels: '{ models: { name: string, supportedGenerationMethods: string[] }[] }',
  googleModel: '{ name: string, supportedGenerationMethods: string[] }',
  response: 'OpenAI.Responses.Response',
  items: '{ object: "list", data: OpenAI.Responses.ResponseItem[], first_id: string, last_id: string, has_more: boolean }',
  chat: 'OpenAI.Chat.ChatCompletion',
  completions: 'OpenAI.Completion',
  messages: 'Anthropic.Messages.Message',
})
type Name = keyof typeof types

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

const google = () => ({ 'x-goog-api-key': gateway.key })
const anthropic = () => ({ 'x-api-key': gateway.key, 'anthropic-version': '2023-06-01' })
const openai = () => ({ authorization: `Bearer ${gateway.key}` })

async function asked(path: string, headers: Record<string, string>, init: RequestInit = {}) {
  const answer = await fetch(`${gateway.url}${path}`, { ...init, headers: { ...headers, 'content-type': 'application/json' } })
  const body: unknown = await answer.json()
  expect([path, answer.status, answer.ok || body]).toEqual([path, 200, true])
  return body
}
/** What an SDK puts together by itself, and what OpenAI’s own answers have as null. */
const known = ['output_text is missing', 'user is null']
const faults = (name: Name, body: unknown) => faultsIn(body, types[name]).filter((fault) => !known.includes(fault))

test('models, listed and alone, in each vendor’s form', async () => {
  const found: [Name, unknown][] = [
    ['openaiModels', await asked('/v1/models', openai())],
    ['openaiModel', await asked('/v1/models/on-chat', openai())],
    ['anthropicModels', await asked('/v1/models', anthropic())],
    ['anthropicModel', await asked('/v1/models/on-chat', anthropic())],
    ['googleModels', await asked('/v1beta/models', google())],
    ['googleModel', await asked('/v1beta/models/on-chat', google())],
  ]
  expect(found.flatMap(([name, body]) => faults(name, body).map((fault) => `${name}: ${fault}`))).toEqual([])
})

test.each(Object.keys(upstreams))('answers of an upstream of %s, whole, and the response that is kept', async (upstream) => {
  const model = `on-${upstream}`
  const messages = [{ role: 'user', content: 'How is it?' }]
  const post = (path: string, headers: Record<string, string>, body: object) =>
    asked(path, headers, { method: 'POST', body: JSON.stringify({ model, ...body }) })
  const chat = await post('/v1/chat/completions', openai(), { messages })
  expect(faults('chat', chat)).toEqual([])
  expect(faults('completions', await post('/v1/completions', openai(), { prompt: 'How is it?' }))).toEqual([])
  expect(faults('messages', await post('/v1/messages', anthropic(), { messages, max_tokens: 100 }))).toEqual([])
  const made = await post('/v1/responses', openai(), { input: 'How is it?' })
  expect(faults('response', made)).toEqual([])
  const { id } = made as { id: string }
  expect(faults('response', await asked(`/v1/responses/${id}`, openai()))).toEqual([])
  expect(faults('items', await asked(`/v1/responses/${id}/input_items`, openai()))).toEqual([])
  await asked(`/v1/responses/${id}`, openai(), { method: 'DELETE' })
  expect((await fetch(`${gateway.url}/v1/responses/${id}`, { headers: openai() })).status).toBe(404)
})
