/** The work of converting a continuous stream, counted instead of timed. The counts may only fall. */
import { expect, test } from 'bun:test'
import { roughly } from '#canonical/token-estimator'
import { conversationCodecs } from '#protocols/index'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import { statelessMarker } from '#reasoning-state/stateless-marker'
import { createStreamRecorder } from '#reasoning-state/stream-recorder'
import type { Dialect } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { noMemo, testPen } from '#testing/conversions/codec-runs'
import { conversation } from '#testing/conversions/conversation'
import { eventsTaken } from '#testing/events-taken'
import { bytewise } from '#wire/bytewise'
import { ConvertedPassage } from './converted-passage.ts'

const events = 400
const chunks = 4

/** Four chunks of a hundred texts each, some of them with escapes and beyond ASCII. */
function streamOf(upstream: Dialect): Uint8Array[] {
  const asked = conversation({ dialect: upstream, stream: true })
  const { push } = conversationCodecs[upstream].writer(asked, testPen())
  const said = (at: number) => [`word ${at}`, 'a "quote"\n', '日本🎉', `${at}`][at % 4] ?? ''
  const frames = [
    ...[push({ kind: 'start', id: 'a', model: 'm', created: 1 }), push({ kind: 'open', choice: 0, at: 0, part: { kind: 'text' } })],
    ...Array.from({ length: events }, (_, at) => push({ kind: 'delta', choice: 0, at: 0, delta: { text: said(at) } })),
    ...[push({ kind: 'close', choice: 0, at: 0 }), push({ kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } })],
    push({ kind: 'end' }),
  ]
  const size = Math.ceil(frames.length / chunks)
  return Array.from({ length: chunks }, (_, at) => Buffer.concat(frames.slice(at * size, (at + 1) * size)))
}

/** Runs the stream to its end, and counts. */
function counted(upstream: Dialect, client: Dialect) {
  const did = { parses: 0, writes: 0, pieces: 0, frames: 0, counts: 0 }
  const pieces = streamOf(upstream)
  const scale = { input: counting, output: counting, addText: () => undefined }
  function counting(bytes: number): number {
    did.counts += 1
    return roughly.output(bytes)
  }
  const reasoningState = {
    recorder: () => createStreamRecorder(10_000, () => undefined),
    sealingStream: () => statelessMarker(client),
  } as unknown as ReasoningState
  const codec = conversationCodecs[upstream]
  const common = {
    codecContext: testPen(),
    reasoningState,
    tenant: 'anna',
    maker: 'up',
    inputBytes: 100,
    lost: [],
    question: () => undefined,
  }
  const request = conversation({ dialect: client, stream: true })
  const conversion = { client: conversationCodecs[client], upstream: codec, request, ...common, estimator: () => scale }
  const passage = new ConvertedPassage(conversion, codec.reader(noMemo, testPen()))
  const cutter = createSseSplitter({ bytewise })
  const { parse, stringify } = JSON
  JSON.parse = (...given) => {
    did.parses += 1
    return parse(...given)
  }
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    did.writes += 1
    return stringify(...given)
  }) as typeof stringify
  try {
    for (const piece of pieces) {
      cutter.feed(piece)
      for (;;) {
        const run = eventsTaken(cutter, (text, from) => passage.pass?.(text, from, 1_000_000)?.end)
        const frame = run ? undefined : cutter.next()
        if (!run && !frame) break
        if (frame) did.frames += 1
        if (run || (frame && passage.push(frame).out)) did.pieces += 1
      }
    }
    return did
  } finally {
    Object.assign(JSON, { parse, stringify })
  }
}

/** The last measurement, as `upstream client`. One text in four has an escape, and must be decoded to be counted. */
const most = {
  'chat to messages': { parses: 105, writes: 10, pieces: 9, frames: 6, counts: 3 },
  'messages to chat': { parses: 107, writes: 5, pieces: 8, frames: 6, counts: 3 },
  'responses to chat': { parses: 111, writes: 9, pieces: 9, frames: 11, counts: 3 },
  'chat to responses': { parses: 105, writes: 13, pieces: 9, frames: 6, counts: 3 },
  'chat to gemini': { parses: 105, writes: 6, pieces: 8, frames: 6, counts: 3 },
  'messages to responses': { parses: 107, writes: 10, pieces: 9, frames: 6, counts: 3 },
}

test.each(Object.entries(most))('%s: 400 texts in four chunks', (pair, limits) => {
  const [upstream, client] = pair.split(' to ') as [Dialect, Dialect]
  const did = counted(upstream, client)
  const more = Object.entries(did).filter(([what, count]) => count > limits[what as keyof typeof limits])
  expect(more).toEqual([])
})
