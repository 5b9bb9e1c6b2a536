/**
 * A session whose user has not proved for a quarter of an hour who they are, such as a stolen one: it posts no money and gets no secret.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { laterClock } from '#testing/program/later-clock'
import { type Gateway, startGateway } from '../support/gateway.ts'

let gateway: Gateway
let ann: { id: string }

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: laterClock(20 * 60_000) })
  ann = await gateway.user('ann', '1')
  await gateway.admin.call('POST', '/api/plans', { name: 'gold', windows: [] })
  process.kill(gateway.program.pid, 'SIGUSR2')
  // The signal took effect when an answer shows the later time.
  for (let tries = 0; tries < 100; tries++) {
    const answer = await gateway.admin.raw(
      'POST',
      `/api/users/${ann.id}/credit`,
      { amount: '1', reason: 'x' },
      { 'idempotency-key': 'first' },
    )
    if (answer.status !== 200) break
    await Bun.sleep(20)
  }
}, 60_000)
afterAll(() => gateway?.close())

type Posting = [method: string, path: string, body?: () => object]
const until = () => new Date(Date.now() + 10 * 24 * 3_600_000).toISOString()
const asking: Posting[] = [
  // Money, and what things cost.
  ['POST', '/api/credits', () => ({ reference: 'stolen-1', user: ann.id, amount: '1000' })],
  ['POST', '/api/credits/refund', () => ({ reference: 'stolen-2', of: 'stolen-1', reason: 'x' })],
  ['POST', '/api/codes', () => ({ count: 1, value: '1000' })],
  ['DELETE', '/api/codes/x'],
  // A plan is worth what its windows are.
  ['PUT', '/api/users/ANN/plan', () => ({ plan: 'gold', until: until() })],
  ['DELETE', '/api/users/ANN/plan'],
  ['PUT', '/api/teams/x/plan', () => ({ plan: 'gold', until: until() })],
  ['DELETE', '/api/teams/x/plan'],
  ['POST', '/api/teams', () => ({ name: 'rich', balance: '5' })],
  ['DELETE', '/api/teams/x'],
  ['PUT', '/api/prices/m', () => ({ input: '0', output: '0' })],
  ['DELETE', '/api/prices/m'],
  ['PATCH', '/api/groups/default', () => ({ ratio: '0' })],
  // Secrets, and where requests and reports go.
  ['POST', '/api/management-keys', () => ({ name: 'k', scopes: ['read'] })],
  ['POST', '/api/channels', () => ({ name: 'c', vendor: 'openai', models: ['m'], baseUrl: 'https://elsewhere.example' })],
  ['PATCH', '/api/channels/x', () => ({ keys: ['sk-x'] })],
  ['PATCH', '/api/channels/x', () => ({ baseUrl: 'https://elsewhere.example' })],
  ['PATCH', '/api/channels/x', () => ({ headers: { 'x-y': 'z' } })],
  ['PATCH', '/api/channels/x', () => ({ proxy: 'http://elsewhere.example:8080' })],
  ['PATCH', '/api/channels/x', () => ({ tls: { ca: 'x' } })],
  ['PATCH', '/api/channels/x', () => ({ options: { region: 'x' } })],
  ['PATCH', '/api/channels/x', () => ({ params: { set: { user: 'x' } } })],
  ['POST', '/api/alerts/hooks', () => ({ name: 'h', form: 'http', url: 'https://elsewhere.example' })],
  ['PATCH', '/api/alerts/hooks/x', () => ({ url: 'https://elsewhere.example' })],
  // Rights.
  ['PATCH', '/api/users/ANN', () => ({ group: 'vip' })],
  ['PATCH', '/api/users/ANN', () => ({ groups: ['vip'] })],
  ['PATCH', '/api/teams/x', () => ({ groups: ['vip'] })],
  ['POST', '/api/teams/x/members', () => ({ user: 'ann' })],
  ['PATCH', '/api/teams/x/members/ANN', () => ({ role: 'owner' })],
  ['POST', '/api/invitations', () => ({ team: 'x' })],
  ['POST', '/api/invitations', () => ({ group: 'vip' })],
  ['PATCH', '/api/settings', () => ({ bodies: { readers: 'administrators' } })],
]

test.each(asking)('%s %s asks for one', async (method, path, body) => {
  const answer = await gateway.admin.raw(method, path.replace('ANN', ann.id), body?.())
  expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'reauthentication_required' } }])
})

test.each([
  ['PATCH', '/api/channels/x', () => ({ priority: 1 })],
  ['PATCH', '/api/users/ANN', () => ({ enabled: true })],
  ['POST', '/api/keys', () => ({ name: 'own' })],
  ['POST', '/api/invitations', () => ({})],
] satisfies Posting[])('%s %s asks for none where it gives and moves nothing', async (method, path, body) => {
  const answer = await gateway.admin.raw(method, path.replace('ANN', ann.id), body())
  expect(await answer.text()).not.toContain('reauthentication_required')
})
