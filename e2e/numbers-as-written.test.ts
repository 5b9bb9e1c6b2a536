/** Numbers in what Parley writes anew for sessions (tools, history) go out as their client wrote them: digits and form. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { onEvent, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

const parameters = '{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807,"multipleOf":1.0,"default":1e3}}}'

let upstream: ScriptedUpstream
let vendor: RealtimeVendor
let gateway: Gateway
beforeAll(async () => {
  upstream = await scriptedUpstream()
  vendor = realtimeVendor((call) =>
    onEvent(call, (event) => {
      if (event.setup) void call.send(new TextEncoder().encode('{"setupComplete":{}}'))
    }),
  )
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  await gateway.channel('talk', vendor.url, { models: ['gpt-realtime'] })
  await gateway.channel('live', vendor.url, { vendor: 'gemini', models: ['gemini-live'] })
  await gateway.channel('responses', upstream.url, { vendor: 'openai', speaks: ['responses'], models: ['gpt-test'] })
  for (const name of ['gpt-realtime', 'gemini-live', 'gpt-test']) await gateway.price(name)
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await vendor?.close()
  await upstream?.close()
})

const post = async (path: string, body: string) => {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
  const response = await fetch(gateway.url + path, { method: 'POST', headers, body })
  return response.text()
}
const live = (method: string) => `${gateway.url}/ws/google.ai.generativelanguage.v1alpha.GenerativeService.${method}`

test('of a session that a client secret sets up, and in the answer for it', async () => {
  const session = `{"type":"realtime","model":"gpt-realtime","tools":[{"type":"function","name":"look","parameters":${parameters}}]}`
  const answer = await post('/v1/realtime/client_secrets', `{"expires_after":{"seconds":60.0},"session":${session}}`)
  expect(answer).toContain(parameters)
  const number = vendor.calls.length
  const browser = await realtimeClient(`${gateway.url}/v1/realtime`, ['realtime', `openai-insecure-api-key.${JSON.parse(answer).value}`])
  const call = await vendor.call(number)
  await call.received(1)
  expect(String(call.frames[0])).toContain(parameters)
  browser.socket.close()
  await browser.closed
})

test.each([
  ['that a token sets up', '', '{"setup":{}}'],
  [
    'of which a token sets a part',
    ',"fieldMask":"generationConfig.temperature"',
    `{"setup":{"tools":[{"functionDeclarations":[{"name":"look","parameters":${parameters}}]}]}}`,
  ],
  [
    'whose client has a number where the token sets a field',
    ',"fieldMask":"tools,generationConfig.temperature"',
    '{"setup":{"generationConfig":1.0}}',
  ],
])('of a live session %s', async (_, mask, frame) => {
  const tools = `[{"functionDeclarations":[{"name":"look","parameters":${parameters}}]}]`
  const setup = `{"model":"models/gemini-live","generationConfig":{"temperature":1.0},"tools":${tools}}`
  const fields = mask === '' ? '' : mask.replace('":"', '":"model,')
  const { name } = JSON.parse(await post('/v1alpha/auth_tokens', `{"uses":1.0,"bidiGenerateContentSetup":${setup}${fields}}`))
  const number = vendor.calls.length
  const client = await realtimeClient(`${live('BidiGenerateContentConstrained')}?access_token=${name}`)
  client.send(frame)
  const call = await vendor.call(number)
  await call.received(1)
  expect(String(call.frames[0])).toContain(parameters)
  expect(String(call.frames[0])).toContain('"temperature":1.0')
  client.socket.close()
  await client.closed
})

test('of turns over a WebSocket, and of what the next turn continues', async () => {
  const told = (type: string, fields: string) => `event: ${type}\ndata: {"type":"${type}",${fields}}\n\n`
  const called = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"look","arguments":"{}","status":"completed","odd":1.0,"id_of":12345678901234567890}`
  const response = (status: string, output: string, usage: string) =>
    `"response":{"id":"resp_1","object":"response","created_at":1,"model":"gpt-test","status":"${status}","output":[${output}],"usage":${usage}}`
  const usage = '{"input_tokens":5,"output_tokens":5,"total_tokens":10}'
  const script = () =>
    stream([
      told('response.created', `"sequence_number":0,${response('in_progress', '', 'null')}`),
      told('response.completed', `"sequence_number":1,${response('completed', ` ${called} `, usage)}`),
    ])
  const client = await realtimeClient(`${gateway.url}/v1/responses`, [], { authorization: `Bearer ${gateway.key}` })
  let seen = 0
  async function turn(fields: string) {
    upstream.next(script())
    client.send(`{ "type": "response.create", "model":"gpt-test", "store": false, ${fields} }`)
    for (;;) {
      await client.received(seen + 1)
      const event = JSON.parse(String(client.frames[seen++]))
      if (event.type === 'response.completed') return upstream.requests.at(-1)?.text() ?? ''
      if (event.type === 'error') throw new Error(JSON.stringify(event))
    }
  }
  const tools = `"tools": [{"type":"function","name":"look","parameters":${parameters}}]`
  const first = await turn(`"generate": true, "stream_id": "a", "background": false, ${tools}, "input": "go"`)
  expect(first).toContain(tools)
  expect(JSON.parse(first)).toMatchObject({ stream: true, input: 'go' })
  for (const field of ['type', 'generate', 'stream_id', 'background']) expect(JSON.parse(first)).not.toHaveProperty(field)
  const result = '{"type":"function_call_output","call_id":"call_1","output":"ok","weight":2.0}'
  const second = await turn(`${tools}, "previous_response_id": "resp_1", "input": [${result}]`)
  const items = ['{"type":"message","role":"user","content":"go"}', called, result]
  expect(second).toContain(`"input": [${items.join(',')}]`)
  expect(second).toContain(tools)
  expect(second).not.toContain('previous_response_id')
  expect(await turn('"previous_response_id": "resp_1"')).toContain(`"input":[${[...items, called].join(',')}]`)
  client.socket.close()
  await client.closed
})
