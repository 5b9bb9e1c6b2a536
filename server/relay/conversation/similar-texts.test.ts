/** A converted stream is the same whether its texts are forwarded together, one by one, or each read and written by the codecs. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import type { StreamReader } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { roughly } from '#canonical/token-estimator'
import { conversationCodecs } from '#protocols/index'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import { statelessMarker } from '#reasoning-state/stateless-marker'
import { createStreamRecorder } from '#reasoning-state/stream-recorder'
import type { Passage } from '#relay/contract/exchange'
import { type Dialect, dialects } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { noMemo, plain, streamOf, testPen } from '#testing/conversions/codec-runs'
import { conversation } from '#testing/conversions/conversation'
import { eventsTaken } from '#testing/events-taken'
import { type Seeded, seeded } from '#testing/seeded'
import { bytewise } from '#wire/bytewise'
import { ConvertedPassage } from './converted-passage.ts'

interface Pair {
  upstream: Dialect
  client: Dialect
  /** Whether the client asked for thoughts. */
  thinks?: boolean
}

/** The output of a stream, and how often events were taken together. */
function outcome({ upstream, client, thinks }: Pair, chunks: readonly Uint8Array[], most: number, isFast = true) {
  const heard: string[] = []
  const recorded: unknown[] = []
  const reasoningState = {
    recorder: () => createStreamRecorder(10_000, (parts) => void recorded.push(plain(parts))),
    sealingStream: () => statelessMarker(client),
  } as unknown as ReasoningState
  const codec = conversationCodecs[upstream]
  const request = conversation({ dialect: client, stream: true, usageAsked: true, ...(thinks && { reasoning: { visible: 'full' } }) })
  const estimator = { ...roughly, addText: (text: string) => void heard.push(text) }
  const common = {
    codecContext: testPen(),
    reasoningState,
    tenant: 'anna',
    maker: 'up',
    inputBytes: 100,
    lost: [],
    question: () => undefined,
  }
  const conversion = { client: conversationCodecs[client], upstream: codec, request, ...common, estimator: () => estimator }
  const whole = codec.reader(noMemo, testPen())
  const { texts: _, ...slow } = whole
  const passage = new ConvertedPassage(conversion, (isFast ? whole : slow) as StreamReader)
  const { out, together, verdicts } = passed(passage, chunks, most)
  const state = { usage: passage.usage(), counted: passage.counted?.(), bytes: passage.textBytes?.(), losses: passage.losses?.() }
  return { out, heard, recorded, verdicts, ...state, tier: passage.tier?.(), finished: passage.finished(), together }
}

/** Reads as the relay does. */
function passed(passage: Passage, chunks: readonly Uint8Array[], most: number) {
  const cutter = createSseSplitter({ bytewise })
  const out: string[] = []
  const verdicts: unknown[] = []
  let together = 0
  let isOver = false
  const take = ({ out: bytes, error, last }: ReturnType<Passage['push']>) => {
    if (bytes) out.push(bytewise(bytes))
    if (error || last) verdicts.push(plain({ error, last }))
    isOver ||= error !== undefined || last === true
  }
  for (const chunk of chunks) {
    cutter.feed(chunk)
    for (; !isOver; ) {
      let some: ReturnType<NonNullable<Passage['pass']>>
      const run = eventsTaken(cutter, (text, from) => {
        some = passage.pass?.(text, from, most)
        return some?.end
      })
      const frame = run ? undefined : cutter.next()
      if (!run && !frame) break
      if (some?.out) out.push(bytewise(some.out))
      if (run) together += 1
      if (frame) take(passage.push(frame))
    }
  }
  for (const frame of isOver ? [] : cutter.end()) take(passage.push(frame))
  if (!isOver) take(passage.close())
  return { out: Buffer.from(out.join(''), 'latin1').toString(), together, verdicts }
}

const words = [
  ...['Hello ', 'a', ' ', 'x'.repeat(40), '日本🎉', 'é', '"quoted" \\ \n\n', '\t', '\u0000\u001f\u007f', '\\', '\\"', '\ud83d', '\ude00'],
  ...['data: x\n\nevent: error\n\n', '\u2028', '</s>', '\ufeff', '\ufffd', 'text', 'delta', '{"a":"b"}', '/', '0', 'null', 'parley'],
] as [string, ...string[]]

/** An answer of many deltas: reasoning, text, a tool call, text again. */
function events(random: Seeded): ConversationEvent[] {
  const said = (at: number, length: number): ConversationEvent[] =>
    Array.from({ length }, () => {
      const text = Array.from({ length: 1 + random.below(2) }, () => (random.below(2) === 0 ? 'word ' : random.pick(words))).join('')
      return { kind: 'delta', choice: 0, at, delta: { text } }
    })
  const part = (at: number, head: object, length: number): ConversationEvent[] => [
    { kind: 'open', choice: 0, at, part: head } as ConversationEvent,
    ...said(at, length),
    { kind: 'close', choice: 0, at },
  ]
  const call: ConversationEvent[] = [
    { kind: 'open', choice: 0, at: 2, part: { kind: 'call', callId: 'call_1', name: 'look', form: 'json' } },
    ...['{"a":', '"b\\n"', ',"c":1', '}'].map((text): ConversationEvent => ({ kind: 'delta', choice: 0, at: 2, delta: { text } })),
    { kind: 'close', choice: 0, at: 2 },
  ]
  return [
    { kind: 'start', id: 'answer', model: 'asked', created: 1_764_000_000 },
    ...(random.below(2) === 0 ? [] : part(0, { kind: 'reasoning', form: 'full' }, 12)),
    ...part(1, { kind: 'text' }, 30),
    ...(random.below(2) === 0 ? [] : call),
    ...(random.below(2) === 0 ? [] : part(3, { kind: random.below(3) === 0 ? 'refusal' : 'text' }, 12)),
    { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } },
    { kind: 'end' },
  ]
}

/** The spellings of the same stream that upstreams use. */
const spellings: readonly ((stream: string, random: Seeded) => string)[] = [
  (stream) => stream,
  (stream) => stream.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (stream) => stream.replaceAll('/', '\\/'),
  (stream) => stream.replaceAll('\n', '\r\n'),
  (stream, random) => stream.replaceAll('\n\n', () => (random.below(8) === 0 ? '\n\n: ping\n\n' : '\n\n')),
  (stream, random) => stream.replaceAll('}\n\n', () => `,"obfuscation":"${'aB3'.repeat(random.below(3))}"}\n\n`),
  (stream, random) => stream.replaceAll('}\n\n', () => (random.below(4) === 0 ? ',"unknown":1}\n\n' : '}\n\n')),
]

/** Not every dialect can express every part. */
function streamFrom(upstream: Dialect, random: Seeded): Buffer {
  const asked = conversation({ dialect: upstream, stream: true, reasoning: { visible: 'full' } })
  const spell = spellings[random.below(spellings.length)] ?? String
  const stream = Buffer.from(spell(Buffer.from(streamOf(conversationCodecs[upstream], events(random), asked)).toString(), random))
  // Bytes that are not valid UTF-8.
  if (random.below(6) === 0) for (const at of [200, 2_000]) if ((stream[at] ?? 0) > 0x60) stream[at] = 0xff
  return stream
}

const pairs: Pair[] = dialects
  .flatMap((upstream) => dialects.map((client) => ({ upstream, client })))
  .filter((p) => p.upstream !== p.client)
const fast: readonly Dialect[] = ['chat', 'completions', 'responses', 'messages']

describe.each(pairs)('from $upstream to $client', ({ upstream, client }) => {
  test('texts of all kinds, however they are spelled and cut', () => {
    let together = 0
    for (let seed = 1; seed <= 30; seed++) {
      const random = seeded(seed)
      const pair = { upstream, client, thinks: random.below(2) === 0 }
      const stream = streamFrom(upstream, random)
      const { together: _, ...slow } = outcome(pair, [stream], 1_000_000, false)
      for (const mean of [stream.length, 4_000, 300, 7]) {
        const { together: runs, ...seen } = outcome(pair, random.cut(stream, mean), random.pick([1, 50, 1_000_000]))
        expect({ seed, mean, ...seen }).toEqual({ seed, mean, ...slow })
        together += runs
      }
    }
    // Makes sure that events are taken together at all.
    if (fast.includes(upstream)) expect(together).toBeGreaterThan(150)
  })

  test('every recorded stream, byte by byte and at once', () => {
    for (const path of recordings(upstream)) {
      const stream = readFileSync(path)
      const { together: _, ...slow } = outcome({ upstream, client }, [stream], 1_000, false)
      for (const mean of [stream.length, 50, 1]) {
        const { together: _, ...seen } = outcome({ upstream, client }, seeded(mean).cut(stream, mean), 1_000)
        expect({ path, mean, ...seen }).toEqual({ path, mean, ...slow })
      }
    }
  })
})

function recordings(upstream: Dialect): string[] {
  const folder = { messages: 'anthropic/messages', gemini: 'gemini/generate-content' }[upstream as string] ?? `openai/${upstream}`
  const fixtures = `${import.meta.dir}/../../protocols/${folder}/fixtures`
  const streams = readdirSync(fixtures, { recursive: true }).filter((name) => String(name).endsWith('stream.sse'))
  if (streams.length < 3) throw new Error(`few recordings in ${fixtures}`)
  return streams.map((name) => `${fixtures}/${name}`)
}
