/** Cached contents in Google's cloud with the calls of its SDK: created in the project, named as in the API, owned, charged. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { GoogleGenAI } from '@google/genai'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

const place = 'projects/acme/locations/europe-west4'
const upstreamModel = `${place}/publishers/google/models/gemini-2.5-flash`
const made = new Map<string, Record<string, unknown>>()
let cloud: ScriptedUpstream
let tokens: ReturnType<typeof Bun.serve>
let gateway: Gateway

const vertex: Script = (exchange) => {
  const { method, target, header } = { ...exchange.request, header: exchange.request.header.bind(exchange.request) }
  if (header('authorization') !== 'Bearer ya29.token')
    return respondJson(401, { error: { code: 401, status: 'UNAUTHENTICATED' } })(exchange)
  const path = target.replace(/\?.*$/, '').replace(/^\/v1\//, '')
  if (path.endsWith(':generateContent')) {
    const { cachedContent } = exchange.request.json() as { cachedContent?: string }
    if (cachedContent !== undefined && !made.has(cachedContent))
      return respondJson(404, { error: { code: 404, message: 'No cache.' } })(exchange)
    return respondJson(200, {
      candidates: [{ content: { role: 'model', parts: [{ text: 'read' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1010, cachedContentTokenCount: 1000, candidatesTokenCount: 2, totalTokenCount: 1012 },
    })(exchange)
  }
  const body = exchange.request.body.length > 0 ? (exchange.request.json() as Record<string, unknown>) : {}
  if (path === `${place}/cachedContents` && method === 'POST') {
    if (body.model !== upstreamModel) return respondJson(400, { error: { code: 400, message: 'Which model?' } })(exchange)
    const name = `${place}/cachedContents/${100 + made.size}`
    const cache = { name, model: upstreamModel, displayName: body.displayName, usageMetadata: { totalTokenCount: 1000 } }
    made.set(name, cache)
    return respondJson(200, cache)(exchange)
  }
  const cache = made.get(path)
  if (!cache) return respondJson(404, { error: { code: 404, status: 'NOT_FOUND', message: 'No such cache.' } })(exchange)
  if (method === 'PATCH') Object.assign(cache, body)
  if (method === 'DELETE') made.delete(path)
  return respondJson(200, method === 'DELETE' ? {} : cache)(exchange)
}

beforeAll(async () => {
  cloud = await scriptedUpstream(vertex)
  tokens = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch: () => Response.json({ access_token: 'ya29.token', expires_in: 3600, token_type: 'Bearer' }),
  })
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const account = { client_email: 'parley@acme.example', private_key: privateKey, token_uri: `http://127.0.0.1:${tokens.port}/token` }
  await gateway.channel('vertex', cloud.url, {
    ...{ vendor: 'vertex', keys: [JSON.stringify(account)], options: { project: 'acme', region: 'europe-west4' } },
    models: [{ name: 'flash', upstream: 'gemini-2.5-flash' }],
  })
  await gateway.price('flash', { input: '1', output: '2', cacheRead: '0.1' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await cloud?.close()
  await tokens?.stop(true)
})

const clientOf = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } })
const refusal = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: { status: number }) => thrown.status,
  )

test('a cache is made, used, changed, listed and deleted by its owner, and charged for its tokens', async () => {
  const { caches, models } = clientOf(gateway.key)
  const cache = await caches.create({ model: 'flash', config: { contents: 'again and again', displayName: 'mine' } })
  const name = cache.name ?? ''
  expect(cache).toMatchObject({ name: 'cachedContents/100', model: 'models/flash', usageMetadata: { totalTokenCount: 1000 } })
  const { data } = await gateway.admin.call<{ data: object[] }>('GET', '/api/logs?model=flash&limit=1')
  expect(data[0]).toMatchObject({ operation: 'state', cost: '0.001', model: 'flash', usage: { in: { fresh: 1000 } } })
  const answer = await models.generateContent({ model: 'flash', contents: 'hi', config: { cachedContent: name } })
  expect(answer.text).toBe('read')
  expect(cloud.requests.findLast(({ target }) => target.includes(':generateContent'))?.json()).toMatchObject({
    cachedContent: `${place}/cachedContents/100`,
  })
  expect(await caches.update({ name, config: { ttl: '60s' } })).toMatchObject({ name, ttl: '60s', model: 'models/flash' } as never)
  expect(cloud.requests.findLast(({ method }) => method === 'PATCH')?.target).toStartWith(`/v1/${place}/cachedContents/100`)
  expect(await caches.get({ name })).toMatchObject({ name, model: 'models/flash' })
  const listed: unknown[] = []
  for await (const one of await caches.list()) listed.push(one.name)
  expect(listed).toEqual([name])
  const { key } = await gateway.user('eve', '5')
  const eve = clientOf(key)
  expect(await refusal(eve.caches.get({ name }))).toBe(404)
  expect(await refusal(eve.models.generateContent({ model: 'flash', contents: 'hi', config: { cachedContent: name } }))).toBe(404)
  expect(
    await refusal(models.generateContent({ model: 'flash', contents: 'hi', config: { cachedContent: `${place}/cachedContents/100` } })),
  ).toBe(404)
  await caches.delete({ name })
  expect(await refusal(caches.get({ name }))).toBe(404)
  expect(await refusal(models.generateContent({ model: 'flash', contents: 'hi', config: { cachedContent: name } }))).toBe(404)
})
