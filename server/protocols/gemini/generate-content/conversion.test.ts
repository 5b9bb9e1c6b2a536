/** Streams of anything, and the other framing of answers. */
import { expect, test } from 'bun:test'
import type { ConversationEvent } from '#canonical/conversation-event'
import { GatewayError } from '#shared/errors'
import { asEvents, gathered } from '#testing/conversions/answer-events'
import { askedBy } from '#testing/conversions/answer-features'
import { eventsOf, noMemo, plain, streamOf, testPen } from '#testing/conversions/codec-runs'
import { brokenRules } from '#testing/conversions/event-order'
import { normal, randomAnswer, vocabularyOf } from '#testing/conversions/random-answers'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { createJsonArrayJoiner, createJsonArraySplitter } from '#wire/json-array'
import { geminiCodec as codec } from './codec.ts'

const asked = askedBy('gemini')

function readArray(pieces: readonly Uint8Array[]): ConversationEvent[] {
  const splitter = createJsonArraySplitter()
  const reader = codec.reader(noMemo, testPen())
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
}

test('T13: random answers are the same as one array, at any cut', () => {
  const vocabulary = vocabularyOf('gemini')
  for (let seed = 1; seed <= 100; seed++) {
    const random = seeded(seed)
    const answer = randomAnswer(vocabulary, random, new Map())
    const joiner = createJsonArrayJoiner()
    const pieces = random.cut(streamOf(codec, asEvents(answer, random), asked), 50).map((piece) => joiner.push(piece))
    const array = Buffer.concat([...pieces, joiner.end()])
    expect({ seed, list: Array.isArray(JSON.parse(array.toString())) }).toEqual({ seed, list: true })
    const again = gathered(readArray(random.cut(array, 9)))
    expect({ seed, said: plain(normal(again, 'gemini')) }).toEqual({ seed, said: plain(normal(answer, 'gemini')) })
  }
})

test('T13: a stream of nothing is an empty array, a failure its last element', () => {
  const joiner = createJsonArrayJoiner()
  const failure = codec.writer(asked, testPen()).push({ kind: 'error', error: new GatewayError('upstream_error', 'x') })
  const text = Buffer.concat([joiner.push(failure), joiner.end()]).toString()
  expect(JSON.parse(text)).toMatchObject([{ error: { code: 502 } }])
})

test('whatever an upstream sends, the order of events holds', () => {
  const odd: unknown[] = [null, 0, -1, 1e300, '', 'x', true, [], {}, [null], [[]], { ['__proto__']: 1 }, '\ud800', 'STOP', 'image/png']
  const names =
    `candidates content parts text thought thoughtSignature functionCall name args id partialArgs jsonPath stringValue willContinue inlineData mimeType data
    finishReason index usageMetadata promptTokenCount candidatesTokenCount promptFeedback blockReason groundingMetadata groundingChunks web uri groundingSupports segment
    startIndex endIndex groundingChunkIndices logprobsResult chosenCandidates responseId modelVersion`.split(/\s+/)
  for (let seed = 1; seed <= 3000; seed++) {
    const random = seeded(seed)
    const value = (depth: number): unknown => {
      if (depth === 0 || random.below(4) === 0) return odd[random.below(odd.length)]
      if (random.below(4) === 0) return [value(depth - 1), value(depth - 1)]
      return Object.fromEntries(
        Array.from({ length: 1 + random.below(5) }, () => [names[random.below(names.length)] ?? '', value(depth - 1)]),
      )
    }
    const stream = Array.from({ length: random.below(6) }, () => {
      const candidate = { content: { parts: [value(3), value(2)] }, index: value(0), ...(value(3) as object) }
      const body = random.below(3) === 0 ? value(5) : { candidates: [candidate], ...(random.below(3) === 0 && (value(2) as object)) }
      return `data: ${JSON.stringify(body)}\n\n`
    })
    const events = eventsOf(codec, [new TextEncoder().encode(stream.join(''))])
    expect({ seed, broken: brokenRules(events) }).toEqual({ seed, broken: [] })
    streamOf(codec, events, asked)
  }
})

test('T04: a picture of 3 MB takes linear time', () => {
  const data = 'A'.repeat(3_000_000)
  const start = threadNow()
  const bytes = new TextEncoder().encode(
    `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' }] })}\n\n`,
  )
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 65_536) pieces.push(bytes.subarray(at, at + 65_536))
  const events = eventsOf(codec, pieces)
  expect(events.find((event) => event.kind === 'delta')).toMatchObject({ delta: { data } })
  expect(threadNow() - start).toBeLessThan(20_000)
})
