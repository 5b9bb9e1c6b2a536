/** State that upstreams keep belongs to who created it through Parley, and goes back to the channel and key that made it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

let openai: ScriptedUpstream
let anthropic: ScriptedUpstream
let gateway: Gateway
let other: string

const version = { 'anthropic-version': '2023-06-01' }

beforeAll(async () => {
  openai = await scriptedUpstream()
  anthropic = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('responses', openai.url, { vendor: 'openai', speaks: ['responses'], models: ['gpt-5', 'gpt-5-other'] })
  await gateway.channel('messages', anthropic.url, { vendor: 'anthropic', models: ['claude-x'] })
  for (const model of ['gpt-5', 'gpt-5-other', 'claude-x']) await gateway.price(model)
  other = (await gateway.user('other', '1')).key
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await openai?.close()
  await anthropic?.close()
})

type Json = Record<string, unknown>
const call = (path: string, body: object, key = gateway.key, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 }
const says = (id: string, more: Json[] = []) =>
  respondJson(200, {
    id,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-5',
    output: [
      { type: 'reasoning', id: `rs_${id}`, summary: [] },
      ...more,
      {
        type: 'message',
        id: `msg_${id}`,
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
      },
    ],
    usage,
  })
const lastSent = (upstream: ScriptedUpstream) => upstream.requests.at(-1)?.json() as Json

describe('a response', () => {
  test('is continued by its own id where its upstream keeps it, and put together elsewhere, with the loss told', async () => {
    openai.next(says('resp_1'))
    expect((await call('/v1/responses', { model: 'gpt-5', input: 'hi' })).status).toBe(200)
    openai.next(says('resp_2'))
    const next = { model: 'gpt-5', input: 'and?', previous_response_id: 'resp_1' }
    const answer = await call('/v1/responses', next)
    expect([answer.status, lastSent(openai), answer.headers.get('x-parley-losses')]).toEqual([200, next, null])

    anthropic.next(
      respondJson(200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-x',
        content: [{ type: 'text', text: 'No.' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 5, output_tokens: 5 },
      }),
    )
    const elsewhere = await call('/v1/responses', { ...next, model: 'claude-x' })
    expect([elsewhere.status, elsewhere.headers.get('x-parley-losses')]).toEqual([200, expect.stringContaining('input.reasoning')])
    expect(JSON.stringify(lastSent(anthropic))).toContain('Yes.')
  })

  test('stands for its items: references to them go as they came to their keeper', async () => {
    openai.next(says('resp_3'))
    await call('/v1/responses', { model: 'gpt-5', input: 'hi' })
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'item_reference', id: 'msg_resp_3' },
      { role: 'user', content: 'go on' },
    ]
    openai.next(says('resp_4'))
    expect((await call('/v1/responses', { model: 'gpt-5', input })).status).toBe(200)
    expect(lastSent(openai).input).toEqual(input)
    const calls = openai.requests.length
    const unknown = await call('/v1/responses', { model: 'gpt-5', input: [{ type: 'item_reference', id: 'msg_nobody' }] })
    expect([unknown.status, ((await unknown.json()) as { error: Json }).error.param]).toEqual([404, 'input[0].id'])
    expect((await call('/v1/responses', { model: 'gpt-5', input }, other)).status).toBe(404)
    expect(openai.requests.length).toBe(calls)
  })

  test('that was streamed can be replayed as a stream', async () => {
    openai.next(says('resp_5'))
    await call('/v1/responses', { model: 'gpt-5', input: 'hi' })
    const headers = { authorization: `Bearer ${gateway.key}` }
    const replay = await fetch(`${gateway.url}/v1/responses/resp_5?stream=true`, { headers })
    expect(replay.headers.get('content-type')).toStartWith('text/event-stream')
    const events = (await replay.text())
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as Json] : []))
    const types = events.map(({ type }) => type)
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed'])
    expect(types).toContain('response.output_text.delta')
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index))
    const late = await fetch(`${gateway.url}/v1/responses/resp_5?stream=true&starting_after=${events.length - 2}`, { headers })
    expect((await late.text()).match(/^event: /gm)).toHaveLength(1)
  })
})

describe('what tools made', () => {
  test('a container goes back to its keeper, for its owner only', async () => {
    const container = (id: string) => ({ container: { id, expires_at: '2026-12-01T00:00:00Z' } })
    const answer = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 5 },
    }
    const ask = (more: object, key = gateway.key) =>
      call('/v1/messages', { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...more }, key, version)
    anthropic.next(respondJson(200, { ...answer, ...container('container_1') }))
    expect((await ask({})).status).toBe(200)
    anthropic.next(respondJson(200, answer))
    expect((await ask({ container: 'container_1' })).status).toBe(200)
    expect(lastSent(anthropic).container).toBe('container_1')
    expect((await ask({ container: 'container_1' }, other)).status).toBe(404)
    expect((await ask({ container: 'container_2' })).status).toBe(404)
  })

  test('ids inside tools are looked at', async () => {
    const calls = openai.requests.length
    const tools = [
      { type: 'file_search', vector_store_ids: ['vs_foreign'] },
      { type: 'code_interpreter', container: 'cntr_foreign' },
      { type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_foreign'] } },
      { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_foreign' } },
    ]
    for (const tool of tools) expect((await call('/v1/responses', { model: 'gpt-5', input: 'x', tools: [tool] })).status).toBe(404)
    expect(openai.requests.length).toBe(calls)
    openai.next(says('resp_6', [{ type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1', code: '1', status: 'completed' }]))
    await call('/v1/responses', { model: 'gpt-5', input: 'x' })
    openai.next(says('resp_7'))
    const own = { model: 'gpt-5', input: 'x', tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }
    expect((await call('/v1/responses', own)).status).toBe(200)
    expect((await call('/v1/responses', own, other)).status).toBe(404)
  })
})

describe('state that Parley never saw', () => {
  const chat = (content: object[], model = 'gpt-chat') => call('/v1/chat/completions', { model, messages: [{ role: 'user', content }] })
  const chatSays = (message: object = {}) =>
    respondJson(200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'gpt-chat',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.', ...message }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    })

  beforeAll(async () => {
    const buckets = { buckets: 'ours, gs://theirs-too' }
    await gateway.channel('chat', openai.url, { vendor: 'openai', speaks: ['chat'], models: ['gpt-chat'], options: buckets })
    await gateway.channel('alone', openai.url, {
      vendor: 'openai',
      speaks: ['responses'],
      models: ['gpt-alone'],
      foreignState: 'allow',
    })
    for (const model of ['gpt-chat', 'gpt-alone']) await gateway.price(model)
  })

  test('addresses in buckets go only to channels that name the bucket, whatever the dialect', async () => {
    const calls = openai.requests.length
    const image = (url: string) => [{ type: 'image_url', image_url: { url } }]
    for (const url of [
      'gs://foreign/a.png',
      'GS://foreign/a.png',
      's3://foreign/a.png',
      'gs:///a.png',
      'gs://ours.foreign/a',
      ' gs://ours/a.png',
      'gs:\t//ours/a.png',
      'files/abc',
      'https://generativelanguage.googleapis.com/v1beta/files/abc',
      'https://generativelanguage.googleapis.com.:443/v1beta/./%66iles/abc',
      `${openai.url.replace('127.0.0.1', '127.1')}/v1/files/abc/content`,
    ]) {
      expect([url, (await chat(image(url))).status]).toEqual([url, 404])
      const source = { type: 'image', source: { type: 'url', url } }
      const asked = { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: [source] }] }
      expect([url, (await call('/v1/messages', asked, gateway.key, version)).status]).toEqual([url, 404])
      expect([url, (await call('/v1/messages/count_tokens', asked, gateway.key, version)).status]).toEqual([url, 404])
      const input = [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }]
      expect([url, (await call('/v1/responses', { model: 'gpt-5', input })).status]).toEqual([url, 404])
    }
    expect(openai.requests.length).toBe(calls)
    for (const url of ['gs://ours/a.png', 's3://theirs-too/a.png']) {
      openai.next(chatSays())
      expect([url, (await chat(image(url))).status]).toEqual([url, 200])
    }
    openai.next(chatSays())
    expect((await chat([{ type: 'text', text: 'gs://foreign/a.png' }])).status).toBe(200)
  })

  test('the sound of an earlier answer belongs to who heard it', async () => {
    const heard = { content: null, audio: { id: 'audio_1', data: 'AAAA', transcript: 'Yes.', expires_at: 1_900_000_000 } }
    openai.next(chatSays(heard))
    await chat([{ type: 'text', text: 'hi' }])
    const messages = [
      { role: 'assistant', audio: { id: 'audio_1' } },
      { role: 'user', content: 'again' },
    ]
    openai.next(chatSays())
    expect((await call('/v1/chat/completions', { model: 'gpt-chat', messages })).status).toBe(200)
    expect((await call('/v1/chat/completions', { model: 'gpt-chat', messages }, other)).status).toBe(404)
  })

  test('`foreignState: allow` passes what nobody noted, as the client said it', async () => {
    const asked = [
      { model: 'gpt-alone', input: 'x', previous_response_id: 'resp_foreign' },
      { model: 'gpt-alone', input: [{ type: 'item_reference', id: 'msg_foreign' }] },
      { model: 'gpt-alone', input: 'x', conversation: 'conv_foreign' },
      { model: 'gpt-alone', input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-foreign' }] }] },
      { model: 'gpt-alone', input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'gs://any/a.png' }] }] },
    ]
    for (const [index, body] of asked.entries()) {
      openai.next(says(`resp_alone_${index}`))
      expect([index, (await call('/v1/responses', body)).status]).toEqual([index, 200])
      expect(lastSent(openai)).toEqual(body)
      expect([index, (await call('/v1/responses', { ...body, model: 'gpt-5' })).status]).toEqual([index, 404])
    }
  })

  test('a response that is continued on another channel of its dialect is named in the answer again', async () => {
    openai.next(says('resp_here'))
    await call('/v1/responses', { model: 'gpt-5', input: 'hi' })
    const next = { model: 'gpt-alone', input: 'and?', previous_response_id: 'resp_here' }
    openai.next(says('resp_there'))
    const answer = await call('/v1/responses', next)
    expect(lastSent(openai).previous_response_id).toBeUndefined()
    expect(await answer.json()).toMatchObject({ id: 'resp_there', previous_response_id: 'resp_here' })
    const response = {
      id: 'resp_streamed',
      object: 'response',
      status: 'in_progress',
      model: 'gpt-alone',
      output: [],
      previous_response_id: null,
    }
    const done = { ...response, status: 'completed', usage }
    const events = [
      { type: 'response.created', sequence_number: 0, response },
      { type: 'response.completed', sequence_number: 1, response: done },
    ]
    openai.next(stream(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)))
    const streamed = await (await call('/v1/responses', { ...next, stream: true })).text()
    expect(streamed.match(/"previous_response_id":"resp_here"/g)).toHaveLength(2)
  })
})

describe('valid requests', () => {
  test('a beta system turn needs no content, any other turn does', async () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'system', output_config: { effort: 'low' } },
    ]
    for (const body of [{ max_tokens: 9, messages }]) {
      anthropic.next(
        respondJson(200, {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude-x',
          content: [],
          stop_reason: 'max_tokens',
          stop_sequence: null,
          usage: { input_tokens: 5, output_tokens: 0 },
        }),
      )
      expect((await call('/v1/messages', { model: 'claude-x', ...body }, gateway.key, version)).status).toBe(200)
      expect(lastSent(anthropic)).toMatchObject(body)
    }
    const empty = { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user' }] }
    expect((await call('/v1/messages', empty, gateway.key, version)).status).toBe(400)
  })

  test('an answer in the background that is not to be stored is waited for, which is told', async () => {
    openai.next(says('resp_8'))
    const answer = await call('/v1/responses', { model: 'gpt-5', input: 'x', background: true, store: false })
    expect([answer.status, answer.headers.get('x-parley-losses')]).toEqual([200, expect.stringContaining('background')])
    expect(await answer.json()).toMatchObject({ status: 'completed' })
    expect(lastSent(openai)).toEqual({ model: 'gpt-5', input: 'x', store: false })
  })
})
