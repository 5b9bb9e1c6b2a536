/**
 * Objects in an upstream's account, with the calls of three SDKs, on vendors with two accounts each: made once, found again where they were
 * made, and not there for anybody else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { toFile } from 'openai'
import { sampledEngine } from '#testing/database/database'
import { respond, respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { anthropicObjects, geminiObjects, openaiObjects } from '#testing/vendors/objects-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
const upstreams: Record<string, ScriptedUpstream> = {}
const channels: Record<string, string> = {}
let ann: Awaited<ReturnType<Gateway['user']>>
let eve: Awaited<ReturnType<Gateway['user']>>
const keys = ['sk-first', 'sk-second']
const speech = respond(200, { 'content-type': 'audio/mpeg' }, Buffer.alloc(4000))

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  const responses = responsesVendor({ keys })
  upstreams.openai = await scriptedUpstream(
    openaiObjects((exchange) => (exchange.request.target.endsWith('/speech') ? speech : responses)(exchange)),
  )
  upstreams.anthropic = await scriptedUpstream(anthropicObjects())
  upstreams.gemini = await scriptedUpstream(geminiObjects(geminiVendor({ keys, models: ['gemini-2.5-flash'] })))
  const models = {
    openai: [
      { name: 'gpt', upstream: 'gpt-test' },
      { name: 'tts', upstream: 'gpt-4o-mini-tts' },
    ],
    anthropic: [{ name: 'claude', upstream: 'claude-opus-4-8' }],
    gemini: [{ name: 'flash', upstream: 'gemini-2.5-flash' }],
  }
  for (const [vendor, offered] of Object.entries(models)) {
    for (const { name } of offered) await gateway.price(name)
    const fields = { vendor, keys, models: offered }
    channels[vendor] = (await gateway.channel(vendor, upstreams[vendor]?.url ?? '', fields)).id
  }
  ann = await gateway.user('ann', '5')
  eve = await gateway.user('eve', '5')
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  for (const upstream of Object.values(upstreams)) await upstream.close()
})

const openai = (apiKey = ann.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
const anthropic = (apiKey = ann.key) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 })
const google = (apiKey = ann.key) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } })
const refusal = async (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => 'no refusal',
    (thrown: { status?: number; message: string }) => thrown,
  )
const collected = async <One>(pages: AsyncIterable<One>) => {
  const all: One[] = []
  for await (const one of pages) all.push(one)
  return all
}
/** The credentials of the requests that named this, in the order in which they came. */
const askedOf = (vendor: string, header: string, named: string) => [
  ...new Set(
    (upstreams[vendor]?.requests ?? []).filter((one) => `${one.target} ${one.text()}`.includes(named)).map((one) => one.header(header)),
  ),
]

describe('vector stores', () => {
  test('are made, listed in pages, changed, read and deleted by their owner, at the account that made them', async () => {
    const made = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.push(await openai().vectorStores.create({ name }))
    const theirs = await openai(eve.key).vectorStores.create({ name: 'of eve' })
    const seen = await collected(openai().vectorStores.list({ limit: 2 }))
    expect(seen.map(({ name }) => name)).toEqual(['e', 'd', 'c', 'b', 'a'])
    expect((await collected(openai().vectorStores.list({ limit: 2, order: 'asc' }))).map(({ name }) => name)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ])
    for (const { id } of made) {
      expect(await openai().vectorStores.update(id, { name: 'renamed' })).toMatchObject({ id, name: 'renamed' })
      expect(await openai().vectorStores.retrieve(id)).toMatchObject({ id, name: 'renamed', object: 'vector_store' })
      expect(askedOf('openai', 'authorization', id)).toHaveLength(1)
    }
    expect(new Set(made.flatMap(({ id }) => askedOf('openai', 'authorization', id))).size).toBeGreaterThan(0)
    const before = upstreams.openai?.requests.length
    for (const call of [
      () => openai().vectorStores.retrieve(theirs.id),
      () => openai().vectorStores.delete(theirs.id),
      () => openai().vectorStores.update(theirs.id, { name: 'taken' }),
      () => openai().vectorStores.search(theirs.id, { query: 'secrets' }),
      () => openai().vectorStores.files.list(theirs.id),
      () => openai().vectorStores.retrieve('vs_nobodys'),
    ]) {
      expect(await refusal(call())).toMatchObject({ status: 404, code: 'not_found' })
    }
    expect(upstreams.openai?.requests.length).toBe(before)
    expect(await openai().vectorStores.delete(made[0]?.id ?? '')).toMatchObject({ deleted: true })
    expect(await refusal(openai().vectorStores.retrieve(made[0]?.id ?? ''))).toMatchObject({ status: 404 })
    expect(await collected(openai().vectorStores.list())).toHaveLength(4)
  })

  test('take files that Parley keeps, copied once, and name them as their caller does', async () => {
    const client = openai()
    const store = await client.vectorStores.create({ name: 'with files' })
    const file = await client.files.create({ file: await toFile(Buffer.from('words'), 'a.txt'), purpose: 'assistants' })
    const held = await client.vectorStores.files.create(store.id, { file_id: file.id })
    expect(held).toMatchObject({ id: file.id, object: 'vector_store.file', status: 'completed' })
    expect(await client.vectorStores.files.retrieve(file.id, { vector_store_id: store.id })).toMatchObject({ id: file.id })
    const batch = await client.vectorStores.fileBatches.create(store.id, { file_ids: [file.id] })
    expect(await client.vectorStores.fileBatches.retrieve(batch.id, { vector_store_id: store.id })).toMatchObject({ status: 'completed' })
    expect((await collected(client.vectorStores.files.list(store.id))).map(({ id }) => id)).toEqual([file.id])
    expect((await collected(client.vectorStores.search(store.id, { query: 'words' }))).map((one) => one.file_id)).toEqual([file.id])
    const uploads = upstreams.openai?.requests.filter(({ target }) => target === '/v1/files') ?? []
    expect(uploads).toHaveLength(1)
    expect(uploads[0]?.text()).toContain('words')
    // Answers of models name the copy.
    const added = upstreams.openai?.requests.find(({ target }) => target.startsWith('/v1/vector_stores/') && target.endsWith('/files'))
    const { file_id: copy } = (added?.json() ?? { file_id: '' }) as { file_id: string }
    expect(copy).toMatch(/^file-/)
    expect(await client.files.retrieve(copy)).toMatchObject({ id: file.id, filename: 'a.txt' })
    expect(await refusal(openai(eve.key).files.retrieve(copy))).toMatchObject({ status: 404 })
    const { key } = eve
    const another = await openai(key).vectorStores.create({ name: 'of eve' })
    expect(await refusal(openai(key).vectorStores.files.create(another.id, { file_id: file.id }))).toMatchObject({ status: 404 })
    expect(await client.vectorStores.files.delete(file.id, { vector_store_id: store.id })).toMatchObject({ id: file.id, deleted: true })
    await client.files.delete(file.id)
    for (let tries = 0; tries < 100 && upstreams.openai?.requests.at(-1)?.target !== `/v1/files/${copy}`; tries++) await wait(20)
    expect(upstreams.openai?.requests.at(-1)).toMatchObject({ method: 'DELETE', target: `/v1/files/${copy}` })
  })

  test('are searched by requests of their owner only, at their account', async () => {
    const store = await openai().vectorStores.create({ name: 'for answers' })
    const ask = (key: string) =>
      openai(key).responses.create({ model: 'gpt', input: 'hi', tools: [{ type: 'file_search', vector_store_ids: [store.id] }] })
    expect(await refusal(ask(eve.key))).toMatchObject({ status: 404 })
    await ask(ann.key)
    expect(askedOf('openai', 'authorization', store.id)).toHaveLength(1)
    expect(upstreams.openai?.requests.at(-1)?.target).toBe('/v1/responses')
  })

  test('have a row for each call, free of charge, with what the upstream stores', async () => {
    const { response } = await openai().vectorStores.create({ name: 'a row' }).withResponse()
    const row = await gateway.log(response.headers.get('x-request-id') ?? '')
    expect(row).toMatchObject({ operation: 'state', dialect: 'openai', status: 200, channel: 'openai', cost: '0' })
    expect(row).toMatchObject({ usage: { raw: { stored: { usage_bytes: 1234 } } } })
    const gone = await refusal(openai().vectorStores.retrieve('vs_nobodys'))
    const id = (gone as unknown as { headers: Headers }).headers.get('x-request-id') ?? ''
    expect(await gateway.log(id)).toMatchObject({ status: 404, error: { code: 'not_found' } })
  })
})

test('containers take files and give them back byte by byte', async () => {
  const client = openai()
  const container = await client.containers.create({ name: 'a' })
  const file = await client.containers.files.create(container.id, { file: await toFile(Buffer.from('x'), 'x.bin') })
  const content = await client.containers.files.content.retrieve(file.id, { container_id: container.id })
  expect([...new Uint8Array(await content.arrayBuffer())]).toEqual([0, 255, 1, 254])
  // Caller-created content is never served as a page of Parley.
  expect([content.headers.get('content-type'), content.headers.get('content-disposition')]).toEqual([
    'application/octet-stream',
    'attachment',
  ])
  expect(await refusal(openai(eve.key).containers.files.content.retrieve(file.id, { container_id: container.id }))).toMatchObject({
    status: 404,
  })
  expect((await collected(client.containers.list())).map(({ id }) => id)).toEqual([container.id])
  await client.containers.delete(container.id)
  expect(await collected(client.containers.list())).toEqual([])
})

test('voices are made of consents of the same owner, and read aloud for nobody else', async () => {
  const recording = () => toFile(Buffer.from('RIFF'), 'me.wav', { type: 'audio/wav' })
  const consent = await openai().audio.voiceConsents.create({ name: 'me', language: 'en-US', recording: await recording() })
  const voice = { name: 'mine', consent: consent.id, audio_sample: await recording() }
  expect(await refusal(openai(eve.key).audio.voices.create(voice))).toMatchObject({ status: 404 })
  const made = await openai().audio.voices.create({ ...voice, audio_sample: await recording() })
  expect(made).toMatchObject({ name: 'mine', of: consent.id })
  expect(await openai().audio.voiceConsents.update(consent.id, { name: 'still me' })).toMatchObject({ name: 'still me' })
  expect((await collected(openai().audio.voiceConsents.list())).map(({ id }) => id)).toEqual([consent.id])
  const say = (key: string) => openai(key).audio.speech.create({ model: 'tts', input: 'hi', voice: { id: made.id } })
  expect(await refusal(say(eve.key))).toMatchObject({ status: 404 })
  expect((await (await say(ann.key)).arrayBuffer()).byteLength).toBe(4000)
  expect(askedOf('openai', 'authorization', made.id)).toEqual(askedOf('openai', 'authorization', consent.id))
})

test('what Anthropic’s agents are made of is its maker’s alone; running them is refused with what it needs', async () => {
  const { agents, environments, memoryStores, vaults, sessions } = anthropic().beta
  const others = anthropic(eve.key).beta
  const store = await memoryStores.create({ name: 'notes' })
  const memory = await memoryStores.memories.create(store.id, { path: '/a.md', content: 'hi' })
  expect((await memoryStores.memories.retrieve(memory.id, { memory_store_id: store.id })).content).toBe('hi')
  expect((await collected(memoryStores.memories.list(store.id))).map((one) => 'id' in one && one.id)).toEqual([memory.id])
  expect(await memoryStores.update(store.id, { description: 'mine' })).toMatchObject({ id: store.id, description: 'mine' })
  const vault = await vaults.create({ display_name: 'keys' })
  const auth = { type: 'static_bearer', token: 't', mcp_server_url: 'https://example.com/mcp' } as const
  const credential = await vaults.credentials.create(vault.id, { auth })
  expect(await vaults.credentials.archive(credential.id, { vault_id: vault.id })).toMatchObject({ id: credential.id })
  const environment = await environments.create({ name: 'workshop' })
  const agent = await agents.create({ name: 'clerk', model: 'claude-opus-4-8' })
  expect(await agents.archive(agent.id)).toMatchObject({ id: agent.id })
  const lists = [memoryStores.list(), vaults.list(), environments.list(), agents.list()]
  expect((await Promise.all(lists.map((list) => collected<{ id: string }>(list as never)))).flat().map(({ id }) => id)).toEqual([
    ...[store.id, vault.id, environment.id, agent.id],
  ])
  const asked = [
    others.memoryStores.retrieve(store.id),
    others.memoryStores.memories.create(store.id, { path: '/b.md', content: 'x' }),
    others.vaults.credentials.list(vault.id).then((page) => page),
    others.environments.update(environment.id, { name: 'x' }),
    others.agents.retrieve(agent.id),
    // Named in what they make.
    others.agents.create({ name: 'spy', model: 'claude-opus-4-8', multiagent: { type: 'coordinator', agents: [agent.id] } }),
  ]
  expect(await Promise.all(asked.map(refusal))).toMatchObject(asked.map(() => ({ status: 404 })))
  expect(await collected(others.agents.list())).toEqual([])
  const session = await refusal(sessions.create({ agent: agent.id, environment_id: environment.id }))
  expect(session).toMatchObject({ status: 400, message: expect.stringContaining('/v1/messages') })
  await Promise.all([memoryStores.delete(store.id), vaults.delete(vault.id), environments.delete(environment.id)])
  expect(await refusal(memoryStores.retrieve(store.id))).toMatchObject({ status: 404 })
})

test('skills are those of the protocol that asks', async () => {
  const files = [await toFile(Buffer.from('# A skill'), 'skill/SKILL.md')]
  const ofOpenai = await openai().skills.create({ files })
  expect(await openai().skills.update(ofOpenai.id, { default_version: '1' })).toMatchObject({ id: ofOpenai.id })
  expect((await (await openai().skills.content.retrieve(ofOpenai.id)).arrayBuffer()).byteLength).toBe(4)
  const skills = anthropic().beta.skills
  const made = await skills.create({ files: [await toFile(Buffer.from('# A skill'), 'skill/SKILL.md')], display_name: 'mine' })
  expect(made).toMatchObject({ type: 'skill', display_name: 'mine' })
  expect((await collected(skills.list())).map(({ id }) => id)).toEqual([made.id])
  expect((await collected(openai().skills.list())).map(({ id }) => id)).toEqual([ofOpenai.id])
  await skills.versions.create(made.id, { files: [await toFile(Buffer.from('# B'), 'skill/SKILL.md')] })
  const missing = await refusal(anthropic(eve.key).beta.skills.retrieve(made.id))
  expect(missing).toMatchObject({ status: 404, error: { type: 'error', error: { type: 'not_found_error' } } })
  expect(await refusal(skills.list({ workspace_id: 'wrkspc_of_the_house' } as never).then((page) => page))).toMatchObject({ status: 404 })
  await skills.delete(made.id)
  expect(await collected(skills.list())).toEqual([])
})

describe('cached contents', () => {
  const contents = 'what is asked about again and again'

  test('are charged for the tokens that they have, and used at the account that has them', async () => {
    const { caches, models } = google()
    const cache = await caches.create({ model: 'flash', config: { contents, displayName: 'mine' } })
    const name = cache.name ?? ''
    expect(cache).toMatchObject({ model: 'models/flash', usageMetadata: { totalTokenCount: 1000 } })
    const sent = upstreams.gemini?.requests.find(({ method, target }) => method === 'POST' && target.startsWith('/v1beta/cachedContents'))
    expect(sent?.json()).toMatchObject({ model: 'models/gemini-2.5-flash' })
    const { data } = await gateway.admin.call<{ data: Record<string, unknown>[] }>('GET', '/api/logs?model=flash&limit=1')
    expect(data[0]).toMatchObject({ operation: 'state', cost: '0.001', model: 'flash' })
    for (let time = 0; time < 4; time++) await models.generateContent({ model: 'flash', contents: 'hi', config: { cachedContent: name } })
    expect(askedOf('gemini', 'x-goog-api-key', name)).toHaveLength(1)
    expect(await caches.update({ name, config: { ttl: '60s' } })).toMatchObject({ name, ttl: '60s' } as never)
    expect((await collected(await caches.list())).map((one) => [one.name, one.model])).toEqual([[name, 'models/flash']])
    expect(await caches.get({ name })).toMatchObject({ name, model: 'models/flash' })
    const others = google(eve.key)
    expect(await refusal(others.caches.get({ name }))).toMatchObject({ status: 404 })
    expect(await refusal(others.models.generateContent({ model: 'flash', contents: 'hi', config: { cachedContent: name } }))).toMatchObject(
      { status: 404 },
    )
    expect(await collected(await others.caches.list())).toEqual([])
    await caches.delete({ name })
    expect(await refusal(caches.get({ name }))).toMatchObject({ status: 404 })
  })

  test('of a model that the key does not have are refused', async () => {
    expect(await refusal(google().caches.create({ model: 'nothing', config: { contents } }))).toMatchObject({ status: 404 })
  })
})

test('file search stores take uploads, in parts, through an address of Parley', async () => {
  const { fileSearchStores, operations } = google()
  const store = await fileSearchStores.create({ config: { displayName: 'mine' } })
  const name = store.name ?? ''
  const file = new Blob(['words'], { type: 'text/plain' })
  const operation = await fileSearchStores.uploadToFileSearchStore({ fileSearchStoreName: name, file })
  expect(operation).toMatchObject({ done: true, response: { documentName: `${name}/documents/d1` } })
  expect(await operations.get({ operation })).toMatchObject({ done: true })
  const parts = upstreams.gemini?.requests.filter(({ target }) => target.includes('uploadToFileSearchStore')) ?? []
  expect(parts.map((one) => one.header('x-goog-upload-command'))).toEqual(['start', 'upload, finalize'])
  expect(parts[1]?.text()).toBe('words')
  expect(new Set(parts.map((one) => one.header('x-goog-api-key'))).size).toBe(1)
  expect((await collected(await fileSearchStores.documents.list({ parent: name }))).map((one) => one.name)).toEqual([
    `${name}/documents/d1`,
  ])
  const refused = await refusal(google(eve.key).fileSearchStores.uploadToFileSearchStore({ fileSearchStoreName: name, file }))
  expect(refused).toMatchObject({ status: 404 })
  const start = await fetch(`${gateway.url}/upload/v1beta/${name}:uploadToFileSearchStore`, {
    method: 'POST',
    headers: { 'x-goog-api-key': ann.key, 'x-goog-upload-command': 'start', 'content-type': 'application/json' },
    body: '{}',
  })
  const address = start.headers.get('x-goog-upload-url') ?? ''
  expect(address).not.toContain('googleapis')
  const stolen = await fetch(address, {
    method: 'POST',
    headers: { 'x-goog-api-key': eve.key, 'x-goog-upload-command': 'upload, finalize' },
    body: 'x',
  })
  expect(stolen.status).toBe(404)
  const changed = await fetch(`${address.slice(0, -8)}AAAAAAAA`, { method: 'POST', headers: { 'x-goog-upload-command': 'query' } })
  expect(changed.status).toBe(401)
  // As Google's other clients do: the address is enough.
  const goneOn = await fetch(address, {
    method: 'POST',
    headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
    body: 'more words',
  })
  expect([goneOn.status, goneOn.headers.get('x-goog-upload-status')]).toEqual([200, 'final'])
  await fileSearchStores.delete({ name, config: { force: true } })
})

test('something new goes to the next account when the first cannot make it', async () => {
  const bad = await scriptedUpstream(respondJson(500, { error: { message: 'down' } }))
  const { id } = await gateway.channel('better', bad.url, { vendor: 'openai', models: ['gpt-test'], priority: 9 })
  const { data, response } = await openai().vectorStores.create({ name: 'after all' }).withResponse()
  expect(data.name).toBe('after all')
  const row = await gateway.log<{ attempts: { channel: string }[] }>(response.headers.get('x-request-id') ?? '')
  expect(row.attempts.map(({ channel }) => channel)).toEqual(['better', 'openai'])
  await gateway.admin.call('DELETE', `/api/channels/${id}`)
  await bad.close()
})

test('a channel that is switched off says so to the owner of what it has, and nothing to others', async () => {
  const store = await openai().vectorStores.create({ name: 'out of reach' })
  await gateway.admin.call('PATCH', `/api/channels/${channels.openai}`, { enabled: false })
  const off = await refusal(openai().vectorStores.retrieve(store.id))
  expect(off).toMatchObject({ status: 503, message: expect.stringContaining('switched off') })
  const none = await refusal(openai(eve.key).vectorStores.retrieve(store.id))
  expect(none).toMatchObject({ status: 400, code: 'unsupported_here', message: expect.stringContaining('`openai`') })
  await gateway.admin.call('PATCH', `/api/channels/${channels.openai}`, { enabled: true })
  expect(await openai().vectorStores.retrieve(store.id)).toMatchObject({ id: store.id })
})

test.each([
  ['the unversioned path', {}, /^\/openai\/v1\/(vector_stores|containers|files)/],
  [
    'a dated version',
    { apiVersion: '2025-04-01-preview' },
    /^\/openai\/(vector_stores|containers|files)[^?]*\?(?:.*&)?api-version=2025-04-01-preview$/,
  ],
])('objects in an account of Azure are found by %s, with its own header', async (_, options, address) => {
  const account = openaiObjects()
  const azure = await scriptedUpstream((exchange) => {
    const { request } = exchange
    expect(request.target).toMatch(address)
    expect([request.header('api-key'), request.header('authorization')]).toEqual(['sk-azure', undefined])
    const target = request.target.replace(/^\/openai(?:\/v1)?/, '/v1').replace(/[?&]api-version=[^&]*/, '')
    return account({ ...exchange, request: { ...request, target } })
  })
  const group = `azure ${Object.keys(options).length}`
  await gateway.admin.call('POST', '/api/groups', { name: group })
  await gateway.price('deployed')
  const fields = { vendor: 'azure-openai', keys: ['sk-azure'], models: ['deployed'], groups: [group], options }
  const { id } = await gateway.channel(group, azure.url, fields)
  await gateway.admin.call('PATCH', `/api/users/${ann.id}`, { groups: ['default', group] })
  const { key } = await ann.session.call<{ key: string }>('POST', '/api/keys', { name: group, group })
  try {
    const client = openai(key)
    const file = await client.files.create({ file: await toFile(Buffer.from('hi'), 'a.txt'), purpose: 'assistants' })
    const store = await client.vectorStores.create({ name: 'mine', file_ids: [file.id] })
    expect((await collected(client.vectorStores.files.list(store.id, { limit: 5 }))).length).toBeGreaterThanOrEqual(0)
    expect((await collected(client.vectorStores.list())).map((one) => one.id)).toContain(store.id)
    const container = await client.containers.create({ name: 'box' })
    expect(await client.containers.retrieve(container.id)).toMatchObject({ name: 'box' })
    expect(await refusal(openai(eve.key).vectorStores.retrieve(store.id))).toMatchObject({ status: 404 })
    expect(await refusal(client.skills.list().then((page) => page))).toMatchObject({ status: 400 })
    await client.vectorStores.delete(store.id)
    await client.containers.delete(container.id)
  } finally {
    await gateway.admin.call('PATCH', `/api/channels/${id}`, { enabled: false })
    await azure.close()
  }
})
