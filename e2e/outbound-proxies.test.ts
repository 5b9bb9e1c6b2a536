/** Outbound proxies from outside: declared, entered, hidden, refused, and used by requests, tests and realtime sessions. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type ScriptedProxy, scriptedProxy } from '#testing/upstream/scripted-proxy'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { selfSigned } from '#testing/upstream/self-signed'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

/** Unreachable (RFC 5737): a connection to it went through a proxy. */
const nowhere = '203.0.113.7'
/** Credentials that must not be seen again. */
const secret = 'proxy-password-4711'

let gateway: Gateway
let vendor: ScriptedUpstream
let realtime: ReturnType<typeof realtimeVendor>
let shared: ScriptedProxy
let own: ScriptedProxy
let talking: ScriptedProxy
const portOf = ({ url }: { url: string }) => Number(new URL(url).port)

beforeAll(async () => {
  vendor = await scriptedUpstream(chatVendor({ models: ['by-shared', 'by-own', 'near'] }))
  realtime = realtimeVendor()
  shared = await scriptedProxy(portOf(vendor), { kind: 'http' })
  own = await scriptedProxy(portOf(vendor), { kind: 'socks5', user: 'parley', password: secret })
  talking = await scriptedProxy(portOf(realtime), { kind: 'http' })
  const ownUrl = own.url.replace('://', `://parley:${secret}@`)
  const config = `
channels:
  - { name: shared, vendor: openai-compatible, baseUrl: 'http://${nowhere}/v1', keys: [sk-vendor], models: [by-shared] }
  - { name: own, vendor: openai-compatible, baseUrl: 'http://${nowhere}/v1', keys: [sk-vendor], models: [by-own], proxy: '${ownUrl}' }
  - { name: near, vendor: openai-compatible, baseUrl: '${vendor.url}/v1', keys: [sk-vendor], models: [near] }
  - { name: talking, vendor: openai, baseUrl: 'http://${nowhere}', keys: [sk-vendor], models: [gpt-realtime], proxy: '${talking.url}' }
prices:
  by-shared: { input: '1', output: '2' }
  by-own: { input: '1', output: '2' }
  near: { input: '1', output: '2' }
  gpt-realtime: { input: '1', output: '2' }
`
  const environment = { PARLEY_PROXY: shared.url, HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' }
  gateway = await startGateway(sampledEngine(import.meta.file), { config, env: environment })
}, 60_000)
afterAll(async () => {
  await gateway?.close()
  for (const one of [shared, own, talking, vendor, realtime]) await one?.close()
})

const ask = (model: string) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  }).then(async (answer) => ({ status: answer.status, body: (await answer.json()) as { error?: { message: string; code: string } } }))

const channelNamed = async (name: string) => {
  const { data } = await gateway.admin.call<{ data: { id: string; name: string; proxy: string }[] }>('GET', '/api/channels?limit=200')
  const found = data.find((channel) => channel.name === name)
  if (found === undefined) throw new Error(`no channel ${name}`)
  return found
}

test('a channel uses its own proxy, else that of all; one on this machine uses none', async () => {
  for (const model of ['by-shared', 'by-own', 'near']) expect((await ask(model)).status).toBe(200)
  expect([shared.asked, own.asked]).toEqual([[`${nowhere}:80`], [`${nowhere}:80`]])
  expect(own.credentials).toEqual([`parley:${secret}`])
})

test('the channel test takes the same way', async () => {
  const before = own.accepted
  const { id } = await channelNamed('own')
  expect(await gateway.admin.call('POST', `/api/channels/${id}/test`, { model: 'by-own' })).toMatchObject({ ok: true })
  expect(own.asked.length).toBeGreaterThanOrEqual(before)
  expect(new Set(own.asked)).toEqual(new Set([`${nowhere}:80`]))
})

test('a realtime session takes the same way', async () => {
  const client = await realtimeClient(`${gateway.url}/v1/realtime?model=gpt-realtime`, [], { authorization: `Bearer ${gateway.key}` })
  try {
    expect(talking.asked).toEqual([`${nowhere}:80`])
    expect(realtime.asked.length).toBe(1)
  } finally {
    client.socket.close()
  }
})

test('credentials are never shown again, and a proxy is not exchanged under the keys', async () => {
  const shown = await gateway.admin.call<{ data: object[] }>('GET', '/api/channels?limit=200')
  const audit = await gateway.admin.call('GET', '/api/audit')
  expect(JSON.stringify([shown, audit])).not.toContain(secret)
  expect((await channelNamed('own')).proxy).toBe(`socks5://hidden ...4711@127.0.0.1:${own.port}`)
  const proxy = `http://u:${secret}@127.0.0.1:9/`
  const made = await gateway.channel('console', `http://${nowhere}/v1`, { models: ['of-the-console'], proxy })
  const patch = (fields: object) => gateway.admin.raw('PATCH', `/api/channels/${made.id}`, fields)
  const keys = ['sk-again']
  expect((await patch({ proxy: 'http://hidden ...4711@127.0.0.1:9/' })).status).toBe(200)
  expect(await refusal(patch({ proxy: 'http://evil.example:1' }))).toEqual(['key_required', 'keys'])
  expect(await refusal(patch({ proxy: 'http://hidden ...4711@evil.example:1', keys }))).toEqual(['invalid_value', 'proxy'])
  expect(await refusal(patch({ proxy: 'http://169.254.169.254:80', keys }))).toEqual(['invalid_value', 'proxy'])
  const { cert } = selfSigned('authority.example')
  expect(await refusal(patch({ tls: { ca: cert } }))).toEqual(['key_required', 'keys'])
  expect(await refusal(patch({ tls: { cert, key: selfSigned('other.example').key } }))).toEqual(['invalid_value', 'tls.key'])
  expect((await patch({ proxy: 'direct' })).status).toBe(200)
  expect(await (await patch({ proxy: '' })).json()).toMatchObject({ proxy: '' })
})

async function refusal(answer: Promise<Response>): Promise<unknown[]> {
  const { error } = (await (await answer).json()) as { error: { code: string; param: string } }
  return [error?.code, error?.param]
}

test('who calls is told that the proxy failed', async () => {
  await own.close()
  const { status, body } = await ask('by-own')
  expect([status, body.error]).toMatchObject([502, { code: 'upstream_error', message: 'The outbound proxy could not be reached.' }])
})
