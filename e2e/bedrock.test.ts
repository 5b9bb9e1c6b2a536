/** Models in Amazon Bedrock that are not Claude, through Converse, for clients of every dialect, whole and streamed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { converseEvent } from '#testing/upstream/event-stream-frames'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

const model = 'us.amazon.nova-lite-v1:0'
let aws: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  aws = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('bedrock', aws.url, {
    vendor: 'bedrock',
    keys: ['AKIDEXAMPLE:secret'],
    models: [model],
    options: { region: 'us-east-1' },
  })
  await gateway.price(model)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await aws?.close()
})

type Json = Record<string, unknown>
const usage = { inputTokens: 13, outputTokens: 2, serverToolUsage: {}, totalTokens: 15 }
const whole = respondJson(200, {
  metrics: { latencyMs: 391 },
  output: { message: { role: 'assistant', content: [{ text: 'Paris.' }] } },
  stopReason: 'end_turn',
  usage,
})
const streamed = () =>
  stream(
    [
      converseEvent('messageStart', { role: 'assistant' }),
      converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Par' } }),
      converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'is.' } }),
      converseEvent('contentBlockStop', { contentBlockIndex: 0 }),
      converseEvent('messageStop', { stopReason: 'end_turn' }),
      converseEvent('metadata', { metrics: { latencyMs: 391 }, usage }),
    ],
    { headers: { 'content-type': 'application/vnd.amazon.eventstream' } },
  )

const messages = [{ role: 'user', content: 'What is the capital of France?' }]
const dialects: [string, string, Json, RegExp][] = [
  ['chat', '/v1/chat/completions', { model, messages }, /"prompt_tokens":13/],
  ['messages', '/v1/messages', { model, messages, max_tokens: 50 }, /"input_tokens":13/],
  ['responses', '/v1/responses', { model, input: 'What is the capital of France?' }, /"input_tokens":13/],
  [
    'gemini',
    `/v1beta/models/${encodeURIComponent(model)}`,
    { contents: [{ role: 'user', parts: [{ text: 'What is the capital of France?' }] }] },
    /"promptTokenCount":13/,
  ],
]

test.each(dialects)('%s', async (dialect, path, body, counted) => {
  for (const isStream of [false, true]) {
    aws.next(isStream ? streamed() : whole)
    const gemini = isStream ? ':streamGenerateContent?alt=sse' : ':generateContent'
    const answer = await fetch(gateway.url + path + (dialect === 'gemini' ? gemini : ''), {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        ...body,
        ...(dialect !== 'gemini' && { stream: isStream }),
        ...(dialect === 'chat' && isStream && { stream_options: { include_usage: true } }),
      }),
    })
    const text = await answer.text()
    expect([dialect, isStream, answer.status, text]).toEqual([dialect, isStream, 200, expect.stringMatching(counted)])
    if (!isStream) expect(text).toContain('Paris.')
    const sent = aws.requests.at(-1)
    expect(sent?.target).toBe(`/model/${encodeURIComponent(model)}/${isStream ? 'converse-stream' : 'converse'}`)
    expect(sent?.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1]).toStartWith(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/',
    )
    expect(sent?.json() as Json).toEqual({
      messages: [{ role: 'user', content: [{ text: 'What is the capital of France?' }] }],
      ...(dialect === 'messages' && { inferenceConfig: { maxTokens: 50 } }),
    })
  }
})

test('a limit of the service is a limit, a model that is refused is not the caller’s', async () => {
  const ask = () =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages }),
    })
  aws.next(respondJson(429, { __type: 'ThrottlingException', message: 'Rate exceeded' }))
  expect((await ask()).status).toBe(429)
  aws.next(respondJson(400, { __type: 'ValidationException', message: 'The text field in the ContentBlock object is blank.' }))
  const refused = await ask()
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('blank')])
})
