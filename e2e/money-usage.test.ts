/**
 * The usage that a client receives is that of its row, and is what is charged: for cached, reasoning, audio and image tokens, in every
 * dialect, from an upstream of every dialect that can report it, whole and streamed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { askIn, type DialectName, dialects, spoken, vendorOf } from './support/four-dialects.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

/** Disjoint token counts by kind. */
interface Kinds {
  fresh: number
  cacheRead: number
  audioIn: number
  imageIn: number
  words: number
  reasoning: number
  audioOut: number
  imageOut: number
}

type Json = Record<string, unknown>

const none: Kinds = { fresh: 100, cacheRead: 0, audioIn: 0, imageIn: 0, words: 40, reasoning: 0, audioOut: 0, imageOut: 0 }
const cases: Record<string, Kinds> = {
  cached: { ...none, cacheRead: 60 },
  reasoning: { ...none, reasoning: 25 },
  audio: { ...none, audioIn: 30, audioOut: 20 },
  image: { ...none, imageIn: 50, imageOut: 70 },
}
const ins = ({ fresh, cacheRead, audioIn, imageIn }: Kinds) => fresh + cacheRead + audioIn + imageIn
const outs = ({ words, reasoning, audioOut, imageOut }: Kinds) => words + reasoning + audioOut + imageOut

/** How each vendor reports usage, by its own documents; undefined = it cannot report one of the kinds. */
const written: Record<DialectName, (kinds: Kinds) => Json | undefined> = {
  Chat: (k) => ({
    prompt_tokens: ins(k),
    completion_tokens: outs(k),
    total_tokens: ins(k) + outs(k),
    prompt_tokens_details: { cached_tokens: k.cacheRead, audio_tokens: k.audioIn, image_tokens: k.imageIn },
    completion_tokens_details: { reasoning_tokens: k.reasoning, audio_tokens: k.audioOut, image_tokens: k.imageOut },
  }),
  Responses: (k) =>
    k.audioIn + k.imageIn + k.audioOut + k.imageOut > 0
      ? undefined
      : {
          input_tokens: ins(k),
          input_tokens_details: { cached_tokens: k.cacheRead },
          output_tokens: outs(k),
          output_tokens_details: { reasoning_tokens: k.reasoning },
          total_tokens: ins(k) + outs(k),
        },
  Messages: (k) =>
    k.audioIn + k.imageIn + k.audioOut + k.imageOut > 0
      ? undefined
      : {
          input_tokens: k.fresh,
          cache_read_input_tokens: k.cacheRead,
          cache_creation_input_tokens: 0,
          output_tokens: outs(k),
          output_tokens_details: { thinking_tokens: k.reasoning },
        },
  Gemini: (k) => ({
    promptTokenCount: ins(k),
    cachedContentTokenCount: k.cacheRead,
    candidatesTokenCount: outs(k) - k.reasoning,
    thoughtsTokenCount: k.reasoning,
    totalTokenCount: ins(k) + outs(k),
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: k.fresh + k.cacheRead },
      { modality: 'AUDIO', tokenCount: k.audioIn },
      { modality: 'IMAGE', tokenCount: k.imageIn },
    ],
    candidatesTokensDetails: [
      { modality: 'TEXT', tokenCount: k.words },
      { modality: 'AUDIO', tokenCount: k.audioOut },
      { modality: 'IMAGE', tokenCount: k.imageOut },
    ],
  }),
}

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const figure = (value: unknown) => (typeof value === 'number' ? value : 0)
const modality = (list: unknown, kind: string) =>
  Array.isArray(list)
    ? list.filter((one) => object(one).modality === kind).reduce((sum, one) => sum + figure(object(one).tokenCount), 0)
    : 0

/** How each kind of client reads it. Figures without a field in a dialect are part of its totals. */
const understood: Record<DialectName, (usage: Json) => { in: number; out: number; cached: number; kinds: Partial<Kinds> }> = {
  Chat(usage) {
    const [input, output] = [object(usage.prompt_tokens_details), object(usage.completion_tokens_details)]
    return {
      in: figure(usage.prompt_tokens),
      out: figure(usage.completion_tokens),
      cached: figure(input.cached_tokens),
      kinds: {
        audioIn: figure(input.audio_tokens),
        imageIn: figure(input.image_tokens),
        reasoning: figure(output.reasoning_tokens),
        audioOut: figure(output.audio_tokens),
        imageOut: figure(output.image_tokens),
      },
    }
  },
  Responses: (usage) => ({
    in: figure(usage.input_tokens),
    out: figure(usage.output_tokens),
    cached: figure(object(usage.input_tokens_details).cached_tokens),
    kinds: { reasoning: figure(object(usage.output_tokens_details).reasoning_tokens) },
  }),
  Messages: (usage) => ({
    in: figure(usage.input_tokens) + figure(usage.cache_read_input_tokens) + figure(usage.cache_creation_input_tokens),
    out: figure(usage.output_tokens),
    cached: figure(usage.cache_read_input_tokens),
    kinds: { reasoning: figure(object(usage.output_tokens_details).thinking_tokens) },
  }),
  Gemini: (usage) => ({
    in: figure(usage.promptTokenCount),
    out: figure(usage.candidatesTokenCount) + figure(usage.thoughtsTokenCount),
    cached: figure(usage.cachedContentTokenCount),
    kinds: {
      audioIn: modality(usage.promptTokensDetails, 'AUDIO'),
      imageIn: modality(usage.promptTokensDetails, 'IMAGE'),
      reasoning: figure(usage.thoughtsTokenCount),
      audioOut: modality(usage.candidatesTokensDetails, 'AUDIO'),
      imageOut: modality(usage.candidatesTokensDetails, 'IMAGE'),
    },
  }),
}

/** USD a million; each kind has a price of its own. */
const price = { input: '1', output: '2', cacheRead: '0.1', reasoning: '3', audioIn: '5', audioOut: '7', imageIn: '11', imageOut: '13' }
const micro = (k: Kinds) =>
  k.fresh + k.cacheRead * 0.1 + k.audioIn * 5 + k.imageIn * 11 + k.words * 2 + k.reasoning * 3 + k.audioOut * 7 + k.imageOut * 13

const modelOf = (dialect: DialectName) => `usage-${dialect.toLowerCase()}`
const text = 'good day'

/** The usage of an answer, in its place in the dialect. */
const placed = (dialect: DialectName, answer: object, usage: Json): Json =>
  dialect === 'Gemini' ? { ...answer, usageMetadata: usage } : { ...answer, usage }

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  for (const dialect of dialects) {
    const speaks = { Chat: 'chat', Responses: 'responses', Messages: 'messages', Gemini: 'gemini' }[dialect]
    await gateway.channel(dialect, upstream.url, { vendor: vendorOf[dialect], models: [modelOf(dialect)], speaks: [speaks] })
    await gateway.price(modelOf(dialect), price)
  }
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

/** The last usage reported, wherever an event has it. */
function lastUsage(sse: string): Json {
  let usage: Json = {}
  for (const [, data] of sse.matchAll(/^data: (\{.*\})$/gm)) {
    const event = JSON.parse(data ?? '') as Json
    for (const place of [event, object(event.response), object(event.message)]) {
      const said = place.usage ?? place.usageMetadata
      if (said) usage = { ...usage, ...object(said) }
    }
  }
  return usage
}

/** A stream of the dialect whose last figures are these. */
function streamOf(dialect: DialectName, usage: Json) {
  const pieces = spoken[dialect].pieces(text)
  const edited = pieces.map((piece) =>
    piece.replace(/^data: (\{.*\})$/m, (line, data: string) => {
      const event = JSON.parse(data) as Json
      if (event.response && event.type === 'response.completed')
        return `data: ${JSON.stringify({ ...event, response: { ...object(event.response), usage } })}`
      if (event.message)
        return `data: ${JSON.stringify({ ...event, message: { ...object(event.message), usage: { ...usage, output_tokens: 0, output_tokens_details: null } } })}`
      if (event.type === 'message_delta') return `data: ${JSON.stringify({ ...event, usage })}`
      return event.usageMetadata ? `data: ${JSON.stringify({ ...event, usageMetadata: usage })}` : line
    }),
  )
  if (dialect !== 'Chat') return stream(edited)
  const last = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: [], usage }
  return stream([...edited.slice(0, -1), `data: ${JSON.stringify(last)}\n\n`, 'data: [DONE]\n\n'])
}

describe.each([...dialects])('an upstream of %s', (vendor) => {
  const told = Object.entries(cases).flatMap(([name, kinds]) => {
    const usage = written[vendor](kinds)
    return usage ? [{ name, kinds, usage }] : []
  })
  const table = told.flatMap((one) => dialects.flatMap((client) => [false, true].map((streams) => ({ ...one, client, streams }))))

  test.each(table.map((row) => [`${row.name}, client of ${row.client}, ${row.streams ? 'stream' : 'whole'}`, row] as const))(
    '%s',
    async (_, row) => {
      const { kinds, usage, client, streams } = row
      upstream.next(streams ? streamOf(vendor, usage) : respondJson(200, placed(vendor, spoken[vendor].whole(text) as object, usage)))
      const answer = await askIn(client, gateway, modelOf(vendor), streams)
      const body = await answer.text()
      expect(answer.status, body).toBe(200)
      const heard = understood[client](
        streams ? lastUsage(body) : object((JSON.parse(body) as Json).usage ?? (JSON.parse(body) as Json).usageMetadata),
      )
      const logged = await gateway.log<{ usage: { in: Json & { cacheRead: number }; out: Record<string, number> }; cost: string }>(
        answer.headers.get('x-request-id') ?? '',
      )
      const { in: input, out } = logged.usage
      expect(logged).toMatchObject({ provenance: 'provider', end: 'complete' })
      expect({ fresh: input.fresh, cacheRead: input.cacheRead, audioIn: input.audio, imageIn: input.image }).toEqual({
        fresh: kinds.fresh,
        cacheRead: kinds.cacheRead,
        audioIn: kinds.audioIn,
        imageIn: kinds.imageIn,
      })
      expect(out).toEqual({ total: outs(kinds), reasoning: kinds.reasoning, audio: kinds.audioOut, image: kinds.imageOut })
      expect(Number(logged.cost)).toBeCloseTo(micro(kinds) / 1e6, 9)
      // The client's own arithmetic comes to the same.
      expect({ in: heard.in, out: heard.out, cached: heard.cached }).toEqual({ in: ins(kinds), out: outs(kinds), cached: kinds.cacheRead })
      for (const [kind, tokens] of Object.entries(heard.kinds)) expect([kind, tokens]).toEqual([kind, kinds[kind as keyof Kinds]])
    },
  )
})
