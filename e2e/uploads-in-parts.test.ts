/** Uploads in parts with the calls of the SDK: several at a time, in another order, checked, cancelled, within the quota, for their owner. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import OpenAI, { toFile } from 'openai'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
}, 90_000)
afterAll(() => gateway?.close())

const clientOf = (apiKey = gateway.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
const facts = (bytes: number) => ({ bytes, filename: 'long.pdf', mime_type: 'application/pdf', purpose: 'user_data' as const })
const data = (bytes: Uint8Array | string) => toFile(Buffer.from(bytes), 'part')

test('parts become one file, in the order in which they are named', async () => {
  const client = clientOf()
  const bytes = Buffer.from(new Uint8Array(3_000_000).map((_, index) => index % 251))
  const begun = await client.uploads.create(facts(bytes.length))
  expect(begun).toMatchObject({ object: 'upload', status: 'pending', bytes: bytes.length, filename: 'long.pdf', purpose: 'user_data' })
  const cuts = [bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000, 2_500_000), bytes.subarray(2_500_000)]
  const sent = await Promise.all(
    [2, 0, 1].map(async (at) => [at, (await client.uploads.parts.create(begun.id, { data: await data(cuts[at] ?? '') })).id] as const),
  )
  const part_ids = sent.sort(([a], [b]) => a - b).map(([, id]) => id)
  const md5 = createHash('md5').update(bytes).digest('hex')
  expect(await thrownBy(client.uploads.complete(begun.id, { part_ids: part_ids.slice(1) }))).toMatchObject({
    status: 400,
    param: 'part_ids',
  })
  const wrong = { part_ids: [...part_ids].reverse(), md5 }
  expect(await thrownBy(client.uploads.complete(begun.id, wrong))).toMatchObject({ status: 400, param: 'md5' })
  const { status, file } = await client.uploads.complete(begun.id, { part_ids, md5 })
  expect([status, file?.object, file?.bytes, file?.filename]).toEqual(['completed', 'file', bytes.length, 'long.pdf'])
  expect(Buffer.from(await (await client.files.content(file?.id ?? '')).arrayBuffer()).equals(bytes)).toBe(true)
  expect((await client.files.list()).data.map(({ id }) => id)).toEqual([file?.id ?? ''])
  expect(await thrownBy(client.uploads.complete(begun.id, { part_ids }))).toMatchObject({ status: 404 })
}, 30_000)

test('what was cancelled, and what is somebody else’s, takes no parts', async () => {
  const { key } = await gateway.user('ann', '1')
  const client = clientOf(key)
  const begun = await client.uploads.create(facts(4))
  const part = await client.uploads.parts.create(begun.id, { data: await data('abcd') })
  expect(await thrownBy(clientOf().uploads.parts.create(begun.id, { data: await data('x') }))).toMatchObject({ status: 404 })
  expect(await thrownBy(clientOf().uploads.cancel(begun.id))).toMatchObject({ status: 404 })
  const other = await client.uploads.create(facts(4))
  expect(await thrownBy(client.uploads.complete(other.id, { part_ids: [part.id] }))).toMatchObject({ status: 404, param: 'part_ids' })
  expect(await client.uploads.cancel(begun.id)).toMatchObject({ status: 'cancelled' })
  expect(await thrownBy(client.uploads.complete(begun.id, { part_ids: [part.id] }))).toMatchObject({ status: 404 })
})

test('sizes and the quota hold', async () => {
  const { key } = await gateway.user('bob', '1')
  const client = clientOf(key)
  expect(await thrownBy(client.uploads.create(facts(26 * 1024 * 1024)))).toMatchObject({ status: 413 })
  await gateway.admin.call('PATCH', '/api/settings', { quotas: { fileBytes: 10 } })
  expect(await thrownBy(client.uploads.create(facts(11)))).toMatchObject({ status: 403, code: 'quota_exceeded' })
  const begun = await client.uploads.create(facts(8))
  expect(await thrownBy(client.uploads.parts.create(begun.id, { data: await data('x'.repeat(11)) }))).toMatchObject({ status: 403 })
  await gateway.admin.call('PATCH', '/api/settings', { quotas: { fileBytes: 256 * 1024 * 1024 } })
  for (const bad of [
    { ...facts(1), bytes: 0 },
    { ...facts(1), purpose: 'nothing' },
    { ...facts(1), filename: '' },
  ]) {
    expect(await thrownBy(client.uploads.create(bad as never))).toMatchObject({ status: 400 })
  }
})

test.each(['/v1/uploads/upload_nobodys/parts', '/v1/uploads/upload_nobodys/complete', '/v1/uploads/upload_nobodys/cancel'])(
  'what nobody has begun is not there: %s',
  async (path) => {
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: '{}' })
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
  },
)
