/**
 * Interactions that a channel of Google's answers and keeps by itself, with the calls of its SDK: what goes there and comes back, whose it is,
 * what is held and charged, once, across kills and in the background; and when Parley stores them instead.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GoogleGenAI } from '@google/genai'
import { sampledEngine } from '#testing/database/database'
import { type Program, startProgram } from '#testing/program/program'
import { stream, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { type Gateway, signInAt, startGateway } from './support/gateway.ts'
import { type InteractionsVendor, interactionsVendor } from './support/interactions/interactions-vendor.ts'

const model = 'fast'
const agent = 'deep-research'
let vendor: InteractionsVendor
let google: ScriptedUpstream
let other: ScriptedUpstream
let chat: ScriptedUpstream
let gateway: Gateway

const models = [
  { name: model, upstream: 'gemini-3-pro' },
  { name: agent, upstream: 'deep-research-pro-preview-12-2025' },
]
const price = { input: '1', output: '2', cacheRead: '0.5', search: '0.01' }
/** 60 fresh and 40 cached tokens, 5 of tools, 30 of the answer, 2 searches. */
const cost = '0.020145'

beforeAll(async () => {
  vendor = interactionsVendor({ otherwise: geminiVendor({ models: ['gemini-3-pro'] }) })
  google = await scriptedUpstream(vendor.script)
  other = await scriptedUpstream(interactionsVendor({ begins: 'other_' }).script)
  chat = await scriptedUpstream(chatVendor())
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  for (const name of [model, agent, 'on-chat', 'on-both', 'kept']) await gateway.price(name, price)
  await gateway.channel('google', google.url, { vendor: 'gemini', models: [...models, { name: 'on-both', upstream: 'gemini-3-pro' }] })
  await gateway.channel('chat', chat.url, {
    models: [
      { name: 'on-chat', upstream: 'gpt-test' },
      { name: 'on-both', upstream: 'gpt-test' },
    ],
    priority: 5,
  })
  await gateway.channel('without', google.url, {
    vendor: 'gemini',
    operations: ['generate'],
    models: [{ name: 'kept', upstream: 'gemini-3-pro' }],
  })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  for (const one of [google, other, chat]) await one?.close()
})

const clientOf = (apiKey = gateway.key, baseUrl = gateway.url) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown as { status: number; message: string },
  )
async function raw(body: object, key = gateway.key) {
  const headers = { 'x-goog-api-key': key, 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.url}/v1beta/interactions`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, id: answer.headers.get('x-request-id') ?? '', text: await answer.text(), headers: answer.headers }
}
const balanceOf = async (session: Gateway['admin']) =>
  (await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user

test('an interaction passes as it is, both ways, and is charged by what Google says', async () => {
  const body = {
    ...{ model, input: 'hello', system_instruction: 'Be brief.', labels: { a: 'b' } },
    tools: [{ type: 'url_context' }, { type: 'google_maps' }, { type: 'google_search' }],
    generation_config: { temperature: 0.5, stop_sequences: ['x'] },
  }
  const { status, id, text, headers } = await raw(body)
  expect(status).toBe(200)
  expect(vendor.created.at(-1)).toEqual({ ...body, model: 'gemini-3-pro' })
  expect(text).toContain('"odd_field":{"nested":[1,2.5]}')
  const said = JSON.parse(text)
  expect(said).toMatchObject({ model, status: 'completed', usage: { total_tokens: 135 } })
  expect(headers.get('x-parley-losses')).toBeNull()
  expect(await gateway.log(id)).toMatchObject({
    ...{ operation: 'interact', dialect: 'gemini', model, upstreamModel: 'gemini-3-pro', channel: 'google', end: 'complete', losses: [] },
    ...{ cost, charged: cost, provenance: 'provider' },
    usage: { in: { fresh: 65, cacheRead: 40 }, out: { total: 30, reasoning: 10 }, units: { searches: 2 } },
  })
})

test('it is read, streamed, continued and deleted where it lies; by its owner alone', async () => {
  const client = clientOf()
  const first = await client.interactions.create({ model, input: 'hello' })
  expect(first).toMatchObject({ output_text: 'Google heard: hello', model, status: 'completed' })
  expect(await client.interactions.get(first.id, { include_input: true })).toMatchObject({ id: first.id, model, input: 'hello' })
  const events: Record<string, unknown>[] = []
  for await (const event of await client.interactions.create({ model, input: 'more', previous_interaction_id: first.id, stream: true }))
    events.push(event as unknown as Record<string, unknown>)
  expect(events[0]).toMatchObject({ event_type: 'interaction.created', interaction: { model, previous_interaction_id: first.id } })
  const last = events.at(-1) as { interaction: { id: string; model: string } }
  expect(last).toMatchObject({ event_type: 'interaction.completed', interaction: { model, status: 'completed' } })
  const again: unknown[] = []
  for await (const event of await client.interactions.get(last.interaction.id, {
    stream: true,
    last_event_id: String(events[1]?.event_id),
  }))
    again.push(event)
  expect(again).toEqual(events.slice(2))
  const eve = clientOf((await gateway.user('eve', '10')).key)
  for (const call of [
    () => eve.interactions.get(first.id),
    () => eve.interactions.get(first.id, { stream: true }),
    () => eve.interactions.cancel(first.id),
    () => eve.interactions.delete(first.id),
    () => eve.interactions.create({ model, input: 'a', previous_interaction_id: first.id }),
  ])
    expect(await thrownBy(call())).toMatchObject({ status: 404, message: expect.stringContaining('interaction') })
  expect(await client.interactions.get(first.id)).toMatchObject({ id: first.id })
  await client.interactions.delete(first.id)
  expect(await thrownBy(client.interactions.get(first.id))).toMatchObject({ status: 404 })
  expect(await thrownBy(client.interactions.create({ model, input: 'a', previous_interaction_id: first.id }))).toMatchObject({
    status: 404,
  })
})

test('agents are asked like models, with their environment; what is only Google’s is refused where no channel has it', async () => {
  const client = clientOf()
  const made = await client.interactions.create({ agent, input: 'look it up', environment: { type: 'remote' } } as never)
  expect(made).toMatchObject({ agent, status: 'completed' })
  expect(vendor.created.at(-1)).toMatchObject({ agent: 'deep-research-pro-preview-12-2025' })
  const place = (made as unknown as { environment_id: string }).environment_id
  const goesOn = { agent, input: 'again', environment: place }
  expect(await client.interactions.create(goesOn as never)).toMatchObject({ status: 'completed' })
  const eve = await gateway.user('eva', '10')
  expect(await thrownBy(clientOf(eve.key).interactions.create(goesOn as never))).toMatchObject({ status: 404 })
  for (const only of [{ tools: [{ type: 'google_maps' }] }, { response_modalities: ['image'] }, { environment: 'remote' }])
    expect(await thrownBy(client.interactions.create({ model: 'on-chat', input: 'a', ...only } as never))).toMatchObject({
      status: 400,
      message: expect.stringContaining('Google'),
    })
  expect(await thrownBy(client.interactions.create({ agent: 'nobodys', input: 'a' } as never))).toMatchObject({
    status: 400,
    message: expect.stringContaining('under its name'),
  })
})

test('which interactions pass: those that a channel serves; what was kept here goes on here', async () => {
  const client = clientOf()
  const both = await client.interactions.create({ model: 'on-both', input: 'hello' })
  expect(both.id).toStartWith('v1_')
  const kept = await client.interactions.create({ model: 'kept', input: 'hello there' })
  expect(kept).toMatchObject({ output_text: 'You said: hello there' })
  const recalls = { input: 'scenario recall', previous_interaction_id: kept.id }
  expect((await client.interactions.create({ model: 'kept', ...recalls })).output_text).toContain('user: hello there')
  // The model of a channel that serves interactions also continues those stored by Parley.
  expect((await client.interactions.create({ model, ...recalls })).output_text).toContain('user: hello there')
  const elsewhere = client.interactions.create({ model: 'on-chat', input: 'a', previous_interaction_id: both.id })
  expect(await thrownBy(elsewhere)).toMatchObject({ status: 400, message: expect.stringContaining('interactions') })
})

test('errors of the upstream come in Google’s envelope, and nothing is charged', async () => {
  const refused = await raw({ model, input: 'be refused' })
  expect(refused.status).toBe(400)
  expect(JSON.parse(refused.text)).toMatchObject({
    error: { code: 400, status: 'INVALID_ARGUMENT', message: 'The input is not what it should be.' },
  })
  const broken = await raw({ model, input: 'break' })
  expect(broken.status).toBe(502)
  for (const { id } of [refused, broken]) expect(await gateway.log(id)).toMatchObject({ end: 'error', charged: '0' })
  await gateway.heal()
  for (const [body, field] of [
    [{ model }, 'input'],
    [{ input: 'a' }, 'model'],
    [{ model, input: 'a', background: true, store: false }, 'store'],
    [{ model, input: 'a', stream: 'yes' }, 'stream'],
  ] as const) {
    const answer = await raw(body)
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)])
  }
})

test('a stream that breaks off says so in its own words, is charged for what was delivered, and is its owner’s', async () => {
  const events = [
    { event_type: 'interaction.created', interaction: { id: 'v1_broken', status: 'in_progress', model: 'gemini-3-pro' } },
    { event_type: 'step.start', index: 0, step: { type: 'model_output', content: [] } },
    { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'eight more words than were asked for here' } },
  ].map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`)
  google.next(stream(events, { ending: 'close' }))
  const { id, text, status } = await raw({ model, input: 'hello', stream: true })
  expect(status).toBe(200)
  expect(text).toContain(`"model":"${model}"`)
  expect(text).toEndWith('event: done\ndata: [DONE]\n\n')
  expect(text).toMatch(/event: error\ndata: \{"event_type":"error","error":\{"code":"upstream_error"/)
  const row = await gateway.log<{ charged: string }>(id)
  expect(row).toMatchObject({ operation: 'interact', end: 'cut', provenance: 'estimated' })
  expect(Number(row.charged)).toBeGreaterThan(0)
  const number = google.requests.length
  expect(await thrownBy(clientOf().interactions.get('v1_broken'))).toMatchObject({ status: 404 })
  expect((await google.received(number)).target).toStartWith('/v1beta/interactions/v1_broken')
  await gateway.heal()
})

test('in the background it is charged when it is done, whoever waits; a stream of it is followed', async () => {
  const ann = await gateway.user('ann', '10')
  const client = clientOf(ann.key)
  const begun = await client.interactions.create({ model, input: 'slowly', background: true })
  expect(begun).toMatchObject({ status: 'in_progress', model })
  for (let tries = 0; tries < 100 && (await balanceOf(ann.session)).held === '0'; tries++) await wait(50)
  expect(Number((await balanceOf(ann.session)).held)).toBeGreaterThan(0)
  const { data } = await ann.session.call<{ data: object[] }>('GET', '/api/work')
  expect(data[0]).toMatchObject({ kind: 'interaction', model, state: 'in_progress', key: 'key of ann' })
  expect(await client.interactions.get(begun.id)).toMatchObject({ status: 'in_progress' })
  expect(await thrownBy(client.interactions.delete(begun.id))).toMatchObject({ status: 400, message: expect.stringContaining('Cancel it') })
  vendor.done.add(begun.id)
  for (let tries = 0; tries < 200 && (await balanceOf(ann.session)).balance === '10'; tries++) await wait(50)
  expect(await balanceOf(ann.session)).toMatchObject({ balance: '9.979855', held: '0' })
  expect(await client.interactions.get(begun.id)).toMatchObject({ status: 'completed', output_text: 'Google heard: slowly' })
  const events: { event_type: string }[] = []
  for await (const event of await client.interactions.create({ model, input: 'shown', background: true, stream: true })) events.push(event)
  expect(vendor.created.at(-1)).toEqual({ model: 'gemini-3-pro', input: 'shown', background: true })
  expect(events.at(-1)).toMatchObject({ event_type: 'interaction.completed', interaction: { model } })
  const id = (events[0] as unknown as { interaction: { id: string } }).interaction.id
  expect(await client.interactions.cancel(id)).toMatchObject({ id, status: 'cancelled' })
  for (let tries = 0; tries < 200 && (await balanceOf(ann.session)).balance === '9.979855'; tries++) await wait(50)
  expect(await balanceOf(ann.session)).toMatchObject({ balance: '9.95971', held: '0' })
  const open = await client.interactions.create({ model, input: 'on and on', background: true })
  const listed = await ann.session.call<{ data: { id: string }[] }>('GET', '/api/work')
  const [going] = listed.data
  expect(await ann.session.call('POST', `/api/work/${going?.id}/stop`)).toMatchObject({ kind: 'interaction', state: 'stopping' })
  expect(await client.interactions.get(open.id)).toMatchObject({ status: 'cancelled' })
  for (let tries = 0; tries < 200 && (await balanceOf(ann.session)).balance === '9.95971'; tries++) await wait(50)
  expect(await balanceOf(ann.session)).toMatchObject({ balance: '9.939565', held: '0' })
  const { data: rows } = await ann.session.call<{ data: object[] }>('GET', '/api/logs?limit=2')
  expect(rows[0]).toMatchObject({ operation: 'interact', end: 'aborted', charged: cost })
}, 60_000)

test('kill -9 while it is made: it is settled exactly once by whoever goes on, and its owner still has it', async () => {
  const folder = mkdtempSync(join('/tmp', 'parley-interactions-'))
  const own = { PARLEY_ADMIN_USER: 'root', PARLEY_ADMIN_PASSWORD: 'a long enough word 7', PARLEY_DEMO: 'off' }
  const config = `
channels: [{ name: google, vendor: gemini, baseUrl: "${google.url}", keys: [sk-vendor], models: [{ name: ${model}, upstream: gemini-3-pro }] }]
prices: { ${model}: { input: 1, output: 2, cacheRead: 0.5, search: 0.01 } }
users: [{ name: ann, password: "password of ann 7", balance: 10 }]
keys: [{ name: own, user: ann, key: sk-a-key-of-ann }]
`
  let program: Program = await startProgram({ folder, config, env: own })
  try {
    const client = () => clientOf('sk-a-key-of-ann', program.url)
    const begun = await client().interactions.create({ model, input: 'slowly', background: true })
    process.kill(program.pid, 'SIGKILL')
    await program.stop()
    vendor.done.add(begun.id)
    program = await startProgram({ folder, config, env: own })
    const balance = async () => balanceOf(await signInAt(program.url, 'ann', 'password of ann 7'))
    for (let tries = 0; tries < 200 && (await balance()).balance === '10'; tries++) await wait(50)
    expect(await balance()).toMatchObject({ balance: '9.979855', held: '0' })
    expect(await client().interactions.get(begun.id)).toMatchObject({ status: 'completed' })
    process.kill(program.pid, 'SIGKILL')
    await program.stop()
    program = await startProgram({ folder, config, env: own })
    expect(await balance()).toMatchObject({ balance: '9.979855', held: '0' })
    const next = await client().interactions.create({ model, input: 'on', previous_interaction_id: begun.id })
    expect(next.previous_interaction_id).toBe(begun.id)
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 90_000)

test('a large one passes, too, or is kept; a stored file goes along as its bytes', async () => {
  const text = 'long '.repeat(400_000)
  const passed = await clientOf().interactions.create({ model, input: text })
  expect(passed.output_text).toBe(`Google heard: ${text}`)
  const kept = await clientOf().interactions.create({ model: 'kept', input: `hello ${text}` })
  expect(kept.output_text).toStartWith('You said: hello long')
  const form = new FormData()
  form.append('purpose', 'user_data')
  form.append('file', new File(['what is in it'], 'a.txt', { type: 'text/plain' }))
  const upload = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${gateway.key}` }, body: form })
  const { id } = (await upload.json()) as { id: string }
  await clientOf().interactions.create({ model, input: [{ type: 'document', uri: `files/${id.replace(/^file[-_]/, '')}` }] as never })
  expect(vendor.created.at(-1)?.input).toEqual([
    { type: 'document', mime_type: 'text/plain', data: Buffer.from('what is in it').toString('base64') },
  ])
}, 60_000)
