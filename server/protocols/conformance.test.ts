/**
 * What every codec must do, run over the registry: a new dialect is held to it without a line here. Random answers with everything that the
 * dialect can express are written whole and as streams, split anywhere, broken anywhere, and read again. A failing seed is printed; so are
 * the features that were covered, and one that was never covered fails the test.
 */
import { describe, expect, test } from 'bun:test'
import type { StreamWriter } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { GatewayError } from '#shared/errors'
import { dialects } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { asEvents, gathered } from '#testing/conversions/answer-events'
import { askedBy } from '#testing/conversions/answer-features'
import { answerAgain, eventsOf, noMemo, plain, streamOf, testPen } from '#testing/conversions/codec-runs'
import { named } from '#testing/conversions/conversation'
import { brokenRules } from '#testing/conversions/event-order'
import { answerRules } from '#testing/conversions/loss-rules-answers'
import { normal, randomAnswer, vocabularyOf } from '#testing/conversions/random-answers'
import { seeded } from '#testing/seeded'
import { conversationCodecs } from './index.ts'

const sizes = [1, 7, 200, 1_000_000] as const
const isOver = (events: readonly ConversationEvent[]) => events.at(-1)?.kind

describe.each(dialects)('%s', (dialect) => {
  const codec = conversationCodecs[dialect]
  const asked = askedBy(dialect)
  const vocabulary = vocabularyOf(dialect)
  const framesOf = (bytes: Uint8Array) => {
    const splitter = createSseSplitter()
    return [...splitter.push(bytes), ...splitter.end()]
  }
  const randomStream = (seed: number, made = new Map<string, number>()) => {
    const random = seeded(seed)
    const answer = randomAnswer(vocabulary, random, made)
    return { random, answer, bytes: streamOf(codec, asEvents(answer, random), asked) }
  }

  test('300 random answers are the same after writing and reading, whole and streamed, at any cut', () => {
    const made = new Map<string, number>()
    for (let seed = 1; seed <= 300; seed++) {
      const { random, answer, bytes } = randomStream(seed, made)
      const wanted = plain(normal(answer, dialect))
      expect({ seed, said: plain(normal(answerAgain(codec, answer, asked), dialect)) }).toEqual({ seed, said: wanted })
      const size = random.pick(sizes)
      made.set(`chunks of ${size}`, (made.get(`chunks of ${size}`) ?? 0) + 1)
      const events = eventsOf(codec, random.cut(bytes, size))
      expect({ seed, broken: brokenRules(events) }).toEqual({ seed, broken: [] })
      expect({ seed, said: plain(normal(gathered(events), dialect)), end: isOver(events) }).toEqual({ seed, said: wanted, end: 'end' })
    }
    console.info(`${dialect}: ${[...made].map(([name, count]) => `${name} ${count}`).join(', ')}`)
    const all = [
      ...vocabulary.parts,
      ...vocabulary.ends,
      ...vocabulary.usages,
      ...vocabulary.logprobs,
      ...sizes.map((size) => `chunks of ${size}`),
    ]
    expect(all.filter((name) => !made.has(name))).toEqual([])
  })

  test('a stream that breaks after any frame is an error, unless the answer was complete', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const frames = framesOf(randomStream(seed).bytes)
      for (let count = 0; count < frames.length; count++) {
        for (const broke of [undefined, new GatewayError('upstream_error', 'broke')]) {
          const reader = codec.reader(noMemo, testPen())
          const events = [...frames.slice(0, count).flatMap((frame) => reader.push(frame)), ...reader.end(broke)]
          const isFinished = events.some((event) => event.kind === 'finish')
          expect({ seed, count, broken: brokenRules(events) }).toEqual({ seed, count, broken: [] })
          if (!isFinished) expect({ seed, count, end: isOver(events) }).toEqual({ seed, count, end: 'error' })
          const meter = codec.meter({})
          for (const frame of frames.slice(0, count)) meter.push(frame)
          expect({ seed, count, cut: meter.end() === 'cut' }).toEqual({ seed, count, cut: isOver(events) === 'error' })
        }
      }
    }
  })

  test('an error in the stream is read as one, and nothing follows it', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { answer, random } = randomStream(seed)
      const events = asEvents(answer, random)
      const before = events.slice(0, 1 + random.below(events.length - 2))
      const failure: ConversationEvent = { kind: 'error', error: new GatewayError('upstream_error', 'failed') }
      const again = eventsOf(codec, [streamOf(codec, [...before, failure, ...events.slice(before.length)], asked)])
      expect({ seed, broken: brokenRules(again), end: isOver(again) }).toEqual({ seed, broken: [], end: 'error' })
    }
  })

  test('what is lost of another dialect`s answer is told, of a stream the same as of the whole', () => {
    const seen = new Set<string>()
    for (const from of dialects.filter((other) => other !== dialect)) {
      const other = vocabularyOf(from)
      for (let seed = 1; seed <= 100; seed++) {
        const random = seeded(seed)
        const answer = answerAgain(conversationCodecs[from], randomAnswer(other, random, new Map()), askedBy(from))
        const whole = named(codec.writeResponse(answer, asked, testPen()).losses)
        const writer = codec.writer(asked, testPen())
        for (const event of asEvents(answer, random)) writer.push(event)
        expect({ from, seed, losses: lossesOf(writer) }).toEqual({ from, seed, losses: whole.filter((loss) => !keptAsItIs(loss)).sort() })
        for (const loss of whole) seen.add(loss.replace(/!$/, ''))
      }
    }
    const words = { dropped: 'dropped', changed: 'adapted' } as const
    const rules = answerRules.flatMap(({ to, verdict, of }) =>
      to.includes(dialect) && (verdict === 'dropped' || verdict === 'changed') ? of.map((field) => `${field}:${words[verdict]}`) : [],
    )
    expect(rules.filter((loss) => !seen.has(loss))).toEqual([])
  })

  /** A stream of Messages hands broken arguments on as the text that they are. */
  const keptAsItIs = (loss: string) => dialect === 'messages' && loss.startsWith('response.call.arguments:')
  /** A Gemini stream cannot position sources in text that is not ASCII. */
  const lossesOf = ({ losses }: StreamWriter) => named(losses().filter(({ field }) => field !== 'response.citations.range')).sort()

  test('a keep-alive has no content, wherever it stands', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { bytes } = randomStream(seed)
      const text = Buffer.from(bytes).toString()
      const waiting = text.split('\n\n').join(`\n\n${Buffer.from(codec.keepalive).toString()}`)
      const reader = eventsOf(codec, [codec.keepalive, Buffer.from(waiting)])
      expect({ seed, events: plain(reader) }).toEqual({ seed, events: plain(eventsOf(codec, [bytes])) })
    }
  })

  test('watching a stream pass finds what reading it finds, and changes no byte', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { bytes } = randomStream(seed)
      const meter = codec.meter({})
      const passed = framesOf(bytes).map((frame) => meter.push(frame).out ?? new Uint8Array())
      const answer = gathered(eventsOf(codec, [bytes]))
      const { in: input, out } = meter.usage(0)
      const isCut = answer.choices.some(({ finish }) => finish.reason === 'length' || finish.reason === 'context-full')
      expect({ seed, input, out, end: meter.end() }).toEqual({
        seed,
        input: answer.usage.in,
        out: answer.usage.out,
        end: isCut ? 'length' : 'complete',
      })
      expect(Buffer.concat(passed).equals(bytes)).toBe(true)
    }
  })

  test('a whole answer is counted the same when passed and when read', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { body } = codec.writeResponse(randomStream(seed).answer, asked, testPen())
      const [passed, read] = [codec.readWhole(body, {}, 0), codec.readResponse(body, noMemo, testPen())]
      expect({ seed, body: passed.body, in: passed.usage.in, out: passed.usage.out }).toEqual({
        seed,
        body,
        in: read.usage.in,
        out: read.usage.out,
      })
    }
  })

  test('whatever an upstream sends, the order of events holds', () => {
    for (let seed = 1; seed <= 400; seed++) {
      const { random, bytes } = randomStream(1 + (seed % 20))
      const events = eventsOf(codec, [scrambled(Buffer.from(bytes).toString(), seed)])
      expect({ seed, broken: brokenRules(events) }).toEqual({ seed, broken: [] })
      const again = eventsOf(codec, random.cut(streamOf(codec, events, asked), 50))
      expect({ seed, broken: brokenRules(again) }).toEqual({ seed, broken: [] })
    }
  })
})

/** Frames dropped, duplicated, swapped, and with wrong values. */
function scrambled(text: string, seed: number): Uint8Array {
  const random = seeded(seed)
  const odd = ['null', '[]', '{}', '-1', '1e300', '"x"', 'true', '""', '{"__proto__":1}']
  const frames = text.split('\n\n').flatMap((frame) => {
    const changed = frame.replace(/:("[^"]{0,20}"|\d+|null|true|false)/g, (whole) =>
      random.below(12) === 0 ? `:${random.pick(odd as [string])}` : whole,
    )
    return random.below(10) === 0 ? [] : random.below(10) === 0 ? [changed, changed] : [changed]
  })
  if (random.below(3) === 0) frames.reverse()
  return Buffer.from(frames.join('\n\n'))
}
