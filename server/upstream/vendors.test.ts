/** Each vendor over real TCP: the URL, the authentication, and the body of the request. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { systemClock } from '#runtime/clock'
import type { Dialect, VendorId } from '#shared/ids'
import { handClock } from '#testing/hand-clock'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { authHeaders, schemeOf } from '#vendors/auth'
import { vendors } from '#vendors/index'
import { createEventStreamSplitter } from '#wire/event-stream'
import { withQuirk } from './apply-quirk.ts'
import { createHttpUpstream } from './http.ts'
import { createSigner } from './sign.ts'
import type { UpstreamAnswer } from './upstream.ts'

const never = new AbortController().signal
const upstream = createHttpUpstream(() => undefined, systemClock)
const signer = createSigner({ upstream, clock: handClock(Date.UTC(2026, 10, 20)) })

let server: ScriptedUpstream
beforeEach(async () => {
  server = await scriptedUpstream(respondJson(200, {}))
})
afterEach(() => server.close())

interface Sending {
  dialect: Dialect
  secret: string
  options?: Record<string, string>
  headers?: Record<string, string>
  stream?: boolean
  model?: string
}

const body = '{"model":"m","stream":true,"x":1.0}'

async function send(
  id: VendorId,
  { dialect, secret, options = {}, headers = {}, stream = true, model = 'm' }: Sending,
): Promise<UpstreamAnswer> {
  const vendor = vendors[id]
  const scheme = schemeOf(vendor, dialect)
  const url = vendor.endpoint(server.url, { operation: 'generate', dialect, model, stream, options })
  const request = {
    method: 'POST' as const,
    url,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers, ...authHeaders(scheme, secret) },
    body,
  }
  const signed = await signer.sign(withQuirk(request, vendor.body?.[dialect]), { scheme, secret, options }, never)
  return upstream.open(signed, never)
}

const cases: [VendorId, Sending, target: string, credential: [name: string, value: string | RegExp], sent: string][] = [
  ['openai', { dialect: 'chat', secret: 'k' }, '/v1/chat/completions', ['authorization', 'Bearer k'], body],
  ['anthropic', { dialect: 'messages', secret: 'k' }, '/v1/messages', ['x-api-key', 'k'], body],
  ['gemini', { dialect: 'gemini', secret: 'k' }, '/v1beta/models/m:streamGenerateContent?alt=sse', ['x-goog-api-key', 'k'], body],
  ['azure-openai', { dialect: 'responses', secret: 'k' }, '/openai/v1/responses', ['api-key', 'k'], body],
  ['deepseek', { dialect: 'messages', secret: 'k' }, '/anthropic/v1/messages', ['x-api-key', 'k'], body],
  ['ollama', { dialect: 'messages', secret: 'k' }, '/v1/messages', ['authorization', 'Bearer k'], body],
  ['parley', { dialect: 'gemini', secret: 'k' }, '/v1beta/models/m:streamGenerateContent?alt=sse', ['authorization', 'Bearer k'], body],
  [
    'bedrock',
    { dialect: 'messages', secret: 'AKID:secret', options: { region: 'us-east-1' }, model: 'anthropic.claude-m' },
    '/model/anthropic.claude-m/invoke-with-response-stream',
    ['authorization', /^AWS4-HMAC-SHA256 Credential=AKID\/20261120\/us-east-1\/bedrock\/aws4_request, /],
    '{"x":1.0,"anthropic_version":"bedrock-2023-05-31"}',
  ],
]

test.each(cases)('%s %p', async (id, sending, target, [name, value], sent) => {
  const answer = await send(id, sending)
  answer.cancel()
  const arrived = await server.received(0)
  expect(arrived.target).toBe(target)
  expect(arrived.header(name)).toEqual(typeof value === 'string' ? value : expect.stringMatching(value))
  expect(arrived.text()).toBe(sent)
  const carriers = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'].filter((carrier) => arrived.header(carrier) !== undefined)
  expect(carriers).toEqual([name])
  expect(arrived.target).not.toContain('secret')
})

describe('Bedrock', () => {
  function chunk(json: string): Buffer {
    const header = (name: string, value: string) =>
      Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7, 0, value.length]), Buffer.from(value)])
    const head = Buffer.concat([header(':message-type', 'event'), header(':event-type', 'chunk')])
    const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(json).toString('base64') }))
    const message = Buffer.alloc(16 + head.length + payload.length)
    message.writeUInt32BE(message.length, 0)
    message.writeUInt32BE(head.length, 4)
    message.writeUInt32BE(crc32(message.subarray(0, 8)), 8)
    head.copy(message, 12)
    payload.copy(message, 12 + head.length)
    message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4)
    return message
  }

  const events = ['{"type":"message_start"}', '{"type":"message_stop","amazon-bedrock-invocationMetrics":{}}']
  const bytes = Buffer.concat(events.map(chunk))
  const headers = { 'Content-Type': 'application/vnd.amazon.eventstream' }
  const sending: Sending = {
    dialect: 'messages',
    secret: 'AKID:secret',
    options: { region: 'us-east-1' },
    headers: { 'anthropic-beta': 'a,b' },
    model: 'anthropic.claude-m',
  }

  async function frames(answer: UpstreamAnswer): Promise<(string | undefined)[]> {
    const splitter = createEventStreamSplitter()
    const read: (string | undefined)[] = []
    for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
      read.push(...splitter.push(piece).map((frame) => frame.event))
    }
    return [...read, ...splitter.end().map((frame) => frame.event)]
  }

  test('a binary stream in odd pieces is the Messages stream that it stands for', async () => {
    server.answer(stream([bytes.subarray(0, 7), bytes.subarray(7, 130), bytes.subarray(130)], { headers }))
    expect(await frames(await send('bedrock', sending))).toEqual(['message_start', 'message_stop'])
    const arrived = await server.received(0)
    expect(arrived.json()).toMatchObject({ anthropic_beta: ['a', 'b'] })
    expect([arrived.header('accept'), arrived.header('anthropic-beta')]).toEqual(['*/*', undefined])
  })

  test('a stream that is cut in the middle of a message is an error', async () => {
    server.answer(stream([bytes.subarray(0, -3)], { headers }))
    await expect(frames(await send('bedrock', sending))).rejects.toMatchObject({ code: 'upstream_error' })
  })

  test('one operation for streams, another without', async () => {
    const answer = await send('bedrock', { ...sending, stream: false })
    answer.cancel()
    expect((await server.received(0)).target).toBe('/model/anthropic.claude-m/invoke')
  })
})
