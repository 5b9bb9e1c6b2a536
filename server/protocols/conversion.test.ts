/**
 * Conversions between all dialects that have one, with several features at once: a request is refused with the caller's name of the field,
 * or converted to the other dialect with all of its content; an answer has the same content whole and streamed. Runs over the registry, so
 * that a new dialect is included.
 */
import { describe, expect, test } from 'bun:test'
import type { ConversationResponse } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'
import { type Dialect, dialects, servedBy } from '#shared/ids'
import { asEvents, gathered } from '#testing/conversions/answer-events'
import { askedBy } from '#testing/conversions/answer-features'
import { answerAgain, attempt, eventsOf, plain, readBody, streamOf, withoutPaths, written } from '#testing/conversions/codec-runs'
import { brokenRules } from '#testing/conversions/event-order'
import { normal, randomAnswer, vocabularyOf } from '#testing/conversions/random-answers'
import { combinable, randomRequest, transcript } from '#testing/conversions/random-requests'
import { seeded } from '#testing/seeded'
import { conversationCodecs as codecs } from './index.ts'

const clients = dialects.map((dialect) => ({ dialect, features: combinable(dialect) }))

describe.each(clients)('requests of $dialect', ({ dialect, features }) => {
  const client = codecs[dialect]

  test('300 random ones are the same after writing and reading', () => {
    const made = new Set<string>()
    let lossless = 0
    for (let seed = 1; seed <= 300; seed++) {
      const { request, features: chosen } = randomRequest(dialect, features, seeded(seed))
      const sent = written(client, request)
      const again = withoutPaths(readBody(client, sent.body, request.model))
      for (const { name } of chosen) made.add(name)
      expect({ seed, said: plain(transcript(again)) }).toEqual({ seed, said: plain(transcript(request)) })
      if (sent.losses.length > 0) continue
      lossless++
      for (const { name, of } of chosen) expect({ seed, name, said: plain(of(again)) }).toEqual({ seed, name, said: plain(of(request)) })
      const head = client.readHead(JSON.stringify(sent.body), `${request.model}:generateContent`)
      expect({ seed, model: head.model, stream: head.stream }).toEqual({ seed, model: request.model, stream: false })
    }
    console.info(`requests of ${dialect}: ${made.size} features, ${lossless} without a loss`)
    expect(lossless).toBeGreaterThan(200)
    expect(features.filter(({ name }) => !made.has(name)).map(({ name }) => name)).toEqual([])
  })

  test.each(servedBy[dialect].filter((upstream) => upstream !== dialect))('for %s', (upstream) => {
    let carried = 0
    for (let seed = 1; seed <= 200; seed++) {
      const { request } = randomRequest(dialect, features, seeded(seed))
      const body = JSON.stringify(written(client, request).body)
      const read = client.readRequest(body, `${request.model}:generateContent`)
      const sent = attempt(() => written(codecs[upstream], read))
      if (sent instanceof GatewayError) {
        expect({ seed, code: sent.code, named: namesField(sent.param, body) }).toEqual({ seed, code: 'unsupported_value', named: true })
        continue
      }
      carried++
      const arrived = transcript(readBody(codecs[upstream], sent.body, request.model)).map((line) => JSON.stringify(line))
      if (sent.losses.some(({ field }) => isAboutWords(field))) continue
      const missing = transcript(read).filter((line) => !arrived.includes(JSON.stringify(line)))
      expect({ seed, missing }).toEqual({ seed, missing: [] })
    }
    expect(carried).toBeGreaterThan(20)
  })
})

/** A refusal names a field of the caller's body. */
function namesField(param: string | undefined, body: string): boolean {
  const first = /^[A-Za-z_]+/.exec(param ?? '')?.[0]
  return first !== undefined && (body.includes(`"${first}"`) || first === 'input')
}

/** Losses that report changed text or calls. */
const isAboutWords = (field: string) => field.startsWith('turns.') || field.startsWith('result.') || field === 'tools.custom'

const pairs = dialects.flatMap((client) =>
  servedBy[client].filter((upstream) => upstream !== client).map((upstream) => [upstream, client] as const),
)

describe.each(pairs)('answers of %s for %s', (upstream, client) => {
  test('100 random ones: no content is missing, whole and streamed', () => {
    const all = vocabularyOf(upstream)
    // A stream passes on invalid arguments before that can be known.
    const vocabulary = { ...all, parts: all.parts.filter((name) => name !== 'call whose arguments are no JSON') }
    const asked = askedBy(client)
    for (let seed = 1; seed <= 100; seed++) {
      const random = seeded(seed)
      const answer = answerAgain(codecs[upstream], randomAnswer(vocabulary, random, new Map()), askedBy(upstream))
      const stream = eventsOf(codecs[client], random.cut(streamOf(codecs[client], asEvents(answer, random), asked), 20))
      expect({ seed, broken: brokenRules(stream) }).toEqual({ seed, broken: [] })
      // A failure here: see the matrix.
      if (answer.choices.some(({ finish }) => finish.reason === 'bad-tool-call') && client === 'responses') continue
      const [whole, streamed] = [answerAgain(codecs[client], answer, asked), gathered(stream)]
      expect({ seed, missing: missing(answer, whole, client) }).toEqual({ seed, missing: [] })
      expect({ seed, streamed: comparable(streamed, client) }).toEqual({ seed, streamed: comparable(whole, client) })
    }
  })
})

/** Text and calls that the client does not get. */
function missing(answer: ConversationResponse, whole: ConversationResponse, client: Dialect): string[] {
  const partsOf = ({ choices }: ConversationResponse) => choices.flatMap((choice) => choice.parts)
  const content = partsOf(whole)
  const words = content.map((part) => ('text' in part ? part.text : '')).join('')
  return partsOf(answer).flatMap((part) => {
    if (part.kind === 'text' || part.kind === 'refusal') return words.includes(part.text) ? [] : [part.text]
    if (part.kind !== 'call' || client === 'completions') return []
    return content.some((one) => one.kind === 'call' && one.callId === part.callId && one.name === part.name) ? [] : [part.callId]
  })
}

/** What a whole answer and a streamed one must have in common. A Gemini stream lists its sources at the end, for no part. */
function comparable(answer: ConversationResponse, client: Dialect): unknown {
  const content = JSON.stringify(normal(answer, client), (key, value) => (key === 'citations' && client === 'gemini' ? undefined : value))
  return JSON.parse(content)
}
