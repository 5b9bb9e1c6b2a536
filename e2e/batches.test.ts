/**
 * Batches with the calls of three SDKs: made, asked one by one within the limits of their key, read, ended, and charged once for each
 * request, whatever is killed or taken over in between.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { type BatchJob, GoogleGenAI } from '@google/genai'
import OpenAI, { toFile } from 'openai'
import { engines, sampledEngines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { type Program, startProgram } from '#testing/program/program'
import { gate, respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

type Lines = {
  custom_id: string
  response: { status_code: number; request_id: string; body: Record<string, unknown> } | null
  error: unknown
}[]

const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
const chatBody = (content: string, model = 'gpt-test') => ({ model, max_tokens: 100, messages: [{ role: 'user', content }] })
const fileOf = (endpoint: string, bodies: Record<string, unknown>) =>
  toFile(
    Buffer.from(
      Object.entries(bodies)
        .map(([custom_id, body]) => JSON.stringify({ custom_id, method: 'POST', url: endpoint, body }))
        .join('\n'),
    ),
    'requests.jsonl',
  )
const made = async (client: OpenAI, endpoint: string, bodies: Record<string, unknown>, more: object = {}) => {
  const { id } = await client.files.create({ file: await fileOf(endpoint, bodies), purpose: 'batch' })
  return client.batches.create({ input_file_id: id, endpoint: endpoint as '/v1/responses', completion_window: '24h', ...more })
}
const ended = async (client: OpenAI, id: string) => {
  for (;;) {
    const batch = await client.batches.retrieve(id)
    if (!['validating', 'in_progress', 'finalizing', 'cancelling'].includes(batch.status)) return batch
    await wait(50)
  }
}
const linesOf = async (client: OpenAI, file: string | null | undefined): Promise<Lines> =>
  file
    ? (await (await client.files.content(file)).text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []
/** Two tokens in, one out. */
const answers = respondJson(200, chatAnswer())

describe.each(sampledEngines(import.meta.file))('on %s, a batch', (engine) => {
  let gateway: Gateway
  let upstream: ScriptedUpstream
  beforeAll(async () => {
    upstream = await scriptedUpstream(answers)
    gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'on' } })
    await gateway.price('gpt-test', { input: '1000', output: '2000' })
    await gateway.channel('chat', upstream.url)
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })
  const openai = (apiKey: string) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
  const anthropic = (apiKey: string) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 })
  const moneyOf = async (session: Gateway['admin']) =>
    (await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user

  test('of chat completions is asked, written into files, charged and logged request by request', async () => {
    const { key, session } = await gateway.user('ann', '5')
    const client = openai(key)
    upstream.next(respondJson(400, { error: { message: 'no such thing', type: 'invalid_request_error' } }))
    const bodies = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, chatBody(name)]))
    const begun = await made(client, '/v1/chat/completions', bodies, { metadata: { night: '1' } })
    expect(begun).toMatchObject({ object: 'batch', status: 'in_progress', metadata: { night: '1' }, request_counts: { total: 5 } })
    const done = await ended(client, begun.id)
    expect(done).toMatchObject({ status: 'completed', request_counts: { total: 5, completed: 4, failed: 1 }, model: 'gpt-test' })
    const [output, errors] = [await linesOf(client, done.output_file_id), await linesOf(client, done.error_file_id)]
    expect(output.map(({ response }) => [response?.status_code, response?.body.object])).toEqual(Array(4).fill([200, 'chat.completion']))
    expect(errors).toMatchObject([{ response: { status_code: 400, body: { error: { message: expect.any(String) } } }, error: null }])
    expect([...output, ...errors].map(({ custom_id }) => custom_id).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
    const { data: rows } = await session.call<{ data: { requestId: string; batch?: string; charged: string }[] }>('GET', '/api/logs')
    const asked = rows.filter(({ requestId }) => [...output, ...errors].some(({ response }) => response?.request_id === requestId))
    expect(asked.map(({ batch }) => batch)).toEqual(Array(5).fill(begun.id))
    const { balance, held } = await moneyOf(session)
    const charged = rows.reduce((sum, row) => sum + Number(row.charged), 0)
    expect([charged > 0, Number(balance).toFixed(9), held]).toEqual([true, (5 - charged).toFixed(9), '0'])
    expect((await client.files.retrieve(done.output_file_id ?? '')).purpose as string).toBe('batch_output')
    const listed = []
    for await (const { id } of client.batches.list({ limit: 1 })) listed.push(id)
    expect(listed).toEqual([begun.id])
    // One that has ended stays as it is.
    expect(await client.batches.cancel(begun.id)).toMatchObject({ status: 'completed' })
  })

  test.each([
    ['/v1/responses', { model: 'parley-demo', input: 'hello' }, { object: 'response' }],
    ['/v1/completions', { model: 'parley-demo', prompt: 'hello' }, { object: 'text_completion' }],
    ['/v1/embeddings', { model: 'parley-demo-embed', input: 'hello' }, { object: 'list' }],
    ['/v1/moderations', { model: 'parley-demo-moderation', input: 'hello' }, { results: [{ flagged: false }] }],
  ])('of %s answers as the endpoint does', async (endpoint, body, wanted) => {
    const client = openai(gateway.key)
    const done = await ended(client, (await made(client, endpoint, { one: body })).id)
    expect(await linesOf(client, done.output_file_id)).toMatchObject([{ custom_id: 'one', response: { status_code: 200, body: wanted } }])
  })

  test('of messages is asked on an upstream of another dialect, and read as it comes', async () => {
    const { key } = await gateway.user('bob', '5')
    const client = anthropic(key)
    const params = (content: string) => ({ ...chatBody(content), messages: [{ role: 'user' as const, content }] })
    const requests = ['x', 'y', 'z'].map((custom_id) => ({ custom_id, params: params(custom_id) }))
    const begun = await client.messages.batches.create({ requests })
    expect(begun).toMatchObject({
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: 3 },
      results_url: null,
    })
    for (;;) {
      const { processing_status: status, results_url: url } = await client.messages.batches.retrieve(begun.id)
      if (status === 'ended' && url) break
      await wait(50)
    }
    const seen = []
    for await (const { custom_id, result } of await client.messages.batches.results(begun.id)) {
      seen.push([custom_id, result.type, result.type === 'succeeded' && result.message.type])
    }
    expect(seen).toEqual(['x', 'y', 'z'].map((name) => [name, 'succeeded', 'message']))
    const second = await client.messages.batches.create({ requests })
    const listed = []
    for await (const { id } of client.messages.batches.list({ limit: 1 })) listed.push(id)
    expect(listed).toEqual([second.id, begun.id])
    expect(await client.messages.batches.delete(begun.id)).toEqual({ id: begun.id, type: 'message_batch_deleted' })
    expect(await thrownBy(client.messages.batches.retrieve(begun.id))).toMatchObject({ status: 404 })
    await client.messages.batches.cancel(second.id)
  })

  const google = (apiKey: string, apiVersion?: string) =>
    new GoogleGenAI({ apiKey, ...(apiVersion && { apiVersion }), httpOptions: { baseUrl: gateway.url } })
  const jobEnded = async (client: GoogleGenAI, { name = '' }: BatchJob) => {
    for (;;) {
      const job = await client.batches.get({ name })
      if (job.state !== 'JOB_STATE_RUNNING') return job
      await wait(50)
    }
  }

  test.each([undefined, 'v1beta'])('in Gemini’s words has its requests in the call and its answers inside; version %p', async (version) => {
    const { key, session } = await gateway.user(`gem-${version ?? 'newest'}`, '5')
    const client = google(key, version)
    upstream.next(respondJson(400, { error: { message: 'no such thing', type: 'invalid_request_error' } }))
    const request = (contents: string, n: string) => ({ contents, metadata: { key: n }, config: { maxOutputTokens: 100 } })
    const src = [...'abc'].map((n) => request(`question ${n}`, n))
    const begun = await client.batches.create({ model: 'gpt-test', src, config: { displayName: 'of the night' } })
    expect(begun).toMatchObject({ displayName: 'of the night', state: 'JOB_STATE_RUNNING', model: 'models/gpt-test' })
    const done = await jobEnded(client, begun)
    const answered = done.dest?.inlinedResponses ?? []
    expect(done.state).toBe('JOB_STATE_SUCCEEDED' as never)
    expect(answered.map(({ metadata }) => metadata)).toEqual([...'abc'].map((n) => ({ key: n })))
    expect(answered.filter(({ response }) => response?.usageMetadata?.totalTokenCount === 3)).toHaveLength(2)
    expect(answered.flatMap(({ error }) => error ?? [])).toMatchObject([{ code: 3, message: expect.any(String) }])
    const { data: rows } = await session.call<{ data: { batch?: string; charged: string; dialect: string }[] }>('GET', '/api/logs')
    const own = rows.filter(({ batch }) => begun.name === `batches/${batch}`)
    expect(own.filter(({ charged }) => Number(charged) > 0).map(({ dialect }) => dialect)).toEqual(['gemini', 'gemini'])
    const { balance, held } = await moneyOf(session)
    expect([Number(balance).toFixed(9), held]).toEqual([(5 - rows.reduce((sum, row) => sum + Number(row.charged), 0)).toFixed(9), '0'])
    const second = await client.batches.create({ model: 'gpt-test', src: src.slice(1) })
    const listed = []
    for await (const { name } of await client.batches.list({ config: { pageSize: 1 } })) listed.push(name)
    expect(listed).toEqual([second.name, begun.name])
    await client.batches.cancel({ name: second.name ?? '' })
    expect(await thrownBy(google(gateway.key, version).batches.get({ name: begun.name ?? '' }))).toMatchObject({ status: 404 })
    expect(await thrownBy(google(gateway.key, version).batches.delete({ name: begun.name ?? '' }))).toMatchObject({ status: 404 })
    await client.batches.delete({ name: begun.name ?? '' })
    expect(await thrownBy(client.batches.get({ name: begun.name ?? '' }))).toMatchObject({ status: 404 })
    expect((await jobEnded(client, second)).state).toMatch(/^JOB_STATE_(CANCELLED|SUCCEEDED)$/)
  })

  test('in Gemini’s words comes in a file too, and embeds', async () => {
    const client = google(gateway.key)
    const line = (text: string) => JSON.stringify({ key: text, request: { contents: [{ parts: [{ text }] }] } })
    const file = new Blob([`${line('a')}\n${line('b')}\n`])
    const { name: fileName = '' } = await client.files.upload({ file, config: { mimeType: 'application/jsonl' } })
    const done = await jobEnded(client, await client.batches.create({ model: 'gpt-test', src: fileName }))
    const answers = await fetch(`${gateway.url}/v1beta/${done.dest?.fileName}:download?alt=media`, {
      headers: { 'x-goog-api-key': gateway.key },
    })
    const lines = (await answers.text()).trim().split('\n')
    expect(lines.map((text) => JSON.parse(text))).toMatchObject([...'ab'].map((key) => ({ key, response: { candidates: [{}] } })))
    const src = { inlinedRequests: { contents: ['one', 'two'] } }
    const embedded = await jobEnded(client, await client.batches.createEmbeddings({ model: 'parley-demo-embed', src }))
    const numbers = expect.arrayContaining([expect.any(Number)])
    expect(embedded.dest?.inlinedEmbedContentResponses).toMatchObject(Array(2).fill({ response: { embedding: { values: numbers } } }))
    const bad = (body: unknown) =>
      fetch(`${gateway.url}/v1beta/models/gpt-test:batchGenerateContent`, {
        ...{ method: 'POST', headers: { 'x-goog-api-key': gateway.key, 'content-type': 'application/json' } },
        body: JSON.stringify(body),
      }).then(async (answer) => [answer.status, await answer.json()])
    const inline = (request: unknown) => ({ batch: { input_config: { requests: { requests: [{ request }] } } } })
    const names = (field: string) => ({
      error: { details: expect.arrayContaining([expect.objectContaining({ fieldViolations: [expect.objectContaining({ field })] })]) },
    })
    const at = 'batch.inputConfig.requests.requests[0]'
    expect(await bad(inline({ contents: [] }))).toMatchObject([400, names(`${at}.request.contents`)])
    expect(await bad(inline({ model: 'models/other', contents: [{ parts: [{ text: 'x' }] }] }))).toMatchObject([400, names(at)])
    expect(await bad({ batch: {} })).toMatchObject([400, names('batch.inputConfig')])
    expect(await bad({ batch: { inputConfig: { fileName: 'files/parleyf00' } } })).toMatchObject([404, { error: { status: 'NOT_FOUND' } }])
  })

  test('that is cancelled asks no more; what was asked is charged and kept', async () => {
    const { key, session } = await gateway.user('cay', '5')
    const client = openai(key)
    const held = Array.from({ length: 4 }, () => gate(answers))
    for (const { script } of held) upstream.next(script)
    const begun = await made(
      client,
      '/v1/chat/completions',
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`n${n}`, chatBody('x')])),
    )
    while (held.some(({ waiting }) => waiting() === 0)) await wait(10)
    expect(await client.batches.cancel(begun.id)).toMatchObject({ status: 'cancelling' })
    for (const { open } of held) open()
    const done = await ended(client, begun.id)
    expect(done).toMatchObject({ status: 'cancelled', request_counts: { total: 9, completed: 4, failed: 0 } })
    expect(await linesOf(client, done.output_file_id)).toHaveLength(4)
    expect(await linesOf(client, done.error_file_id)).toMatchObject(Array(5).fill({ response: null, error: { code: 'batch_cancelled' } }))
    expect((await moneyOf(session)).held).toBe('0')
  })

  test('without a field is refused', async () => {
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${gateway.url}/v1/batches`, { method: 'POST', headers, body: '{"endpoint":"/v1/responses"}' })
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'input_file_id' } }])
  })

  test('that no balance covers is refused in the caller’s format, and holds nothing', async () => {
    const { key, session } = await gateway.user('dan', '0.5')
    const many = Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`n${n}`, chatBody('x')]))
    // Each may cost a fifth of a dollar and a little: two are affordable, four are not.
    expect(await thrownBy(made(openai(key), '/v1/chat/completions', many))).toMatchObject({ status: 429, code: 'insufficient_quota' })
    const requests = Object.keys(many).map((custom_id) => ({
      custom_id,
      params: chatBody('x') as Anthropic.MessageCreateParamsNonStreaming,
    }))
    expect(await thrownBy(anthropic(key).messages.batches.create({ requests }))).toMatchObject({ status: 402 })
    expect(await moneyOf(session)).toMatchObject({ balance: '0.5', held: '0' })
    expect((await openai(key).batches.list()).data).toEqual([])
    const { n0, n1 } = many
    expect((await ended(openai(key), (await made(openai(key), '/v1/chat/completions', { n0, n1 })).id)).status).toBe('completed')
  })

  test('belongs to its creator, and errors name the line of the request', async () => {
    const { key } = await gateway.user('eve', '1')
    const client = openai(gateway.key)
    const begun = await made(client, '/v1/chat/completions', { a: chatBody('x') })
    expect(await thrownBy(openai(key).batches.retrieve(begun.id))).toMatchObject({ status: 404 })
    expect(await thrownBy(openai(key).batches.cancel(begun.id))).toMatchObject({ status: 404 })
    expect(await thrownBy(anthropic(gateway.key).messages.batches.retrieve(begun.id))).toMatchObject({ status: 404 })
    const endpoint = '/v1/chat/completions'
    const refused = async (bodies: Record<string, unknown>, at = endpoint) => {
      const { id } = await client.files.create({ file: await fileOf(at, bodies), purpose: 'batch' })
      return thrownBy(client.batches.create({ input_file_id: id, endpoint, completion_window: '24h' }))
    }
    for (const [bodies, word] of [
      [{ a: chatBody('x'), b: { ...chatBody('x'), stream: true } }, 'stream'],
      [{ a: chatBody('x'), b: chatBody('x', 'nothing') }, 'model'],
      [{ a: chatBody('x'), b: { model: 'gpt-test' } }, 'messages'],
    ] as const) {
      const { status, message } = (await refused(bodies)) as { status: number; message: string }
      expect([status >= 400 && status < 500, message.includes('Line 2') && message.includes(word)]).toEqual([true, true])
    }
    expect(await refused({ a: chatBody('x') }, '/v1/embeddings')).toMatchObject({
      status: 400,
      message: expect.stringContaining('Line 1'),
    })
    expect(await refused({})).toMatchObject({ status: 400 })
    const { id } = await client.files.create({ file: await toFile(Buffer.from('{}'), 'x.jsonl'), purpose: 'user_data' })
    expect(await thrownBy(client.batches.create({ input_file_id: id, endpoint, completion_window: '24h' }))).toMatchObject({
      status: 400,
    })
    const params = chatBody('x') as Anthropic.MessageCreateParamsNonStreaming
    const twice = {
      requests: [
        { custom_id: 'a', params },
        { custom_id: 'a', params },
      ],
    }
    expect(await thrownBy(anthropic(gateway.key).messages.batches.create(twice))).toMatchObject({ status: 400 })
    expect(await thrownBy(anthropic(gateway.key).messages.batches.create({ requests: [] }))).toMatchObject({ status: 400 })
  })

  test('waits for the limits of its key, and continues', async () => {
    const { session } = await gateway.user('fay', '5')
    const { key } = await session.call<{ key: string }>('POST', '/api/keys', { name: 'one at a time', limits: { concurrency: 1 } })
    const bodies = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, chatBody(name)]))
    expect(await ended(openai(key), (await made(openai(key), '/v1/chat/completions', bodies)).id)).toMatchObject({
      status: 'completed',
      request_counts: { completed: 3 },
    })
  })

  test.each([
    ['GET', '/v1/batches/batch_nobodys'],
    ['POST', '/v1/batches/batch_nobodys/cancel'],
    ['GET', '/v1/messages/batches/msgbatch_nobodys'],
    ['DELETE', '/v1/messages/batches/msgbatch_nobodys'],
    ['POST', '/v1/messages/batches/msgbatch_nobodys/cancel'],
    ['GET', '/v1/messages/batches/msgbatch_nobodys/results'],
    ['DELETE', '/v1/batches/batch_nobodys'],
    ['POST', '/v1/batches/batch_nobodys:cancel'],
    ['GET', '/v1beta/batches/batch_nobodys'],
    ['GET', '/v1beta/batches?pageToken=batch_nobodys'],
    ['POST', '/v1beta/models/nobodys:asyncBatchEmbedContent'],
    ['POST', '/v1/models/nobodys:batchGenerateContent'],
    ['POST', '/v1/models/nobodys:asyncBatchEmbedContent'],
  ])('of nobody is not there: %s %s', async (method, path) => {
    const headers = { authorization: `Bearer ${gateway.key}`, ...(method === 'POST' && { 'content-type': 'application/json' }) }
    const named = '{"batch":{"inputConfig":{"requests":{"requests":[{"request":{"contents":[{}],"content":{"parts":[{"text":"x"}]}}}]}}}}'
    const answer = await fetch(gateway.url + path, { method, headers, ...(method === 'POST' && { body: named }) })
    const { error } = (await answer.json()) as { error: { code?: string; type?: string; status?: string } }
    const ofGoogle = /v1beta|models/.test(path)
    expect([answer.status, error.type ?? error.status]).toEqual([
      path.includes('pageToken') ? 400 : 404,
      ofGoogle
        ? path.includes('pageToken')
          ? 'INVALID_ARGUMENT'
          : 'NOT_FOUND'
        : path.includes('messages')
          ? 'not_found_error'
          : 'invalid_request_error',
    ])
  })

  test('is in the console of its owner and of administrators, who stop it', async () => {
    const { key, session } = await gateway.user('hal', '5')
    const { session: other } = await gateway.user('ida', '5')
    const held = gate(answers)
    upstream.next(held.script)
    const begun = await made(openai(key), '/v1/chat/completions', { a: chatBody('a') })
    const listed = async (who: Gateway['admin']) => (await who.call<{ data: { id: string }[] }>('GET', '/api/batches')).data
    expect(await listed(session)).toMatchObject([{ id: begun.id, state: 'running', model: 'gpt-test', key: 'key of hal', total: 1 }])
    expect((await listed(session))[0]).not.toHaveProperty('user')
    expect((await listed(gateway.admin)).find(({ id }) => id === begun.id)).toMatchObject({ user: { name: 'hal' } })
    expect(await listed(other)).toEqual([])
    const pages = await gateway.admin.call<{ data: { id: string }[]; next: string }>('GET', '/api/batches?limit=1')
    const [next] = (await gateway.admin.call<{ data: { id: string }[] }>('GET', `/api/batches?limit=1&after=${pages.next}`)).data
    expect(next?.id).not.toBe(pages.data[0]?.id as string)
    expect((await other.raw('POST', `/api/batches/${begun.id}/stop`)).status).toBe(404)
    while (held.waiting() === 0) await wait(10)
    expect(await gateway.admin.call('POST', `/api/batches/${begun.id}/stop`)).toMatchObject({ state: 'stopping' })
    held.open()
    expect(await ended(openai(key), begun.id)).toMatchObject({ request_counts: { completed: 1 } })
    expect(await session.call('POST', `/api/batches/${begun.id}/stop`)).toMatchObject({ state: 'ended', succeeded: 1 })
    const trail = await gateway.admin.call<{ data: { action: string; target: string }[] }>('GET', '/api/audit?limit=50')
    expect(trail.data.filter(({ action }) => action === 'batch.stop')).toMatchObject([{ target: begun.id }])
  })

  test('ends with its key', async () => {
    const { session } = await gateway.user('gus', '5')
    const { key, id: keyId } = await session.call<{ key: string; id: string }>('POST', '/api/keys', {
      name: 'short',
      limits: { concurrency: 1 },
    })
    const other = (await session.call<{ key: string }>('POST', '/api/keys', { name: 'other' })).key
    const held = gate(answers)
    upstream.next(held.script)
    const begun = await made(openai(key), '/v1/chat/completions', { a: chatBody('a'), b: chatBody('b') })
    while (held.waiting() === 0) await wait(10)
    await session.call('DELETE', `/api/keys/${keyId}`)
    held.open()
    expect(await ended(openai(other), begun.id)).toMatchObject({ status: 'cancelled', request_counts: { total: 2 } })
  })
})

const config = (url: string) =>
  JSON.stringify({
    channels: [{ name: 'chat', vendor: 'openai-compatible', baseUrl: url, keys: ['sk-vendor'], models: ['gpt-test'] }],
    prices: { 'gpt-test': { input: '1000', output: '2000' } },
    users: [{ name: 'owner', balance: '50', password: 'a long pass phrase' }],
    keys: [{ name: 'of owner', user: 'owner', key: 'sk-of-the-owner' }],
  })
/** A short takeover timeout. */
const soon = { PARLEY_TAKEOVER: '5s' }
const clientOf = ({ url }: Program) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-of-the-owner', maxRetries: 0 })
const spent = async ({ url }: Program) => {
  const headers = { authorization: 'Bearer sk-of-the-owner' }
  return ((await (await fetch(`${url}/v1/key`, { headers })).json()) as { spent: string }).spent
}
const eight = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`n${n}`, chatBody('x')]))

/** Four requests have been answered and four are being asked. */
async function halfDone(program: Program, upstream: ScriptedUpstream): Promise<{ id: string; open(): void }> {
  const held = gate(answers)
  for (let n = 0; n < 4; n++) upstream.next(answers)
  for (let n = 0; n < 4; n++) upstream.next(held.script)
  const { id } = await made(clientOf(program), '/v1/chat/completions', eight)
  while (held.waiting() < 4) await wait(10)
  for (;;) {
    const { request_counts: counts } = await clientOf(program).batches.retrieve(id)
    if (counts?.completed === 4) return { id, open: held.open }
    await wait(20)
  }
}

async function isWholeAndChargedOnce(program: Program, id: string): Promise<void> {
  const client = clientOf(program)
  const done = await ended(client, id)
  expect(done).toMatchObject({ status: 'completed', request_counts: { total: 8, completed: 8, failed: 0 } })
  const lines = await linesOf(client, done.output_file_id)
  expect(lines.map(({ custom_id }) => custom_id).sort()).toEqual(Object.keys(eight))
  const { usage } = (lines[0]?.response?.body ?? {}) as { usage: { prompt_tokens: number; completion_tokens: number } }
  const each = (usage.prompt_tokens * 1000 + usage.completion_tokens * 2000) / 1e6
  expect(Number(await spent(program)).toFixed(6)).toBe((8 * each).toFixed(6))
}

test('kill -9 in the middle of a batch: it continues, and each request is charged once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-batches-'))
  const upstream = await scriptedUpstream(answers)
  let program = await startProgram({ folder, config: config(upstream.url), env: soon })
  try {
    const { id } = await halfDone(program, upstream)
    process.kill(program.pid, 'SIGKILL')
    await program.stop()
    program = await startProgram({ folder, config: config(upstream.url), env: soon })
    await isWholeAndChargedOnce(program, id)
    // Four once, four twice: those that were interrupted.
    expect(upstream.requests.length).toBe(12)
  } finally {
    await program.stop()
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)

test.if(engines.includes('postgres')).each([
  ['is killed', (first: Program) => process.kill(first.pid, 'SIGKILL')],
  // Requests in progress are still answered and charged.
  ['leaves', (first: Program, open: () => void) => process.kill(first.pid, 'SIGTERM') && open()],
] as const)(
  'another instance takes a batch over when its own %s',
  async (_, ends) => {
    const database = await newPostgresDatabase()
    const upstream = await scriptedUpstream(answers)
    const env = { ...soon, DATABASE_URL: database.url, PARLEY_MASTER_KEY: 'cd'.repeat(32) }
    const start = () => startProgram({ env, config: config(upstream.url) })
    const first = await start()
    let second: Program | undefined
    try {
      const { id, open } = await halfDone(first, upstream)
      second = await start()
      ends(first, open)
      await isWholeAndChargedOnce(second, id)
    } finally {
      await first.stop()
      await second?.stop()
      await upstream.close()
      await database.drop()
    }
  },
  120_000,
)
