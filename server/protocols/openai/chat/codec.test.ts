/**
 * The byte test: requests and streams from the vendors' documentation, with unknown fields, split anywhere. The output equals the input
 * except for the closed list of edits. The generator writes each text twice, as input and as expected output, independently of the codec.
 */
import { describe, expect, test } from 'bun:test'
import type { AnswerEdits } from '#canonical/codec'
import { createSseSplitter } from '#shared/sse'
import { requestTexts, streamTexts } from '#testing/conversions/chat-texts'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { chatPassthrough as chat } from './codec.ts'

const rounds = 200
describe(`${rounds} requests`, () => {
  test('leave as they came but for the model, usage, and what Parley removes', () => {
    for (let seed = 1; seed <= rounds; seed++) {
      const random = seeded(seed)
      const [came, left] = requestTexts(random, { asked: ['m', 'a/b-c', 'with \\"quote\\"', '\\u006d'], upstream: 'up \\"1\\"' }, false)
      const head = chat.readHead(came)
      expect({ seed, usageAsked: head.usageAsked }).toEqual({ seed, usageAsked: false })
      expect({ seed, left: chat.editRequest(came, { model: 'up "1"', forceUsage: true }) }).toEqual({ seed, left })
      expect(chat.editRequest(came, {})).toBe(came)
    }
  })
})

describe(`${rounds} streams, cut anywhere`, () => {
  const pass = (pieces: Uint8Array[], edits: AnswerEdits) => {
    const splitter = createSseSplitter()
    const meter = chat.meter(edits)
    const out = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()].map(
      (frame) => meter.push(frame).out ?? new Uint8Array(),
    )
    return { text: Buffer.concat(out).toString(), end: meter.end(), tail: meter.tail(), out: meter.usage(4).out.total }
  }

  test.each([false, true])('usage withheld: %p', (hides) => {
    for (let seed = 1; seed <= rounds; seed++) {
      const random = seeded(seed)
      const [came, left] = streamTexts(random, hides)
      const pieces = random.cut(Buffer.from(came), random.pick([1, 3, 40, 1000]))
      const whole = { end: 'complete' as const, tail: undefined, out: 2 }
      expect({ seed, ...pass(pieces, { model: 'asked', hideUsage: hides }) }).toEqual({ seed, text: left, ...whole })
      expect({ seed, ...pass(pieces, {}) }).toEqual({ seed, text: came, ...whole })
    }
  })
})

test('the keep-alive is a comment of its own', () => {
  const [frame] = createSseSplitter().push(chat.keepalive)
  expect([frame?.data, frame?.event, frame?.unfinished]).toEqual([undefined, undefined, false])
})

test('speed: microseconds per event of an ordinary stream', () => {
  const event = `data: {"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-5-mini","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"aB3dE"}\n\n`
  const events = 200
  const bytes = new TextEncoder().encode(event.repeat(events))
  const measure = (edits: AnswerEdits) => {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 60; round++) {
      const start = threadNow()
      const splitter = createSseSplitter()
      const meter = chat.meter(edits)
      for (let at = 0; at < bytes.length; at += 1400) for (const frame of splitter.push(bytes.subarray(at, at + 1400))) meter.push(frame)
      best = Math.min(best, ((threadNow() - start) * 1000) / events)
    }
    return best
  }
  const figures = { plain: measure({}), model: measure({ model: 'fast' }), both: measure({ model: 'fast', hideUsage: true }) }
  console.info(
    `chat stream, µs per event: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value.toFixed(2)}`)
      .join(', ')}`,
  )
  expect(figures.plain).toBeLessThan(40)
  expect(figures.both).toBeLessThan(100)
})
