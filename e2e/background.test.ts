/**
 * Background answers of Responses, with the calls of the SDK: acknowledged at once, polled until complete, cancelled, refused, failed, and
 * interrupted by `kill -9`. Each is charged once.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { type Program, startProgram } from '#testing/program/program'
import { gate, respondJson, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const usage = { input_tokens: 100, output_tokens: 50, total_tokens: 150 }
const says = (text: string): Script => {
  const content = [{ type: 'output_text', text, annotations: [] }]
  const output = [{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }]
  return respondJson(200, {
    id: 'resp_of_the_vendor',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-5',
    output,
    usage,
  })
}
const open = new Set(['queued', 'in_progress'])

/** Asks until it is not being made any more. */
async function made(client: OpenAI, id: string): Promise<OpenAI.Responses.Response> {
  for (;;) {
    const response = await client.responses.retrieve(id)
    if (!open.has(response.status ?? '')) return response
    await wait(20)
  }
}

const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe('an answer in the background', () => {
  let gateway: Gateway
  let vendor: ScriptedUpstream
  let claude: ScriptedUpstream
  beforeAll(async () => {
    gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
    vendor = await scriptedUpstream()
    claude = await scriptedUpstream(messagesVendor({ models: ['claude-opus-4-8'] }))
    await gateway.price('gpt-5', { input: '1000', output: '2000' })
    await gateway.price('claude-opus-4-8')
    await gateway.channel('responses', vendor.url, { vendor: 'openai', speaks: ['responses'], models: ['gpt-5'] })
    await gateway.channel('claude', claude.url, { vendor: 'anthropic', models: ['claude-opus-4-8'] })
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await vendor?.close()
    await claude?.close()
  })

  const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
  const background = { model: 'gpt-5', input: 'hello', background: true, max_output_tokens: 100 } as const
  const moneyOf = async (session: Gateway['admin']) =>
    (await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user

  test('is answered at once, held, made, stored, charged once, and continued', async () => {
    const { key, session } = await gateway.user('ann', '5')
    const client = clientOf(key)
    const held = gate(says('hello yourself'))
    vendor.next(held.script)
    const number = vendor.requests.length
    const { data: begun, response: told } = await client.responses.create({ ...background, metadata: { a: 'b' } }).withResponse()
    expect(begun).toMatchObject({ object: 'response', status: 'in_progress', background: true, output: [], metadata: { a: 'b' } })
    expect(told.headers.get('x-parley-losses')).toBeNull()
    expect((await vendor.received(number)).json()).not.toHaveProperty('background')
    expect(await client.responses.retrieve(begun.id)).toMatchObject({ id: begun.id, status: 'in_progress' })
    const work = () => session.call<{ data: unknown[] }>('GET', '/api/work').then(({ data }) => data)
    expect(await work()).toMatchObject([
      { id: begun.id, kind: 'answer', model: 'gpt-5', state: 'in_progress', progress: null, endedAt: null },
    ])
    expect((await client.responses.inputItems.list(begun.id)).data).toMatchObject([{ role: 'user' }])
    // Money is held in the books of this process, so it affects other requests.
    expect(await thrownBy(client.responses.create({ ...background, max_output_tokens: 2400 }))).toMatchObject({ status: 429 })
    expect(await thrownBy(client.responses.delete(begun.id))).toMatchObject({ status: 400, code: 'invalid_value' })
    expect(await thrownBy(client.responses.create({ ...background, previous_response_id: begun.id }))).toMatchObject({ status: 404 })
    held.open()
    expect(await made(client, begun.id)).toMatchObject({
      id: begun.id,
      status: 'completed',
      background: true,
      output_text: 'hello yourself',
    })
    expect(await work()).toEqual([])
    const requestId = told.headers.get('x-request-id') ?? ''
    expect(await gateway.log(requestId)).toMatchObject({ status: 200, end: 'complete', cost: '0.2', charged: '0.2' })
    expect(await moneyOf(session)).toMatchObject({ balance: '4.8', held: '0' })
    vendor.next(says('again'))
    const next = await client.responses.create({ model: 'gpt-5', input: 'and?', previous_response_id: begun.id, max_output_tokens: 100 })
    expect(next.output_text).toBe('again')
    expect(JSON.stringify(vendor.requests.at(-1)?.json())).toContain('hello yourself')
    // A complete one stays as it is.
    expect(await client.responses.cancel(begun.id)).toMatchObject({ status: 'completed' })
    await client.responses.delete(begun.id)
    expect(await thrownBy(client.responses.retrieve(begun.id))).toMatchObject({ status: 404 })
  })

  test('is made by an upstream of another dialect, of a large question too', async () => {
    const client = clientOf(gateway.key)
    for (const input of ['hello there', [{ role: 'user', content: 'x'.repeat(1_200_000) } as const]]) {
      const begun = await client.responses.create({ ...background, model: 'claude-opus-4-8', input })
      expect(begun.status).toBe('in_progress')
      const { status, output_text, model } = await made(client, begun.id)
      expect([status, output_text.startsWith('You said: '), model]).toEqual(['completed', true, 'claude-opus-4-8'])
    }
  })

  test('is cancelled: what the upstream has begun is charged, and no other user sees it', async () => {
    const { key, session } = await gateway.user('bob', '5')
    const client = clientOf(key)
    const held = gate(says('too late'))
    vendor.next(held.script)
    const { data: begun, response: told } = await client.responses.create(background).withResponse()
    while (held.waiting() === 0) await wait(5)
    expect(await thrownBy(clientOf(gateway.key).responses.cancel(begun.id))).toMatchObject({ status: 404 })
    expect(await thrownBy(clientOf(gateway.key).responses.retrieve(begun.id))).toMatchObject({ status: 404 })
    expect(await client.responses.cancel(begun.id)).toMatchObject({ id: begun.id, status: 'cancelled' })
    held.open()
    const row = await gateway.log<{ end: string; charged: string }>(told.headers.get('x-request-id') ?? '')
    expect(row).toMatchObject({ end: 'aborted', status: 499, charged: '0.2' })
    expect(await moneyOf(session)).toMatchObject({ balance: '4.8', held: '0' })
    expect(await client.responses.retrieve(begun.id)).toMatchObject({ status: 'cancelled', output: [] })
    expect((await client.responses.inputItems.list(begun.id)).data).toHaveLength(1)
    await client.responses.delete(begun.id)
  })

  test('is stopped in the console only by its owner or an administrator, which is in the audit trail', async () => {
    const { key, session } = await gateway.user('eli', '5')
    const { session: other } = await gateway.user('fay', '5')
    const client = clientOf(key)
    for (const stops of [session, gateway.admin]) {
      const held = gate(says('too late'))
      vendor.next(held.script)
      const { id } = await client.responses.create(background)
      while (held.waiting() === 0) await wait(5)
      expect((await other.raw('POST', `/api/work/${id}/stop`)).status).toBe(404)
      expect(await stops.call('POST', `/api/work/${id}/stop`)).toMatchObject({ id, kind: 'answer', state: 'stopping' })
      held.open()
      expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled', output: [] })
      expect(await session.call<{ data: unknown[] }>('GET', '/api/work')).toMatchObject({ data: [] })
      const { data } = await gateway.admin.call<{ data: unknown[] }>('GET', '/api/audit?limit=1')
      expect(data).toMatchObject([{ action: 'answer.stop', target: id, targetName: id }])
    }
    for (const id of ['resp_nobodys', 'batch_1', '%00']) {
      expect((await gateway.admin.raw('POST', `/api/work/${id}/stop`)).status).toBe(404)
    }
  })

  test('that fails is reported as failed; what is refused before anything is held is refused at once', async () => {
    const { key, session } = await gateway.user('cay', '5')
    const client = clientOf(key)
    vendor.next(respondJson(400, { error: { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' } }))
    const begun = await client.responses.create(background)
    expect(await made(client, begun.id)).toMatchObject({ status: 'failed', error: { code: 'context_length_exceeded' }, output: [] })
    expect(await moneyOf(session)).toMatchObject({ balance: '5', held: '0' })
    expect(await thrownBy(client.responses.create({ ...background, model: 'nothing' }))).toMatchObject({ status: 404 })
    const { key: poor } = await gateway.user('dan', '0.01')
    expect(await thrownBy(clientOf(poor).responses.create(background))).toMatchObject({ status: 429, code: 'insufficient_quota' })
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${gateway.url}/v1/responses/resp_nobodys/cancel`, { method: 'POST', headers })).status).toBe(404)
  })

  test('that is not to be stored is answered in the foreground, and that is reported', async () => {
    vendor.next(says('now'))
    const { data, response } = await clientOf(gateway.key)
      .responses.create({ ...background, store: false })
      .withResponse()
    expect([data.status, response.headers.get('x-parley-losses')]).toEqual(['completed', 'background:adapted'])
  })

  test.each([true, false])('that may wait for a cheaper time is made at once, and that is reported (stored: %p)', async (store) => {
    vendor.next(says('now'))
    const number = vendor.requests.length
    const wanted = { ...background, background_options: { completion_window: '8h', continuation_id: 'a' }, store }
    const client = clientOf(gateway.key)
    const { data, response } = await client.responses.create(wanted as typeof background).withResponse()
    expect(await made(client, data.id).catch(() => data)).toMatchObject({ status: 'completed' })
    const sent = (await vendor.received(number)).json()
    for (const field of ['background', 'background_options']) expect(sent).not.toHaveProperty(field)
    const row = await gateway.log<{ losses: object[] }>(response.headers.get('x-request-id') ?? '')
    expect(row?.losses).toContainEqual(expect.objectContaining({ field: 'background_options', what: 'dropped' }))
    // Where nothing is made in the background, the field is the upstream's.
    vendor.next(says('now'))
    const soonest = { ...background, background: false, background_options: { completion_window: 'soonest' }, store }
    await client.responses.create(soonest as never)
    expect(vendor.requests.at(-1)?.json()).toHaveProperty('background_options')
  })
})

test('kill -9 leaves a failed answer, and books that agree', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-background-'))
  const database = await newPostgresDatabase()
  const env = { DATABASE_URL: database.url }
  const upstream = await scriptedUpstream()
  const key = 'sk-of-the-owner'
  const config = JSON.stringify({
    channels: [
      { name: 'responses', vendor: 'openai', speaks: ['responses'], baseUrl: upstream.url, keys: ['sk-vendor'], models: ['gpt-5'] },
    ],
    prices: { 'gpt-5': { input: '1000', output: '2000' } },
    users: [{ name: 'owner', balance: '5', password: 'a long pass phrase' }],
    keys: [{ name: 'of owner', user: 'owner', key }],
  })
  const client = ({ url }: Program) => new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  let program = await startProgram({ folder, config, env })
  try {
    const held = gate(says('never heard'))
    upstream.next(held.script)
    const { id } = await client(program).responses.create({ model: 'gpt-5', input: 'x', background: true, max_output_tokens: 100 })
    while (held.waiting() === 0) await wait(5)
    process.kill(program.pid, 'SIGKILL')
    await program.stop()
    // Without a heartbeat for a while; until then another instance might be generating it.
    await using sql = new Bun.SQL(database.url, { max: 1 })
    await sql`update background_responses set beat_at = beat_at - interval '20 seconds'`
    program = await startProgram({ folder, config, env })
    expect(await made(client(program), id)).toMatchObject({ id, status: 'failed', error: { code: 'internal_error' } })
    const facts = (await (await fetch(`${program.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })).json()) as {
      spent: string
    }
    expect(facts.spent).toBe('0')
    upstream.next(says('after all'))
    expect((await client(program).responses.create({ model: 'gpt-5', input: 'x', max_output_tokens: 100 })).output_text).toBe('after all')
  } finally {
    await program.stop()
    await upstream.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
