/** What broke real clients when it was found from outside, and needs a whole gateway to be seen (docs/mapping.md 5). */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('responses', upstream.url, { vendor: 'openai', speaks: ['responses'], models: ['gpt-5'] })
  await gateway.channel('messages', upstream.url, { vendor: 'anthropic', models: ['claude-x'] })
  for (const model of ['gpt-5', 'claude-x']) await gateway.price(model)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 }
const response = (id: string, output: object[]) => ({
  ...{ id, object: 'response', created_at: 1, status: 'completed', model: 'gpt-5', error: null, incomplete_details: null },
  ...{ output, usage },
})
const content = [{ type: 'output_text', text: 'Sunny.', annotations: [], logprobs: [] }]
const said = (id: string) => ({ type: 'message', id, status: 'completed', role: 'assistant', content })

/** Two steps of a tool loop with the SDK as it comes; answers the items of the second request. */
async function twoSteps(model: string): Promise<{ text: string; input: Record<string, unknown>[] }> {
  const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key })
  const weather = tool({
    inputSchema: jsonSchema<{ at: string }>({ type: 'object', properties: { at: { type: 'string' } } }),
    execute: () => 'sun',
  })
  const { text } = await generateText({ model: openai.responses(model), prompt: 'Weather?', tools: { weather }, stopWhen: stepCountIs(2) })
  const body = upstream.requests.at(-1)?.json() as Record<string, Record<string, unknown>[]>
  return { text, input: body.input ?? body.messages ?? [] }
}

test('the AI SDK with its default settings goes on from step to step, on a channel of its dialect and on another', async () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [] }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"at":"here"}', status: 'completed' }
  upstream.next(respondJson(200, response('resp_1', [thought, said('msg_1'), call])), respondJson(200, response('resp_2', [said('msg_2')])))
  const native = await twoSteps('gpt-5')
  expect([native.text, native.input.map(({ type }) => type)]).toEqual([
    'Sunny.',
    [undefined, 'item_reference', 'item_reference', 'function_call', 'function_call_output'],
  ])

  const message = (content: object[], stop_reason: string) =>
    respondJson(200, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content,
      stop_reason,
      stop_sequence: null,
      usage,
    })
  upstream.next(
    message([{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { at: 'here' } }], 'tool_use'),
    message([{ type: 'text', text: 'Sunny.' }], 'end_turn'),
  )
  const elsewhere = await twoSteps('claude-x')
  expect([elsewhere.text, elsewhere.input.map(({ role }) => role)]).toEqual(['Sunny.', ['user', 'assistant', 'user']])
  expect(JSON.stringify(elsewhere.input)).toContain('"tool_use_id":"toolu_1"')
})

const events = (...all: { type: string; [field: string]: unknown }[]) =>
  all.map((event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`)

test('stop sequences that the upstream does not take end the answer here, and leave the upstream', async () => {
  const place = { output_index: 0, content_index: 0, item_id: 'msg_1' }
  const delta = (text: string) => ({ type: 'response.output_text.delta', ...place, delta: text, logprobs: [] })
  const begun = { ...response('resp_3', []), status: 'in_progress', usage: null }
  upstream.next(
    stream(
      events(
        { type: 'response.created', response: begun },
        { type: 'response.output_item.added', output_index: 0, item: { ...said('msg_1'), status: 'in_progress', content: [] } },
        { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '', annotations: [], logprobs: [] } },
        ...[delta('One, tw'), delta('o, ST'), delta('OP, three')],
      ),
      { ending: 'hang' },
    ),
  )
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      ...{ model: 'gpt-5', max_tokens: 99, stream: true, stop_sequences: ['STOP'] },
      messages: [{ role: 'user', content: 'Count.' }],
    }),
  })
  const frames = (await answer.text()).split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
  const words = frames.map((frame) => frame.delta?.text ?? '').join('')
  expect([answer.status, words, upstream.requests.at(-1)?.json()]).toEqual([
    200,
    'One, two, ',
    expect.not.objectContaining({ stop: ['STOP'] }),
  ])
  expect(frames.find(({ type }) => type === 'message_delta').delta).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'STOP' })
  await upstream.exchanges.at(-1)?.gone
})
