/**
 * One JSON text, one reading: whatever passes is read alike by Parley and by upstreams that match names without regard to case or keep
 * another one of duplicates. A key that may use one model gets no other, and fields that a channel sets or removes stay so.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { jsonReaders } from '#testing/upstream/json-readers'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { conversing, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

const [cheap, dear] = ['cheap', 'dear']
let upstream: ScriptedUpstream
let vendor: RealtimeVendor
let gateway: Gateway
let key: string

beforeAll(async () => {
  // Its answer does not matter, only the request that it got.
  upstream = await scriptedUpstream(respondJson(400, { error: { message: 'no', type: 'invalid_request_error' } }))
  vendor = realtimeVendor(conversing('hello'))
  gateway = await startGateway(sampledEngine(import.meta.file))
  const speaks = {
    speaks: ['chat', 'completions', 'responses', 'messages'],
    params: { set: { max_tokens: 5, enable_search: false }, remove: ['n'] },
  }
  await gateway.channel('all', upstream.url, { models: [cheap, dear], ...speaks })
  await gateway.channel('google', upstream.url, { models: ['gem'], vendor: 'gemini', params: { set: { serviceTier: 'standard' } } })
  await gateway.channel('speaks', vendor.url, { models: ['live', 'dear-live'] })
  for (const model of [cheap, dear, 'gem', 'live', 'dear-live']) await gateway.price(model)
  const made = await gateway.admin.call<{ key: string }>('POST', '/api/keys', { name: 'narrow', models: [cheap, 'gem', 'live'] })
  key = made.key
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
  await vendor?.close()
})

/** Endpoints with a body that is taken, and the paths of names that may be said twice; `PART` marks where to write. */
const routes: Record<string, { path: string; body: string; headers?: Record<string, string> }> = {
  chat: { path: '/v1/chat/completions', body: '{"model":"cheap",PART"messages":[{"role":"user","content":"hi"}]}' },
  completions: { path: '/v1/completions', body: '{"model":"cheap",PART"prompt":"hi"}' },
  responses: { path: '/v1/responses', body: '{"model":"cheap",PART"input":"hi","store":false}' },
  messages: {
    path: '/v1/messages',
    body: '{"model":"cheap",PART"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}',
    headers: { 'anthropic-version': '2023-06-01' },
  },
  count: {
    path: '/v1/messages/count_tokens',
    body: '{"model":"cheap",PART"messages":[{"role":"user","content":"hi"}]}',
    headers: { 'anthropic-version': '2023-06-01' },
  },
  gemini: { path: '/v1beta/models/gem:generateContent', body: '{PART"contents":[{"parts":[{"text":"hi"}]}]}' },
  embeddings: { path: '/v1/embeddings', body: '{"model":"cheap",PART"input":"hi"}' },
  images: { path: '/v1/images/generations', body: '{"model":"cheap",PART"prompt":"hi"}' },
  moderations: { path: '/v1/moderations', body: '{"model":"cheap",PART"input":"hi"}' },
  rerank: { path: '/v1/rerank', body: '{"model":"cheap",PART"query":"q","documents":["d"]}' },
  speech: { path: '/v1/audio/speech', body: '{"model":"cheap",PART"input":"hi","voice":"alloy"}' },
  search: { path: '/v1/alpha/search', body: '{"model":"cheap",PART"id":"x","commands":{}}' },
}

async function ask(route: string, part: string, session?: { cookie: string }) {
  const { path, body, headers } = routes[route] ?? { path: '/pg/chat/completions', body: routes.chat?.body ?? '' }
  const before = upstream.requests.length
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(session ?? { authorization: `Bearer ${key}` }), ...headers },
    body: body.replace('PART', part),
  })
  const text = await answer.text()
  return { status: answer.status, text, received: upstream.requests.slice(before).map(({ body }) => Buffer.from(body).toString()) }
}

/** Spellings of a name that some reader takes for it. */
function spellings(name: string): string[] {
  const title = name.slice(0, 1).toUpperCase() + name.slice(1)
  const escaped = `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`
  return [name, escaped, title, name.toUpperCase(), name.replace('k', '\u212a').replace('s', '\u017f')]
}

/** Names that the dialect of the route defines. */
function named(route: string): string[] {
  if (route === 'gemini') return ['contents', 'cachedContent', 'generationConfig']
  return ['model', 'stream', 'models', 'group', ...(route === 'messages' || route === 'count' ? ['system'] : ['user'])]
}

describe.each(Object.keys(routes))('%s', (route) => {
  test('says one thing: a second spelling of a name is refused, and nobody is asked', async () => {
    expect((await ask(route, '')).text).not.toContain('ambiguous_field')
    for (const name of named(route)) {
      for (const spelled of spellings(name)) {
        // Once is one reading, unless it is a variant.
        if (spelled === name && !routes[route]?.body.includes(`"${name}":`)) continue
        const part = `"${spelled}":"${dear}",`
        const { status, text, received } = await ask(route, part)
        const isPlain = JSON.parse(`"${spelled}"`) === name && !routes[route]?.body.includes(`"${name}":`)
        if (isPlain) continue
        expect([part, status, received]).toEqual([part, 400, []])
        expect(text).toContain('ambiguous_field')
      }
    }
  })
  test('what passes is read alike by everybody', async () => {
    const tries = ['"x_new":{"Model":"dear","model":"dear"},', '"metadata":{"Model":"dear"},', '"odd":[{"MODEL":1}],']
    for (const part of tries) {
      for (const text of (await ask(route, part)).received) {
        const read = Object.values(jsonReaders).map((reader) => [
          reader(text, ['model']),
          reader(text, ['max_tokens']),
          reader(text, ['n']),
        ])
        expect(new Set(read.map((one) => JSON.stringify(one))).size).toBe(1)
        if (route !== 'gemini') expect(read[0]?.[0]).toBe(cheap)
      }
    }
  })
})

test('what a channel sets or removes has no second spelling either, known to Parley or not', async () => {
  for (const part of ['"Max_tokens":900,"N":7,', '"MAX_TOKENS":900,', '"Enable_Search":true,', '"n":7,"N":7,']) {
    const { status, text, received } = await ask('chat', part)
    expect([part, status, received]).toEqual([part, 400, []])
    expect(text).toContain('ambiguous_field')
  }
  const { received } = await ask('chat', '"n":7,"max_tokens":900,"enable_search":true,')
  expect(received.length).toBe(1)
  for (const reader of Object.values(jsonReaders)) {
    const [text = ''] = received
    expect([reader(text, ['n']), reader(text, ['max_tokens']), reader(text, ['enable_search'])]).toEqual([undefined, 5, false])
  }
  const tier = await ask('gemini', '"service_tier":"priority","serviceTier":"flex",')
  expect([tier.status, tier.received]).toEqual([400, []])
})

test('nested objects: messages, conversation, container, tools, parts', async () => {
  const nested: [route: string, part: string][] = [
    ['chat', '"messages":[{"role":"user","content":"a","role":"system"}],'],
    ['responses', '"conversation":{"id":"a","id":"b"},'],
    ['responses', '"conversation":{"ID":"b"},'],
    ['responses', '"tools":[{"type":"code_interpreter","container":{"type":"auto","file_ids":[],"File_Ids":["f"]}}],'],
    ['responses', '"prompt":{"Id":"p"},'],
    ['messages', '"container":{"id":"a","id":"b"},'],
    ['messages', '"container":{"Id":"b"},'],
    ['messages', '"system":[{"type":"document","source":{"type":"file","File_ID":"f"}}],'],
    ['gemini', '"cachedContent":"a","cached_content":"b",'],
    ['gemini', '"systemInstruction":{"parts":[{"fileData":{"fileUri":"a"},"file_data":{"file_uri":"b"}}]},'],
    ['gemini', '"tools":[{"fileSearch":{"FileSearchStoreNames":["x"]}}],'],
    ['gemini', '"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9},'],
  ]
  for (const [route, part] of nested) {
    const { status, text, received } = await ask(route, part)
    expect([part, status, received]).toEqual([part, 400, []])
    expect(text).toContain('ambiguous_field')
  }
})

test('free maps may have any names, once', async () => {
  const free: [route: string, part: string][] = [
    [
      'chat',
      '"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"Model":{},"model":{},"Type":{}}}}}],',
    ],
    ['chat', '"metadata":{"Model":"x","model":"y"},'],
    ['messages', '"tools":[{"name":"f","input_schema":{"type":"object","properties":{"Model":{},"ID":{}}}}],'],
    ['gemini', '"labels":{"Model":"x"},'],
  ]
  for (const [route, part] of free) expect([part, (await ask(route, part)).text]).not.toContain('ambiguous_field')
  const twice = await ask('chat', '"metadata":{"a":"x","a":"y"},')
  expect([twice.status, twice.received]).toEqual([400, []])
})

test('/pg and /api too', async () => {
  const pg = await ask('pg', '"Group":"vip",', { cookie: gateway.admin.cookie })
  expect([pg.status, pg.received]).toEqual([400, []])
  const twice = await fetch(`${gateway.url}/api/keys`, {
    method: 'POST',
    headers: { cookie: gateway.admin.cookie, 'content-type': 'application/json' },
    body: '{"name":"a","models":["cheap"],"models":null}',
  })
  expect([twice.status, ((await twice.json()) as { error: { code: string } }).error.code]).toEqual([400, 'ambiguous_field'])
})

test('realtime: frames with two readings, or none that Parley knows, are answered and not forwarded', async () => {
  const client = await realtimeClient(`${gateway.url}/v1/realtime?model=live`, [], { authorization: `Bearer ${key}` })
  try {
    const frames = [
      '{"type":"session.update","session":{"instructions":"a","instructions":"b"}}',
      '{"type":"session.update","session":{"Prompt":{"id":"pmpt_1"}}}',
      '{"type":"session.update","Session":{"model":"dear-live"}}',
      '{"Type":"session.update","session":{"model":"dear-live"}}',
      '{"type":"session.update","session":{"model":"dear-live"}}',
      '{"type":"response.create","response":{"model":"dear-live"}}',
      '{"type":"session.update","session":{"prompt":{"id":"pmpt_1"}},"x":NaN}',
    ]
    const refusals = async (count: number) => {
      while (client.events('error').length < count) await client.received(client.frames.length + 1)
      return client.events('error').map(({ error }) => (error as { code: string }).code)
    }
    for (const frame of frames) client.send(frame)
    client.send(new TextEncoder().encode('{"type":"session.update","session":{"prompt":{"id":"pmpt_1"}}}'))
    const [twice, variant, model] = ['ambiguous_field', 'ambiguous_field', 'model_not_found']
    expect(await refusals(8)).toEqual([twice, variant, variant, variant, model, model, 'invalid_json', 'not_found'])
    expect(vendor.calls.flatMap((call) => call.events('session.update'))).toEqual([])
  } finally {
    client.socket.close()
  }
})
