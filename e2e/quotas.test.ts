/** Quotas from outside: what a user may keep is bounded, the error names the quota, and lists stay small. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
}, 90_000)
afterAll(() => gateway?.close())

interface Quota {
  name: string
  used: number | null
  most: number
}
interface Refusal {
  error: { code: string; message: string; param: string | null }
}

const respond = (key: string, body: object = {}) =>
  fetch(`${gateway.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'parley-demo', input: 'hi', ...body }),
  })

test('a user with nothing left stores nothing more, and may still ask without storing', async () => {
  const { session, key } = await gateway.user('ann', '1')
  await gateway.admin.call('PATCH', '/api/settings', { quotas: { conversations: 2 } })
  for (let n = 0; n < 2; n++) expect((await respond(key)).status).toBe(200)
  const refused = await respond(key)
  expect(refused.status).toBe(403)
  expect(((await refused.json()) as Refusal).error).toMatchObject({ code: 'quota_exceeded', param: 'store' })
  expect((await respond(key, { store: false })).status).toBe(200)
  const { data } = await session.call<{ data: Quota[] }>('GET', '/api/quotas')
  expect(data).toMatchObject([
    { name: 'keys', used: 1, most: 200 },
    { name: 'modelsPerKey', used: null, most: 500 },
    { name: 'conversations', used: 2, most: 2 },
    { name: 'conversationBytes', most: 256 * 1024 * 1024 },
    { name: 'files', most: 1000 },
    { name: 'fileBytes', most: 256 * 1024 * 1024 },
    { name: 'invitations', used: 0, most: 200 },
  ])
})

test('keys and their names are bounded, and a page of them is too', async () => {
  const { session } = await gateway.user('bob', '1')
  const models = Array.from({ length: 500 }, (_, n) => `${n} ${'x'.repeat(250)}`)
  const create = (body: object) => session.raw('POST', '/api/keys', body)
  const tooMany = await create({ name: 'k', models: [...models, 'one more'] })
  expect([tooMany.status, ((await tooMany.json()) as Refusal).error]).toMatchObject([403, { code: 'quota_exceeded', param: 'models' }])
  await gateway.admin.call('PATCH', '/api/settings', { quotas: { keys: 21 } })
  for (let n = 0; n < 20; n++) expect((await create({ name: `k${n}`, models })).status).toBe(201)
  const refused = await create({ name: 'k' })
  expect([refused.status, ((await refused.json()) as Refusal).error.message]).toEqual([
    403,
    'The quota for API keys of a user is 21. Delete some, or ask an administrator for more.',
  ])
  const names = new Set<string>()
  for (let after = ''; ; ) {
    const answer = await session.raw('GET', `/api/keys?limit=200${after}`)
    const text = await answer.text()
    expect(text.length).toBeLessThan(1.2 * 1024 * 1024)
    const { data, next } = JSON.parse(text) as { data: { name: string }[]; next: string | null }
    for (const { name } of data) names.add(name)
    if (next === null) break
    after = `&after=${next}`
  }
  expect(names.size).toBe(21)
}, 30_000)
