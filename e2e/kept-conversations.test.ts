/** Conversations that users keep on the server, links to copies, and the environment of the instance: through the API. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { administratorPassword } from '#testing/program/program'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
}, 90_000)
afterAll(() => gateway?.close())

const status = async (response: Promise<Response>) => (await response).status

test('a conversation is kept for its owner alone, counts towards the quotas, and is deleted', async () => {
  const { session: ann } = await gateway.user('ann', '1')
  const { session: eve } = await gateway.user('eve', '1')
  const kept = { changedAt: '2026-11-23T10:00:00.000Z', text: '{"messages":[]}' }
  expect(await status(ann.raw('PUT', '/api/conversations/c1', kept))).toBe(204)
  expect(await ann.call('GET', '/api/conversations/c1')).toEqual(kept)
  expect(await ann.call('GET', '/api/conversations')).toMatchObject({ data: [{ id: 'c1', changedAt: kept.changedAt }], next: null })
  expect(await eve.call('GET', '/api/conversations')).toEqual({ data: [], next: null })
  expect(await status(eve.raw('GET', '/api/conversations/c1'))).toBe(404)
  const quotas = (await ann.call<{ data: { name: string; used: number }[] }>('GET', '/api/quotas')).data
  expect(quotas.find(({ name }) => name === 'conversations')?.used).toBe(1)
  expect(await status(ann.raw('PUT', '/api/conversations/c2', { ...kept, text: 'x'.repeat(1_000_001) }))).toBeOneOf([400, 413])
  // Neither a management key nor a visitor without a session.
  expect(await status(fetch(`${gateway.url}/api/conversations`))).toBe(401)
  expect(await status(ann.raw('DELETE', '/api/conversations/c1'))).toBe(204)
  expect(await status(ann.raw('GET', '/api/conversations/c1'))).toBe(404)
})

test('a link is read without a session, carries noindex, and ends with the setting', async () => {
  const { admin, url } = gateway
  const { session: ann } = await gateway.user('linker', '1')
  expect(await status(ann.raw('POST', '/api/shares', { title: 'T', text: '{}', days: 1 }))).toBe(403)
  await admin.call('PATCH', '/api/settings', { shareLinks: true })
  const { id } = await ann.call<{ id: string }>('POST', '/api/shares', { title: 'T', text: '{}', days: 1 })
  const read = await fetch(`${url}/api/shares/${id}`)
  expect([read.status, read.headers.get('x-robots-tag')]).toEqual([200, 'noindex, nofollow'])
  expect(await read.json()).toMatchObject({ title: 'T', text: '{}' })
  await admin.call('PATCH', '/api/settings', { shareLinks: false })
  expect(await status(fetch(`${url}/api/shares/${id}`))).toBe(404)
  // Its creator can end it all the same.
  expect((await ann.call<{ data: unknown[] }>('GET', '/api/shares')).data.length).toBe(1)
  expect(await status(ann.raw('DELETE', `/api/shares/${id}`))).toBe(204)
  expect((await ann.call<{ data: unknown[] }>('GET', '/api/shares')).data).toEqual([])
})

test('the environment is shown to administrators, its secrets are never shown', async () => {
  const text = await (await gateway.admin.raw('GET', '/api/environment?limit=200')).text()
  expect(text).toContain('PARLEY_ADMIN_PASSWORD')
  expect(text).not.toContain(administratorPassword)
  const { session } = await gateway.user('nosy', '1')
  expect(await status(session.raw('GET', '/api/environment'))).toBe(403)
})
