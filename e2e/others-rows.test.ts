/**
 * Other users' rows are hidden: every address of the document that names a row is called for one of another user's, with every
 * method and the right kind of credential; and a model of another group, or one that the key leaves out, is asked for at every endpoint in
 * many spellings.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Endpoint, endpointsOf } from '#testing/fuzz/endpoints'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'

let gateway: Gateway
let upstream: ScriptedUpstream
let endpoints: Endpoint[]
let ann: { session: Session; key: string }
let eve: { session: Session; key: string }

const asked = (url: string, key: string, method: string, body: string) =>
  fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    ...(method !== 'GET' && { body }),
  })

beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(200, chatAnswer()))
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  const { admin, url } = gateway
  await admin.call('POST', '/api/groups', { name: 'vip' })
  await gateway.channel('secret', upstream.url, { groups: ['vip'], models: ['secret', 'Org/Secret-1'] })
  await gateway.channel('open', upstream.url, { models: ['left-out', 'allowed'] })
  for (const model of ['secret', 'Org/Secret-1', 'left-out', 'allowed']) await gateway.price(model)
  await admin.call('PATCH', '/api/settings', { shareLinks: true })
  ann = await gateway.user('ann', '10')
  eve = await gateway.user('eve', '10')
  endpoints = endpointsOf(await (await fetch(`${url}/openapi.json`)).text())
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

/** Ids of rows of ann's, by the beginning of the addresses that name them. */
async function rowsOfAnn(): Promise<Record<string, string>> {
  const { session, key } = ann
  const first = async (path: string) => (await session.call<{ data: { id: string }[] }>('GET', path)).data[0]?.id ?? ''
  const made = async (path: string, body: unknown) => (await session.call<{ id: string }>('POST', path, body)).id
  const keyId = await first('/api/keys')
  await session.call('PATCH', `/api/keys/${keyId}`, { logBodies: true })
  const answer = await asked(`${gateway.url}/v1/responses`, key, 'POST', '{"model":"parley-demo","input":"the secret of ann"}')
  const { id: response } = (await answer.json()) as { id: string }
  const request = answer.headers.get('x-request-id') ?? ''
  const kept = async (path: string, body: unknown) =>
    ((await (await asked(`${gateway.url}${path}`, key, 'POST', JSON.stringify(body))).json()) as { id: string }).id
  const params = { model: 'parley-demo', max_tokens: 9, messages: [{ role: 'user', content: 'the secret of ann' }] }
  const replay = await made('/api/replays', { requestIds: [request], targets: [{}] })
  await session.call('PUT', '/api/conversations/c1', { changedAt: '2026-11-23T10:00:00.000Z', text: '"the secret of ann"' })
  return {
    '/api/keys/': keyId,
    '/api/management-keys/': await made('/api/management-keys', { name: 'own', scopes: ['read'] }),
    '/api/sessions/': await first('/api/sessions'),
    '/api/conversations/': 'c1',
    '/api/shares/': await made('/api/shares', { title: 'the secret of ann', text: '{}', days: 1 }),
    '/api/session/factors/apps/': await made('/api/session/factors/apps', { name: 'the secret of ann' }),
    '/api/session/factors/{': (await session.call<{ id: string }>('POST', '/api/session/factors/apps', { name: 'again' })).id,
    '/api/invitations/{': (await gateway.admin.call<{ id: string }>('POST', '/api/invitations', {})).id,
    '/api/logs/': request,
    '/api/bodies/': request,
    '/api/replays/': replay,
    '/v1/responses/': response,
    '/v1/interactions/': response,
    '/v1beta/interactions/': response,
    '/v1/conversations/': await kept('/v1/conversations', { items: [{ role: 'user', content: 'the secret of ann' }] }),
    '/v1/messages/batches/': await kept('/v1/messages/batches', { requests: [{ custom_id: 'a', params }] }),
    '/v1/uploads/': await kept('/v1/uploads', { bytes: 4, filename: 'the secret of ann', mime_type: 'text/plain', purpose: 'user_data' }),
    '/api/teams/': (await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'of others' })).id,
  }
}

/** Addresses whose parameter refers to no user's row, or to one that everybody may use. */
const nobodys: Record<string, string> = {
  '/api/session/identities/': 'needs a provider: e2e/single-sign-on.test.ts',
  '/api/prices/': 'of the installation',
  '/api/groups/': 'of the installation',
  '/api/channels/': 'of the installation',
  '/api/users/': 'administrators only: held-attacks.test.ts',
  '/api/plans/': 'administrators only: held-attacks.test.ts',
  '/api/codes/': 'administrators only: held-attacks.test.ts; redeeming: selling.test.ts',
  '/api/alerts/': 'administrators only: held-attacks.test.ts',
  '/v1/files/': 'needs an upstream with files: e2e/files.test.ts',
  '/v1/vector_stores/': 'needs an upstream with objects: e2e/account-objects.test.ts',
  '/v1/containers/': 'likewise',
  '/v1/audio/voices/': 'likewise',
  '/v1/audio/voice_consents/': 'likewise',
  '/v1/skills/': 'likewise',
  '/v1/cachedContents/': 'likewise',
  '/v1beta/cachedContents/': 'likewise',
  '/v1/fileSearchStores/': 'likewise',
  '/v1beta/fileSearchStores/': 'likewise',
  '/v1/memory_stores/': 'likewise',
  '/v1/agents/': 'likewise',
  '/v1/environments/': 'likewise',
  '/v1/vaults/': 'likewise',
  '/upload/': 'likewise',
  '/v1beta/files/': 'likewise',
  '/v1/videos/': 'needs an upstream with videos: e2e/videos.test.ts',
  '/v1beta/operations/': 'likewise',
  '/v1/realtime/calls/': 'needs an upstream with calls: e2e/realtime-calls.test.ts',
  '/v1/batches/': 'needs a file: e2e/batches.test.ts',
  '/v1beta/batches/': 'has a name, no id: e2e/batches.test.ts',
  '/api/batches/': 'likewise',
  '/api/work/': 'needs what goes on: e2e/background.test.ts, e2e/interactions-passing.test.ts, e2e/realtime-calls.test.ts',
  '/ws/': 'a service; handles of sessions: e2e/gemini-live.test.ts',
  '/pg/preview/': 'a dialect',
  '/docs/': 'a page of the manual',
  '/v1/models/': 'a model: below',
  '/v1beta/models/': 'a model: below',
  '/v1/engines/': 'a model: below',
  '/openai/deployments/': 'a model: below',
  '/ollama/api/{path}': 'refused',
  '/model/': 'a model: below',
  '/openai/{path}': 'the same as /v1: a response is asked for there too',
  '/v1beta/openai/{path}': 'likewise',
}
/** Everyone with the link may read it; PUT creates one's own conversation of the same id; others' cannot be deleted. */
const harmless = new Set([
  'GET /api/shares/{id}',
  'DELETE /api/shares/{id}',
  'PUT /api/conversations/{id}',
  'DELETE /api/conversations/{id}',
])

/** These return the caller's own data. */
const own = new Set(['GET /api/bodies/export'])

test('no row of another user is seen, changed or deleted at any address', async () => {
  const rows = await rowsOfAnn()
  expect(Object.values(rows)).not.toContain('')
  const state = async () => ({
    // Looking is a use of a key.
    keys: JSON.stringify(await ann.session.call('GET', '/api/keys')).replace(/"lastUsedAt":"[^"]*"/g, ''),
    management: await ann.session.call('GET', '/api/management-keys'),
    conversation: await ann.session.call('GET', '/api/conversations/c1'),
    shares: await ann.session.call('GET', '/api/shares'),
    replays: (await ann.session.call<{ data: { id: string }[] }>('GET', '/api/replays')).data.map(({ id }) => id),
    body: await (await ann.session.raw('GET', `/api/bodies/${rows['/api/bodies/']}`)).text(),
    response: await (await asked(`${gateway.url}/v1/responses/${rows['/v1/responses/']}`, ann.key, 'GET', '')).text(),
  })
  const before = await state()
  const open: unknown[] = []
  const unknown: string[] = []
  let tried = 0
  for (const { method, path, sample = '{}' } of [...endpoints, { method: 'DELETE', path: '/api/sessions/{id}' } as Endpoint]) {
    const found = Object.keys(rows).find((beginning) => path.startsWith(beginning))
    if (!found) {
      if (path.includes('{') && !Object.keys(nobodys).some((beginning) => path.startsWith(beginning))) unknown.push(path)
      continue
    }
    const target = path.replace(/\{[^}]+\}/, rows[found] ?? '').replace(/\{[^}]+\}/g, 'request')
    const answer = path.startsWith('/api/')
      ? await fetch(gateway.url + target, {
          ...{ method, headers: { cookie: eve.session.cookie, 'content-type': 'application/json' } },
          ...(method !== 'GET' && { body: sample }),
        })
      : await asked(gateway.url + target, eve.key, method, sample)
    const text = await answer.text()
    tried += 1
    if (harmless.has(`${method} ${path}`)) continue
    const isRefused = (answer.status >= 400 && answer.status < 500) || own.has(`${method} ${path}`)
    if (!isRefused || text.includes('the secret of ann')) open.push([method, path, answer.status])
  }
  for (const beginning of ['/openai/v1', '/v1beta/openai']) {
    const also = await asked(`${gateway.url}${beginning}/responses/${rows['/v1/responses/']}`, eve.key, 'GET', '')
    expect([beginning, also.status, (await also.text()).includes('the secret of ann')]).toEqual([beginning, 404, false])
  }
  expect(open).toEqual([])
  expect(unknown).toEqual([])
  expect(tried).toBeGreaterThan(14)
  expect(await state()).toEqual(before)
}, 60_000)

/** Ways to name a model that is not for the caller. */
const spellings = (name: string): string[] => [
  name,
  name.toUpperCase(),
  name.toLowerCase(),
  ` ${name}`,
  `${name} `,
  `${name}\n`,
  `models/${name}`,
  `vip/${name}`,
  `vip:${name}`,
  `./${name}`,
  encodeURIComponent(name),
  name.replace('e', '\u0435'),
]
const says = (model: string, more: object = {}): [path: string, body: object][] => [
  ['/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }], ...more }],
  ['/v1/completions', { model, prompt: 'hi', ...more }],
  ['/v1/responses', { model, input: 'hi', ...more }],
  ['/v1/messages', { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 9, ...more }],
  ['/v1/messages/count_tokens', { model, messages: [{ role: 'user', content: 'hi' }] }],
  [`/v1beta/models/${encodeURIComponent(model)}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
  [`/v1/models/${encodeURIComponent(model)}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
  [
    `/openai/deployments/${encodeURIComponent(model)}/chat/completions?api-version=2024-10-21`,
    { messages: [{ role: 'user', content: 'hi' }] },
  ],
  ['/ollama/api/chat', { model, messages: [{ role: 'user', content: 'hi' }] }],
  ['/ollama/api/generate', { model, prompt: 'hi' }],
  ['/ollama/api/embed', { model, input: 'hi' }],
  [`/model/${encodeURIComponent(model)}/converse`, { messages: [{ role: 'user', content: [{ text: 'hi' }] }] }],
  [`/model/${encodeURIComponent(model)}/converse-stream`, { messages: [{ role: 'user', content: [{ text: 'hi' }] }] }],
  ['/v1/embeddings', { model, input: 'hi' }],
  [`/v1/engines/${encodeURIComponent(model)}/embeddings`, { input: 'hi' }],
  ['/v1/images/generations', { model, prompt: 'hi' }],
  ['/v1/audio/speech', { model, input: 'hi', voice: 'alloy' }],
  ['/v1/rerank', { model, query: 'hi', documents: ['a'] }],
  ['/v1/moderations', { model, input: 'hi' }],
]

test('no model of another group, and none that the key leaves out, is reached by any name or way', async () => {
  const { key } = await eve.session.call<{ key: string }>('POST', '/api/keys', { name: 'narrow', models: ['allowed'] })
  const tries: [key: string, path: string, body: object][] = []
  for (const name of ['secret', 'Org/Secret-1'])
    for (const spelt of spellings(name)) for (const [path, body] of says(spelt)) tries.push([eve.key, path, body])
  for (const [path, body] of says('left-out')) tries.push([key, path, body])
  // By a fallback of the request's own, or by naming the group.
  for (const [path, body] of says('allowed', { models: ['secret'] }).slice(0, 4)) tries.push([key, path, body])
  for (const [path, body] of says('secret', { group: 'vip' }).slice(0, 4)) tries.push([eve.key, path, body])
  const open: unknown[] = []
  const before = upstream.requests.length
  for (const [credential, path, body] of tries) {
    const { status } = await asked(gateway.url + path, credential, 'POST', JSON.stringify(body))
    if (status < 400 || status >= 500) open.push([path, body, status])
  }
  expect(open).toEqual([])
  expect(upstream.requests.length).toBe(before)
  for (const name of ['secret', 'Org/Secret-1']) {
    expect((await asked(`${gateway.url}/v1/models/${encodeURIComponent(name)}`, eve.key, 'GET', '')).status).toBe(404)
  }
  expect(await (await asked(`${gateway.url}/v1/models`, eve.key, 'GET', '')).text()).not.toMatch(/secret/i)
  const own = await asked(
    `${gateway.url}/v1/chat/completions`,
    key,
    'POST',
    '{"model":"allowed","messages":[{"role":"user","content":"hi"}]}',
  )
  expect(own.status).toBe(200)
}, 60_000)
