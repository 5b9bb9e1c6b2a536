/**
 * Upper bounds of a request's cost, over TCP: the hold covers the most expensive output that can be delivered, implausible usage reported
 * by an upstream is not charged, and a stream is cut at the event that exhausts the balance.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { gate, respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'

interface Row {
  end: string
  cost: string
  charged: string
  provenance: string
  error: { code: string } | null
  usage: { in: { fresh: number; cacheRead: number }; out: { total: number }; units: { seconds: number; searches: number } }
}

let gateway: Gateway
let upstream: ScriptedUpstream
let people = 0

const operations = ['embed', 'transcribe', 'rerank']
const vendors: Record<string, { fields: Record<string, unknown>; price: Record<string, string> }> = {
  'm-pictures': { fields: { vendor: 'gemini', speaks: ['gemini'] }, price: { input: '0.3', output: '2.5', imageIn: '1', imageOut: '30' } },
  'm-audio': { fields: {}, price: { input: '2.5', output: '10', audioIn: '40', audioOut: '80' } },
  'm-claude': {
    fields: { vendor: 'anthropic', speaks: ['messages'] },
    price: { input: '3', output: '15', cacheRead: '0.3', cacheWrite5m: '3.75', cacheWrite1h: '6', search: '0.01' },
  },
  'm-responses': { fields: { vendor: 'openai', speaks: ['responses'] }, price: { input: '1', output: '2', search: '0.01' } },
  'm-embed': { fields: { operations }, price: { input: '1', output: '0' } },
  'm-hear': { fields: { operations }, price: { second: '0.0001' } },
  'm-rank': { fields: { operations }, price: { search: '0.002' } },
}

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('plain', upstream.url)
  await gateway.price(testModel)
  for (const [model, { fields, price }] of Object.entries(vendors)) {
    await gateway.channel(model, upstream.url, { models: [model], ...fields })
    await gateway.price(model, price)
  }
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const person = (balance = '100') => gateway.user(`person-${++people}`, balance)

const post = (key: string, path: string, body: object | FormData) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  })

async function rowOf(answer: Response): Promise<Row> {
  await answer.arrayBuffer()
  return gateway.log<Row>(answer.headers.get('x-request-id') ?? '')
}

async function lastRow(session: Session): Promise<Row> {
  for (let tries = 0; tries < 500; tries++) {
    const page = await session.call<{ data: { requestId: string }[] }>('GET', '/api/logs')
    if (page.data[0]) return gateway.log<Row>(page.data[0].requestId)
    await Bun.sleep(20)
  }
  throw new Error('no usage row came')
}

const chatAnswer = (message: object, usage: object) =>
  respondJson(200, {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'x' },
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
    usage,
  })
const messagesAnswer = (usage: object) =>
  respondJson(200, {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'x', stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text: 'ok' }],
    usage,
  })
const long = 'word '.repeat(8000)
const marked = (ttl?: string) => [
  { role: 'user', content: [{ type: 'text', text: long, cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } }] },
]
const written = (five: number, hour: number) => ({
  ...{ input_tokens: 3, output_tokens: 5, cache_creation_input_tokens: five + hour, cache_read_input_tokens: 0 },
  cache_creation: { ephemeral_5m_input_tokens: five, ephemeral_1h_input_tokens: hour },
})
const picture = { type: 'image', source: { type: 'url', url: 'https://example.com/x.png' } }
const sound = Buffer.alloc(60_000).toString('base64')
const gemini = '/v1beta/models/m-pictures:generateContent'

const dearest: [what: string, path: string, body: object, answer: Script][] = [
  [
    'pictures made by a model that makes them',
    gemini,
    { contents: [{ role: 'user', parts: [{ text: 'a cat' }] }], generationConfig: { maxOutputTokens: 1300 } },
    respondJson(200, {
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }] }, finishReason: 'STOP' },
      ],
      usageMetadata: {
        ...{ promptTokenCount: 10, candidatesTokenCount: 1290, totalTokenCount: 1300 },
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
      },
    }),
  ],
  [
    'sound that was asked for',
    '/v1/chat/completions',
    {
      ...{ model: 'm-audio', max_tokens: 1000, modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
      messages: [{ role: 'user', content: 'hi' }],
    },
    chatAnswer(
      { content: null, audio: { id: 'a', data: 'AAAA', transcript: 'hi', expires_at: 1 } },
      { prompt_tokens: 10, completion_tokens: 1000, total_tokens: 1010, completion_tokens_details: { audio_tokens: 900 } },
    ),
  ],
  [
    'sound that came with the request',
    '/v1/chat/completions',
    {
      ...{ model: 'm-audio', max_tokens: 10 },
      messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: sound, format: 'mp3' } }] }],
    },
    chatAnswer(
      { content: 'hi' },
      { prompt_tokens: 310, completion_tokens: 5, total_tokens: 315, prompt_tokens_details: { audio_tokens: 300 } },
    ),
  ],
  [
    'a cache written for five minutes',
    '/v1/messages',
    { model: 'm-claude', max_tokens: 10, messages: marked() },
    messagesAnswer(written(9900, 0)),
  ],
  [
    'a cache written for an hour',
    '/v1/messages',
    { model: 'm-claude', max_tokens: 10, messages: marked('1h') },
    messagesAnswer(written(0, 9900)),
  ],
  [
    'pictures at an address',
    '/v1/messages',
    { model: 'm-claude', max_tokens: 10, messages: [{ role: 'user', content: [picture, picture] }] },
    messagesAnswer({ input_tokens: 9_600, output_tokens: 5 }),
  ],
  [
    'searches, as many as the caller allows',
    '/v1/messages',
    {
      ...{ model: 'm-claude', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] },
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 7 }],
    },
    messagesAnswer({ input_tokens: 40_000, output_tokens: 50, server_tool_use: { web_search_requests: 7 } }),
  ],
  [
    'searches that nobody bounded',
    '/v1/responses',
    { model: 'm-responses', input: 'hi', max_output_tokens: 100, store: false, tools: [{ type: 'web_search' }] },
    respondJson(200, {
      ...{ id: 'r', object: 'response', created_at: 1, model: 'x', status: 'completed' },
      output: [
        ...[1, 2, 3].map((n) => ({ type: 'web_search_call', id: `w${n}`, status: 'completed', action: { type: 'search', query: 'x' } })),
        {
          type: 'message',
          id: 'm',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'ok', annotations: [] }],
        },
      ],
      usage: { input_tokens: 24_000, output_tokens: 50, total_tokens: 24_050 },
    }),
  ],
]

describe('what is held covers what is delivered', () => {
  test.each(dearest)('%s', async (what, path, body, answer) => {
    const { session, key } = await person()
    const gated = gate(answer)
    upstream.next(gated.script)
    const asked = post(key, path, body)
    let held = 0
    for (let tries = 0; held === 0 && tries < 500; tries++) {
      await wait(10)
      held = Number((await session.call<{ user: { held: string } }>('GET', '/api/session')).user.held)
    }
    gated.open()
    const row = await rowOf(await asked)
    console.log(`${what}: ${held} USD held, ${row.cost} charged`)
    expect(row).toMatchObject({ end: 'complete', provenance: 'provider' })
    expect(held).toBeGreaterThanOrEqual(Number(row.cost))
    // The hold is not larger than any answer could cost.
    expect(held).toBeLessThan(Number(row.cost) * 20)
  })
})

const lie = 800_000_000
const event = (data: object, name?: string) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
const delta = (fields: object, more: object = {}, finish_reason: string | null = null) =>
  event({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'x' },
    choices: [{ index: 0, delta: fields, finish_reason }],
    ...more,
  })
const chatUsage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output })
const done = 'data: [DONE]\n\n'
const message = (usage: object) => ({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], stop_reason: null, stop_sequence: null },
  usage,
})
const saidMessages = (start: object, finish: object) => [
  event({ type: 'message_start', message: message(start) }, 'message_start'),
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }, 'content_block_start'),
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'good day' } }, 'content_block_delta'),
  event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: finish }, 'message_delta'),
  event({ type: 'message_stop' }, 'message_stop'),
]

describe('figures that cannot be', () => {
  const chat = { model: testModel, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
  const messages = { model: 'm-claude', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
  const wav = (seconds: number) => {
    const data = Buffer.alloc(16_000 * seconds)
    const head = Buffer.alloc(44)
    head.write('RIFF', 0)
    head.writeUInt32LE(36 + data.length, 4)
    head.write('WAVEfmt ', 8)
    for (const [at, value] of [
      [16, 16],
      [24, 8000],
      [28, 16_000],
      [40, data.length],
    ] as const)
      head.writeUInt32LE(value, at)
    for (const [at, value] of [
      [20, 1],
      [22, 1],
      [32, 2],
      [34, 16],
    ] as const)
      head.writeUInt16LE(value, at)
    head.write('data', 36)
    const form = new FormData()
    form.set('model', 'm-hear')
    form.set('file', new File([head, data], 'a.wav', { type: 'audio/wav' }))
    return form
  }
  const embedding = (tokens: number) =>
    respondJson(200, {
      ...{ object: 'list', model: 'x', data: [{ object: 'embedding', index: 0, embedding: [0.1] }] },
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    })
  const ranked = (search_units: number) =>
    respondJson(200, { results: [{ index: 0, relevance_score: 0.5 }], meta: { billed_units: { search_units } } })
  const lies: [what: string, path: string, body: object | FormData, answer: Script][] = [
    ['an answer in one piece', '/v1/chat/completions', chat, chatAnswer({ content: 'good day' }, chatUsage(lie, lie))],
    ['its output alone', '/v1/chat/completions', chat, chatAnswer({ content: 'good day' }, chatUsage(9, 200_000))],
    ['its input alone', '/v1/chat/completions', chat, chatAnswer({ content: 'good day' }, chatUsage(200_000, 9))],
    [
      'a stream',
      '/v1/chat/completions',
      { ...chat, stream: true },
      stream([delta({ content: 'good day' }), delta({}, {}, 'stop'), event({ choices: [], usage: chatUsage(9, lie) }), done]),
    ],
    ['a conversion', '/v1/messages', { ...chat, stream: false }, chatAnswer({ content: 'good day' }, chatUsage(lie, lie))],
    [
      'a conversion of a stream',
      '/v1/messages',
      { ...chat, stream: true },
      stream([delta({ content: 'good day' }), delta({}, {}, 'stop'), event({ choices: [], usage: chatUsage(9, lie) }), done]),
    ],
    [
      'messages, at the end',
      '/v1/messages',
      { ...messages, stream: true },
      stream(saidMessages({ input_tokens: 9, output_tokens: 1 }, { output_tokens: lie })),
    ],
    [
      'messages, at the beginning',
      '/v1/messages',
      { ...messages, stream: true },
      stream(saidMessages({ input_tokens: lie, output_tokens: 1 }, { output_tokens: 2 })),
    ],
    [
      'messages, converted',
      '/v1/chat/completions',
      { ...messages, stream: true },
      stream(saidMessages({ input_tokens: lie, output_tokens: 1 }, { output_tokens: 2 })),
    ],
    ['an embedding', '/v1/embeddings', { model: 'm-embed', input: 'hello world' }, embedding(900_000_000)],
    ['a transcription', '/v1/audio/transcriptions', wav(3), respondJson(200, { text: 'hi', duration: 600_000 })],
    ['a ranking', '/v1/rerank', { model: 'm-rank', query: 'q', documents: ['a', 'b'] }, ranked(900_000_000)],
  ]

  test.each(lies)('of %s are counted here, marked, and the log warns', async (_what, path, body, answer) => {
    upstream.next(answer)
    const { session, key } = await person()
    const before = gateway.program.output().length
    const reply = await post(key, path, body)
    expect(reply.status).toBe(200)
    const text = await reply.text()
    if (path === '/v1/messages' && 'model' in body && body.model === testModel) expect(text).not.toContain(String(lie))
    const row = await lastRow(session)
    expect(row).toMatchObject({ end: 'complete', provenance: 'estimated' })
    expect(Number(row.cost)).toBeLessThan(0.01)
    expect(Number(row.cost)).toBeGreaterThan(0)
    expect(gateway.program.output().slice(before)).toContain('implausible usage')
  })

  const honest: [what: string, path: string, body: object | FormData, answer: Script, usage: object][] = [
    [
      'reasoning beside a small limit',
      '/v1/chat/completions',
      chat,
      chatAnswer({ content: 'hi' }, { ...chatUsage(9, 60_000), completion_tokens_details: { reasoning_tokens: 59_900 } }),
      { out: { total: 60_000 } },
    ],
    [
      'a prompt that the upstream adds',
      '/v1/chat/completions',
      chat,
      chatAnswer({ content: 'hi' }, chatUsage(25_000, 9)),
      { in: { fresh: 25_000 } },
    ],
    [
      'pages of a document',
      '/v1/messages',
      {
        ...messages,
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' } }] },
        ],
      },
      messagesAnswer({ input_tokens: 150_000, output_tokens: 5 }),
      { in: { fresh: 150_000 } },
    ],
    [
      'what a search found',
      '/v1/messages',
      { ...messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      messagesAnswer({ input_tokens: 400_000, output_tokens: 50, server_tool_use: { web_search_requests: 9 } }),
      { in: { fresh: 400_000 }, units: { searches: 9 } },
    ],
    [
      'a minute of which three seconds are sound',
      '/v1/audio/transcriptions',
      wav(3),
      respondJson(200, { text: 'hi', duration: 60 }),
      { units: { seconds: 60 } },
    ],
  ]

  test.each(honest)('%s: believed', async (_what, path, body, answer, usage) => {
    upstream.next(answer)
    const { session, key } = await person()
    expect((await post(key, path, body)).status).toBe(200)
    expect(await lastRow(session)).toMatchObject({ provenance: 'provider', usage })
  })

  test('the last figures of a stream hold, whatever was said on the way', async () => {
    const words = 'x'.repeat(400)
    for (const [between, last] of [
      [500_000, 200],
      [100, 20],
    ] as const) {
      upstream.next(
        stream([
          delta({ content: words }, { usage: chatUsage(10, between) }),
          delta({ content: words }),
          delta({}, {}, 'stop'),
          event({ choices: [], usage: chatUsage(10, last) }),
          done,
        ]),
      )
      const { session, key } = await person()
      await (await post(key, '/v1/chat/completions', { ...chat, stream: true })).text()
      expect(await lastRow(session)).toMatchObject({ provenance: 'provider', usage: { in: { fresh: 10 }, out: { total: last } } })
    }
  })
})

describe('when the money ends', () => {
  const tenWords = 'word '.repeat(10)
  const events = (words: number) => delta({ content: tenWords }).repeat(words / 10)
  const tenWordsCost = 0.000_025

  /** As many words in each piece of the network. */
  const inPieces =
    (words: number, atOnce: number): Script =>
    async (exchange) => {
      await stream([], { ending: 'hang' })(exchange)
      for (let sent = 0; sent < words && !exchange.isGone(); sent += atOnce) {
        await exchange.chunk(events(atOnce))
        await wait(1)
      }
      if (exchange.isGone()) return
      await exchange.chunk(delta({}, {}, 'stop') + done)
      await exchange.lastChunk()
    }

  test.each([
    ['ten words', 10, 20_000],
    ['a thousand words', 1000, 40_000],
    ['twenty thousand words', 20_000, 60_000],
    ['all of it', 100_000, 100_000],
  ])('in pieces of %s: at most one event more is delivered', async (_what, atOnce, words) => {
    const balance = 0.009
    upstream.next(inPieces(words, atOnce))
    const { session, key } = await person(String(balance))
    const answer = await post(key, '/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'hi' }], stream: true })
    const text = await answer.text()
    const row = await lastRow(session)
    const said = text.split('word').length - 1
    console.log(`${said} words for ${balance} USD: ${row.cost} USD`)
    expect(row).toMatchObject({ end: 'error', error: { code: 'insufficient_quota' } })
    expect(Number(row.cost)).toBeLessThanOrEqual(balance + tenWordsCost)
    expect(Number(row.cost)).toBeGreaterThan(balance * 0.98)
    const { user } = await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')
    expect(user.held).toBe('0')
    expect(Number(user.balance)).toBeGreaterThanOrEqual(0)
    // A word is a token.
    expect(said * 0.000_002).toBeLessThanOrEqual(balance + tenWordsCost)
  })
})
