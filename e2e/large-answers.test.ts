/**
 * Whole answers with long pictures: a placeholder stands for each while Parley reads and writes the answer, and the client gets the same as
 * for a short picture. In every dialect and style, native and converted, with bodies that are kept, and with conversations.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { KeptBody } from '#shared/console/body'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

const models = {
  images: 'gpt-image-2',
  gemini: 'gemini-3-pro-image',
  painting: 'gemini-2.5-flash-image',
  responses: 'gpt-5',
} as const

let upstream: ScriptedUpstream
let gateway: Gateway

const head = 'iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAIAAAA'
const short = head + 'Ab+/'.repeat(500)
const long = head + 'Ab+/'.repeat(500_000)

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('images', upstream.url, { vendor: 'openai', models: [models.images] })
  await gateway.channel('gemini', upstream.url, { vendor: 'gemini', models: [models.gemini, models.painting] })
  await gateway.channel('responses', upstream.url, {
    vendor: 'openai',
    models: [{ name: models.responses, upstream: 'gpt-5-mini' }],
    speaks: ['responses'],
  })
  for (const model of Object.values(models)) await gateway.price(model)
}, 60_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const scripts = {
  images: (picture: string) =>
    respondJson(200, {
      created: 1,
      data: [{ b64_json: picture, revised_prompt: 'Grüße "x"' }, { b64_json: picture }],
      usage: { input_tokens: 9, output_tokens: 99, total_tokens: 108 },
    }),
  gemini: (data: string) =>
    respondJson(200, {
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Grüße' }, { inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 99, totalTokenCount: 108 },
      modelVersion: models.gemini,
      responseId: 'r1',
    }),
  responses: (result: string) =>
    respondJson(200, {
      ...{ id: 'resp_up', object: 'response', created_at: 1, status: 'completed', model: 'gpt-5-mini' },
      output: [
        { type: 'image_generation_call', id: 'ig_1', status: 'completed', result, output_format: 'png' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Grüße', annotations: [] }],
        },
      ],
      usage: { input_tokens: 9, output_tokens: 99, total_tokens: 108 },
    }),
}

const hi = [{ role: 'user', content: 'hi' }]
const endpoints = {
  images: (model: string) => ['/v1/images/generations', { model, prompt: 'x', n: 2 }],
  chat: (model: string) => ['/v1/chat/completions', { model, messages: hi }],
  responses: (model: string) => ['/v1/responses', { model, input: 'hi', tools: [{ type: 'image_generation' }] }],
  messages: (model: string) => ['/v1/messages', { model, messages: hi, max_tokens: 99 }],
  gemini: (model: string) => [`/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
} as const satisfies Record<string, (model: string) => [string, object]>

const send = (path: string, body?: object) =>
  fetch(gateway.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    ...(body && { body: JSON.stringify(body) }),
  })

/** An answer with placeholders for its pictures, without the parts that differ each time. */
function plain(value: unknown, picture: string): unknown {
  if (typeof value === 'string') return value.endsWith(picture) ? `${value.slice(0, -picture.length)}PICTURE` : value
  if (Array.isArray(value)) return value.map((item) => plain(item, picture))
  if (typeof value !== 'object' || value === null) return value
  const changing = new Set(['id', 'responseId', 'created', 'created_at', 'completed_at'])
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => (changing.has(key) ? [] : [[key, plain(inner, picture)]])))
}

async function answered(endpoint: keyof typeof endpoints, model: keyof typeof models, picture: string) {
  const script = scripts[model === 'painting' ? 'gemini' : model](picture)
  // Google makes one picture of a request.
  upstream.next(...(model === 'painting' ? [script, script] : [script]))
  const [path, body] = endpoints[endpoint](models[model])
  const answer = await send(path, body)
  return { answer, read: (await answer.json()) as { id?: string } }
}

const pairs: [keyof typeof endpoints, keyof typeof models, pictures: number][] = [
  ['images', 'images', 2],
  ['images', 'painting', 2],
  ['gemini', 'gemini', 1],
  ['chat', 'gemini', 1],
  ['responses', 'gemini', 1],
  ['messages', 'gemini', 0],
  ['responses', 'responses', 1],
  ['gemini', 'responses', 1],
  ['chat', 'responses', 1],
]

test.each(pairs)('%s from %s', async (endpoint, model, pictures) => {
  const { answer, read } = await answered(endpoint, model, long)
  const usual = await answered(endpoint, model, short)
  expect([answer.status, usual.answer.status]).toEqual([200, 200])
  const expected = plain(usual.read, short)
  expect(plain(read, long)).toEqual(expected)
  expect(JSON.stringify(expected).split('PICTURE').length - 1).toBe(pictures)
  expect(answer.headers.get('content-type')).toBe(usual.answer.headers.get('content-type'))
  const [row, usualRow] = await Promise.all(
    [answer, usual.answer].map((one) => gateway.log<{ usage: object; charged: string }>(one.headers.get('x-request-id') ?? '')),
  )
  expect([row?.usage, row?.charged]).toEqual([usualRow?.usage, usualRow?.charged] as never)
})

test.each(['responses', 'gemini'] as const)('a kept response of %s has its pictures', async (model) => {
  const { read } = await answered('responses', model, long)
  const stored = await (await send(`/v1/responses/${read.id}`)).json()
  expect(plain(stored, long)).toEqual(plain(read, long))
  expect(JSON.stringify(stored).includes(long)).toBe(true)
})

/** Events larger than 4 MiB, as pictures of 2K and 4K make them. */
const large = head + 'Ab+/'.repeat(1_500_000)
const event = (value: object, name?: string) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(value)}\n\n`
const painted = (parts: object[], more: object = {}) => event({ candidates: [{ content: { role: 'model', parts }, ...more }] })
const streams = {
  gemini: [
    painted([{ inlineData: { mimeType: 'image/png', data: large } }]),
    painted([{ text: 'Grüße' }], { finishReason: 'STOP' }),
    event({ usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 99, totalTokenCount: 108 } }),
  ],
  responses: [
    event(
      {
        type: 'response.completed',
        response: {
          ...{ id: 'resp_up', object: 'response', created_at: 1, status: 'completed', model: 'gpt-5-mini' },
          output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: large, output_format: 'png' }],
          usage: { input_tokens: 9, output_tokens: 99, total_tokens: 108 },
        },
      },
      'response.completed',
    ),
  ],
}
const paths = {
  gemini: `/v1beta/models/${models.gemini}:streamGenerateContent?alt=sse`,
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
}

test.each([
  ['gemini', 'gemini'],
  ['chat', 'gemini'],
  ['responses', 'gemini'],
  ['responses', 'responses'],
] as const)('a stream of %s from %s may have pictures of that size', async (endpoint, model) => {
  upstream.next(stream(streams[model]))
  const answer = await send(paths[endpoint], { ...endpoints[endpoint](models[model])[1], ...(endpoint !== 'gemini' && { stream: true }) })
  const text = await answer.text()
  expect([answer.status, text.includes(large)]).toEqual([200, true])
  const row = await gateway.log<{ end: string; error: unknown }>(answer.headers.get('x-request-id') ?? '')
  expect([row?.end, row?.error]).toEqual(['complete', null])
})

test('what is kept of requests has them', async () => {
  const { data } = await gateway.admin.call<{ data: { id: string }[] }>('GET', '/api/keys')
  await gateway.admin.call('PATCH', `/api/keys/${data[0]?.id}`, { logBodies: true })
  const { answer, read } = await answered('gemini', 'gemini', long)
  const kept = await gateway.admin.call<KeptBody>('GET', `/api/bodies/${answer.headers.get('x-request-id')}`)
  const said = kept.parts.findIndex(({ border }) => border === 'client-answer')
  const raw = await gateway.admin.raw('GET', `/api/bodies/${kept.requestId}/${said}`)
  expect(plain(await raw.json(), long)).toEqual(plain(read, long))
}, 30_000)

test.each(['responses', 'gemini'] as const)('a kept stream of %s has its pictures, and goes on', async (model) => {
  upstream.next(stream(streams[model].map((one) => one.replace('resp_up', 'resp_long'))))
  const answer = await send(paths.responses, { model: models[model], input: 'Paint \u{1f431}', stream: true })
  const last = (await answer.text()).split('\n').findLast((line) => line.startsWith('data: ')) ?? ''
  const { response } = JSON.parse(last.slice(6)) as { response: { id: string; output: unknown } }
  expect(JSON.stringify(response).includes(large)).toBe(true)
  expect(await (await send(`/v1/responses/${response.id}`)).json()).toEqual(response as never)
  const { data } = (await (await send(`/v1/responses/${response.id}/input_items`)).json()) as { data: object[] }
  expect(data).toMatchObject([{ content: [{ text: 'Paint \u{1f431}' }] }])
  upstream.next(scripts[model](short))
  const next = await send(paths.responses, { model: models[model], input: 'Again', previous_response_id: response.id })
  expect(next.status).toBe(200)
  expect(upstream.requests.at(-1)?.text()).toMatch(model === 'gemini' ? 'Paint' : '"previous_response_id":"resp_long"')
})
