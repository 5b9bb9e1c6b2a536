/** Details in an upstream's errors do not reach callers: its channel's keys, headers, address, accounts and paths. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const secrets = {
  key: 'plain-words-as-key',
  header: 'team-seven-internal',
  project: 'skunkworks',
  path: '/opt/llm/models/secret.gguf',
  account: 'arn:aws:iam::123456789012:role/gateway',
}
let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('only', `${upstream.url}/tenant-blue`, {
    keys: [secrets.key],
    headers: { 'x-team': secrets.header },
    options: { project: secrets.project },
    speaks: ['chat', 'messages'],
  })
  await gateway.price(testModel)
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const message = () => `Bad: ${Object.values(secrets).join(' | ')} | ${upstream.url}/tenant-blue | ${secrets.key.toUpperCase()} |`
const said = { error: { message: '', type: 'invalid_request_error', param: null, code: 'bad' } }
const ask = (path: string, body: object) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: testModel, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...body }),
  })

test.each([
  ['chat, whole', '/v1/chat/completions', {}],
  ['chat, streamed', '/v1/chat/completions', { stream: true }],
  ['messages', '/v1/messages', {}],
])(
  '%s',
  async (_, path, body) => {
    const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] })}\n\n`
    const broken = { error: { ...said.error, message: message() } }
    for (const script of [
      respondJson(400, broken),
      respondJson(500, broken),
      stream([`data: ${JSON.stringify(broken)}\n\n`]),
      stream([piece, `data: ${JSON.stringify(broken)}\n\n`]),
    ]) {
      await gateway.heal()
      upstream.answer(script)
      const answer = await ask(path, body)
      const text = await answer.text()
      for (const secret of [...Object.values(secrets), new URL(upstream.url).host, 'tenant-blue', secrets.key.toUpperCase()])
        expect([text, text.includes(secret)]).toEqual([text, false])
      const row = await gateway.log(answer.headers.get('x-request-id') ?? '')
      for (const secret of [secrets.key, secrets.header]) expect(JSON.stringify(row)).not.toContain(secret)
    }
  },
  30_000,
)
