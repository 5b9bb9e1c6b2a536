/** `GET /v1/key`: what the holder of a key may know of it, by every carrier, and nothing else. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
}, 90_000)
afterAll(() => gateway?.close())

const facts = async (headers: Record<string, string>, query = '') => {
  const answer = await fetch(`${gateway.url}/v1/key${query}`, { headers })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

test('tells name, group, models, end, spend, what is left, and limits', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const fields = { name: 'handed out', models: ['parley-demo'], expiresAt, budget: { daily: '1', total: '5' }, limits: { rpm: 60 } }
  const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/keys', fields)
  const headers = { authorization: `Bearer ${key}` }
  const before = {
    name: 'handed out',
    group: 'default',
    models: ['parley-demo'],
    expiresAt,
    spent: '0',
    budgetLeft: { total: '5', daily: '1' },
    limits: { rpm: 60 },
  }
  expect(await facts(headers)).toEqual({ status: 200, body: before })

  const asked = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await asked.text()
  const { charged } = await gateway.log<{ charged: string }>(asked.headers.get('x-request-id') ?? '')
  expect(Number(charged)).toBeGreaterThan(0)
  // An answer may be a second old.
  let now = await facts(headers)
  while (now.body.spent === '0') now = await facts(headers)
  expect(now.body).toMatchObject({ spent: charged })
  const left = await gateway.admin.call<{ data: { name: string; budgetLeft: object }[] }>('GET', '/api/keys')
  expect(now.body.budgetLeft).toEqual(left.data.find(({ name }) => name === 'handed out')?.budgetLeft as object)
}, 30_000)

test('takes the key in every carrier, and nothing but a key of models', async () => {
  for (const name of ['x-api-key', 'x-goog-api-key', 'x-third-api-key']) expect((await facts({ [name]: gateway.key })).status).toBe(200)
  expect((await facts({}, `?key=${gateway.key}`)).body).toMatchObject({ name: 'first', budgetLeft: null, limits: null, expiresAt: null })
  expect((await facts({})).status).toBe(401)
  expect((await facts({ authorization: 'Bearer sk-nothing-of-the-kind' })).status).toBe(401)
  expect((await facts({ cookie: gateway.admin.cookie })).status).toBe(401)
})

test('is of this key alone', async () => {
  const { key } = await gateway.user('somebody', '5')
  const { body } = await facts({ authorization: `Bearer ${key}` })
  expect(Object.keys(body).sort()).toEqual(['budgetLeft', 'expiresAt', 'group', 'limits', 'models', 'name', 'spent'])
  expect(JSON.stringify(body)).not.toMatch(/sk-|balance|"user"/)
})

test('a pattern stands for every model that it matches, and for no other', async () => {
  const { key, id } = await gateway.admin.call<{ key: string; id: string }>('POST', '/api/keys', {
    name: 'patterned',
    models: ['parley-demo-*k', 'parley-demo'],
  })
  const headers = { authorization: `Bearer ${key}` }
  expect((await facts(headers)).body.models).toEqual(['parley-demo', 'parley-demo-rerank'])
  const list = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: { id: string }[] }
  expect(list.data.map((model) => model.id).sort()).toEqual(['parley-demo', 'parley-demo-rerank'])
  const ask = async (model: string) => {
    const body = JSON.stringify({ model, input: 'Hello' })
    const answer = await fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    await answer.text()
    return answer.status
  }
  expect(await ask('parley-demo-embed')).toBe(404)
  await gateway.admin.call('PATCH', `/api/keys/${id}`, { models: ['parley-*'] })
  expect(await ask('parley-demo-embed')).toBe(200)
})
