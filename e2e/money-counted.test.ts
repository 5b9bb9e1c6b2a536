/**
 * Delivered content is charged whatever usage the upstream reports and wherever in its dialect the content is; and the usage that Parley
 * itself reports to a client is that of the row.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { askIn, type DialectName, dialects, spoken, vendorOf } from './support/four-dialects.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

type Json = Record<string, unknown>
interface Row {
  usage: { in: Record<string, number | Record<string, number>>; out: { total: number; audio: number; image: number } }
  provenance: string
  end: string
  cost: string
  error: { code: string } | null
}

const spoke: Record<DialectName, string> = { Chat: 'chat', Responses: 'responses', Messages: 'messages', Gemini: 'gemini' }
const modelOf = (dialect: DialectName) => `counted-${dialect.toLowerCase()}`

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  for (const dialect of dialects) {
    await gateway.channel(dialect, upstream.url, { vendor: vendorOf[dialect], models: [modelOf(dialect)], speaks: [spoke[dialect]] })
    await gateway.price(modelOf(dialect), { input: '1', output: '2', audioOut: '7', imageOut: '13' })
  }
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

const rowOf = (answer: Response) => gateway.log<Row>(answer.headers.get('x-request-id') ?? '')
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const figure = (value: unknown) => (typeof value === 'number' ? value : 0)
const sum = (value: Row['usage']['in'][string]): number =>
  typeof value === 'number' ? value : Object.values(value).reduce((all, one) => all + one, 0)
const event = (data: object, name?: string) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

/** Input and output as a client of the dialect adds them up. */
const understood: Record<DialectName, (usage: Json) => [number, number]> = {
  Chat: (usage) => [figure(usage.prompt_tokens), figure(usage.completion_tokens)],
  Responses: (usage) => [figure(usage.input_tokens), figure(usage.output_tokens)],
  Messages: (usage) => [
    figure(usage.input_tokens) + figure(usage.cache_read_input_tokens) + figure(usage.cache_creation_input_tokens),
    figure(usage.output_tokens),
  ],
  Gemini: (usage) => [figure(usage.promptTokenCount), figure(usage.candidatesTokenCount) + figure(usage.thoughtsTokenCount)],
}

/** The last reported usage, wherever an event contains it. */
function lastUsage(body: string, streams: boolean): Json {
  const events = streams ? [...body.matchAll(/^data: (\{.*\})$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json) : [JSON.parse(body)]
  let usage: Json = {}
  for (const one of events) {
    for (const place of [one, object(one.response), object(one.message)])
      usage = { ...usage, ...object(place.usage ?? place.usageMetadata) }
  }
  return usage
}

const words = 'good day to you and to all of yours'

/** Usage as the vendor writes it; undefined = none. */
type Figures = [input: number, output: number] | undefined
const written: Record<DialectName, (input: number, output: number) => Json> = {
  Chat: (input, output) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output }),
  Responses: (input, output) => ({ input_tokens: input, output_tokens: output, total_tokens: input + output }),
  Messages: (input, output) => ({ input_tokens: input, output_tokens: output }),
  Gemini: (input, output) => ({ promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output }),
}

/** Every usage in an answer, whole or in an event's data, has these figures; the first event of Messages has no output yet. */
function refigured(answer: Json, dialect: DialectName, figures: Figures): Json {
  const [input, output] = figures ?? [0, 0]
  const usage = (out: number) => (figures ? written[dialect](input, out) : undefined)
  if (dialect === 'Gemini') return { ...answer, usageMetadata: usage(output) }
  if (answer.type === 'message_start') return { ...answer, message: { ...object(answer.message), usage: usage(0) } }
  if (answer.type === 'response.completed') return { ...answer, response: { ...object(answer.response), usage: usage(output) } }
  return 'usage' in answer ? { ...answer, usage: usage(output) } : answer
}

function saying(dialect: DialectName, streams: boolean, figures: Figures): Script {
  const { whole, pieces } = spoken[dialect]
  if (!streams) return respondJson(200, refigured(whole(words) as Json, dialect, figures))
  const told = pieces(words).map((piece) =>
    piece.replace(/^data: (\{.*\})$/m, (_, data: string) => `data: ${JSON.stringify(refigured(JSON.parse(data), dialect, figures))}`),
  )
  if (dialect !== 'Chat' || !figures) return stream(told)
  const last = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [], usage: written.Chat(...figures) }
  return stream([...told.slice(0, -1), event(last), 'data: [DONE]\n\n'])
}

describe('the client is told what the row says', () => {
  const variants: [name: string, figures: Figures, provenance: string][] = [
    ['no figures', undefined, 'estimated'],
    ['figures of zero', [0, 0], 'estimated'],
    ['the input alone', [100, 0], 'partial'],
    ['the output alone', [0, 50], 'partial'],
    ['both', [100, 50], 'provider'],
  ]
  const table = dialects.flatMap((vendor) =>
    dialects.flatMap((client) =>
      [false, true].flatMap((streams) =>
        variants.map(([name, figures, provenance]) => ({ vendor, client, streams, name, figures, provenance })),
      ),
    ),
  )

  test.each(table.map((one) => [`${one.vendor} for ${one.client}, ${one.streams ? 'stream' : 'whole'}, ${one.name}`, one] as const))(
    '%s',
    async (_, { vendor, client, streams, figures, provenance }) => {
      upstream.next(saying(vendor, streams, figures))
      const answer = await askIn(client, gateway, modelOf(vendor), streams)
      const body = await answer.text()
      expect(answer.status, body).toBe(200)
      const row = await rowOf(answer)
      const charged: [number, number] = [Object.values(row.usage.in).reduce<number>((all, one) => all + sum(one), 0), row.usage.out.total]
      expect(row).toMatchObject({ end: 'complete', provenance, error: null })
      // Eight words by any count; a request of some tens of bytes.
      expect(charged[0]).toBeGreaterThanOrEqual(figures?.[0] || 5)
      expect(charged[0]).toBeLessThanOrEqual(figures?.[0] || 100)
      expect(charged[1]).toBeGreaterThanOrEqual(figures?.[1] || 6)
      expect(charged[1]).toBeLessThanOrEqual(figures?.[1] || 12)
      // Usage from an upstream of the same dialect is forwarded unchanged, but Messages must always have figures.
      const isParleys = vendor !== client || (vendor === 'Messages' && !streams && !figures)
      if (isParleys) expect(understood[client](lastUsage(body, streams))).toEqual(charged)
    },
  )
})

const chunk = (delta: object, more: object = {}, finish_reason: string | null = null) =>
  event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [{ index: 0, delta, finish_reason, ...more }] })
const stop = [chunk({}, {}, 'stop'), 'data: [DONE]\n\n']
const responses = (type: string, more: object) => event({ type, ...more }, type)
const begun = responses('response.created', { response: { id: 'r', object: 'response', status: 'in_progress', output: [] } })
const generated = (part: object) => event({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] })
const text = 'word '.repeat(80)
const picture = 'A'.repeat(4000)
const drawn = { mimeType: 'image/png', data: picture }
const calls = Array.from({ length: 50 }, (_, index) => ({
  index,
  id: `c${index}`,
  type: 'function',
  function: { name: 'look_around', arguments: '' },
}))
const tokens = Array.from({ length: 80 }, () => ({ token: 'word ', logprob: -1, bytes: null, top_logprobs: [] }))

describe('what an upstream without figures delivers is counted', () => {
  const kinds: [what: string, vendor: DialectName, answer: Script, least: number, most: number, kind: 'audio' | 'image' | 'words'][] = [
    ['sound', 'Chat', stream([chunk({ audio: { id: 'a', data: 'A'.repeat(320_000) } }), ...stop]), 100, 100, 'audio'],
    [
      'pictures',
      'Chat',
      stream([chunk({ images: [{ image_url: { url: `data:image/png;base64,${picture}` } }] }), ...stop]),
      1290,
      1290,
      'image',
    ],
    ['the names of calls', 'Chat', stream([chunk({ tool_calls: calls }), ...stop]), 90, 220, 'words'],
    ['words that only the probabilities tell', 'Chat', stream([chunk({}, { logprobs: { content: tokens } }), ...stop]), 70, 110, 'words'],
    [
      'a text that comes when it is done, then a cut',
      'Responses',
      stream([begun, responses('response.output_text.done', { output_index: 0, content_index: 0, text })], {
        ending: 'reset',
        everyMs: 30,
      }),
      70,
      110,
      'words',
    ],
    [
      'a call that comes whole, then a cut',
      'Responses',
      stream(
        [
          begun,
          responses('response.output_item.done', { output_index: 0, item: { type: 'function_call', name: 'look', arguments: text } }),
        ],
        { ending: 'reset', everyMs: 30 },
      ),
      70,
      110,
      'words',
    ],
    [
      'a picture that is not finished, then a cut',
      'Responses',
      stream([begun, responses('response.image_generation_call.partial_image', { output_index: 0, partial_image_b64: picture })], {
        ending: 'reset',
        everyMs: 30,
      }),
      1290,
      1290,
      'image',
    ],
    [
      'a picture, then a cut',
      'Gemini',
      stream([generated({ inlineData: drawn }), generated({ inlineData: drawn })], { ending: 'reset', everyMs: 30 }),
      2580,
      2580,
      'image',
    ],
  ]

  test.each(kinds)('%s', async (_, vendor, answer, least, most, kind) => {
    upstream.next(answer)
    const reply = await askIn(vendor, gateway, modelOf(vendor), true)
    await reply.text()
    const row = await rowOf(reply)
    expect(row.provenance).toBe('estimated')
    expect(row.error?.code).not.toBe('empty_answer')
    expect(row.usage.out.total).toBeGreaterThanOrEqual(least)
    expect(row.usage.out.total).toBeLessThanOrEqual(most)
    if (kind !== 'words') expect(row.usage.out[kind]).toBe(least)
  })

  test('and so it is in another dialect', async () => {
    upstream.next(stream([chunk({ images: [{ image_url: { url: `data:image/png;base64,${picture}` } }] }), ...stop]))
    const reply = await askIn('Gemini', gateway, modelOf('Chat'), true)
    const body = await reply.text()
    const row = await rowOf(reply)
    expect(row.usage.out).toMatchObject({ total: 1290, image: 1290 })
    expect(understood.Gemini(lastUsage(body, true))[1]).toBe(1290)
  })
})

test('figures on the way do not make what came after them, or with them, free', async () => {
  const usage = written.Chat(100, 1)
  const told = event({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }], usage })
  for (const client of dialects) {
    const left = new AbortController()
    upstream.next(stream([chunk({ content: text }), told], { ending: 'hang' }))
    const answer = await askIn(client, gateway, modelOf('Chat'), true, left.signal)
    const reader = answer.body?.getReader()
    let heard = 0
    while (heard < 2 * text.length) heard += (await reader?.read())?.value?.length ?? Number.POSITIVE_INFINITY
    await Bun.sleep(100)
    left.abort()
    const row = await rowOf(answer)
    expect([client, row.end, row.provenance, row.usage.in.fresh]).toEqual([client, 'aborted', 'partial', 100])
    expect(row.usage.out.total).toBeGreaterThan(140)
    expect(row.usage.out.total).toBeLessThan(220)
  }
})
