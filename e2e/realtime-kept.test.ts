/** Kept realtime sessions: informing clients, their frames at the four points, refusals, and opting out. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { KeptBody } from '#shared/console/body'
import { sampledEngine } from '#testing/database/database'
import { conversing, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'
import { type RealtimeClient, rawUpgrade, realtimeClient } from './support/realtime/client.ts'

const model = 'gpt-realtime'
let gateway: Gateway
let vendor: RealtimeVendor
let ann: { session: Session; key: string }

beforeAll(async () => {
  vendor = realtimeVendor(conversing('Hello.'))
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  await gateway.channel('first', vendor.url, { models: [model] })
  await gateway.price(model, { input: '4', output: '16' })
  ann = await gateway.user('ann', '5')
  const { data } = await ann.session.call<{ data: { id: string }[] }>('GET', '/api/keys')
  await ann.session.call('PATCH', `/api/keys/${data[0]?.id}`, { logBodies: true })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await vendor?.close()
})

const address = `/v1/realtime?model=${model}`
type Row = { requestId: string }

/** The rows of sessions, newest first, once there are so many. */
async function rows(count: number): Promise<Row[]> {
  for (;;) {
    const { data } = await ann.session.call<{ data: Row[] }>('GET', '/api/logs')
    if (data.length >= count) return data
  }
}
const lines = (frames: RealtimeClient['frames']) => frames.map((frame) => `${frame}\n`).join('')

test('a session is kept: what its client and its upstream said, frame by frame, and no credential', async () => {
  const client = await realtimeClient(gateway.url + address, [], { authorization: `Bearer ${ann.key}` })
  await client.event('session.created')
  const said = ['{"type": "session.update", "session": {"type": "realtime", "instructions": "Be brief."}}', '{"type":"response.create"}']
  for (const frame of said) client.send(frame)
  await client.event('response.done')
  client.socket.close()
  await client.closed
  const [row] = await rows(1)
  const kept = await gateway.admin.call<KeptBody>('GET', `/api/bodies/${row?.requestId}`)
  expect(kept.parts.map(({ border }) => border)).toEqual(['client-request', 'upstream-request', 'upstream-answer', 'client-answer'])
  const [asked, sent, heard, answered] = kept.parts
  expect(asked).toMatchObject({ method: 'GET', address, frames: true, text: lines(said) })
  expect(sent).toMatchObject({ to: { channel: 'first', model }, frames: true, text: lines(said) })
  expect(heard).toMatchObject({ status: 101, frames: true, text: lines(client.frames) })
  expect(answered).toMatchObject({ status: 101, frames: true, text: lines(client.frames) })
  expect(answered?.headers).toContainEqual(['x-parley-stored', '30d'])
  expect(answered?.pieces).toHaveLength(2 * client.frames.length)
  const times = answered?.pieces?.filter((_, n) => n % 2 === 1) ?? []
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(JSON.stringify(kept)).not.toContain(ann.key)
  expect(JSON.stringify(kept)).not.toContain('sk-vendor')
  // Its owner sees the frames on the client's side.
  const own = await ann.session.call<KeptBody>('GET', `/api/bodies/${row?.requestId}`)
  expect(own.parts.map(({ border }) => border)).toEqual(['client-request', 'client-answer'])
}, 20_000)

test('a session that is refused is kept as it was refused, by Parley and by an upstream', async () => {
  vendor.next({ refuse: 429, body: { error: { message: 'slow down' } } })
  const before = (await rows(1)).length
  const answer = await rawUpgrade(gateway.url + address, { authorization: `Bearer ${ann.key}` })
  expect(answer).toMatch(/^HTTP\/1.1 429/)
  expect(answer.toLowerCase()).toContain('x-parley-stored: 30d')
  const [row] = await rows(before + 1)
  const kept = await gateway.admin.call<KeptBody>('GET', `/api/bodies/${row?.requestId}`)
  expect(kept.parts.map(({ border, status }) => [border, status])).toEqual([
    ['client-request', undefined],
    ['upstream-request', undefined],
    ['upstream-answer', 429],
    ['client-answer', 429],
  ])
  expect(kept.parts[2]?.text).toContain('slow down')
}, 20_000)

test('a client forbids it', async () => {
  const before = (await rows(1)).length
  const headers = { authorization: `Bearer ${ann.key}`, 'x-parley-store': 'no' }
  const answer = await rawUpgrade(gateway.url + address, headers)
  expect(answer).toMatch(/^HTTP\/1.1 101/)
  expect(answer.toLowerCase()).not.toContain('x-parley-stored')
  const [row] = await rows(before + 1)
  expect((await gateway.admin.raw('GET', `/api/bodies/${row?.requestId}`)).status).toBe(404)
}, 20_000)
