/**
 * The byte test: requests and streams as the vendors' documents describe them, with fields nobody knows, cut anywhere. What
 * passes equals what came but for the closed list. The generator writes each text twice, as it comes and as it must leave,
 * and knows nothing of the codec.
 */
import { describe, expect, test } from 'bun:test'
import type { AnswerEdits } from '#canonical/codec'
import { createSseSplitter } from '#shared/sse'
import { type Seeded, seeded } from '#testing/seeded'
import { chatPassthrough as chat } from './codec.ts'

const rounds = 200
/** A text as it comes and as it must leave. */
type Pair = [came: string, left: string]

const same = (text: string): Pair => [text, text]

function join(pairs: Pair[], between = ''): Pair {
  return [
    pairs
      .map(([came]) => came)
      .filter(Boolean)
      .join(between),
    pairs
      .map(([, left]) => left)
      .filter(Boolean)
      .join(between),
  ]
}

const strange = (dice: Seeded): string =>
  dice.pick([
    '1.0',
    '-0',
    '1E400',
    '12345678901234567890123',
    '"model"',
    '"\\ud83d\\ude00 \\"model\\": \\"x\\""',
    '"日本🎉\\n\\\\"',
    '{"model":"deep","usage":null,"a":[{}, [ ]]}',
    '[ "x" , {"model":1} ]',
    'null',
    'true',
    '""',
  ])

const unknown = (dice: Seeded): Pair =>
  same(`"${dice.pick(['x_new', 'x\\u005fnew', 'obfuscation', 'ünï', 'Model', 'model '])}" : ${strange(dice)}`)

/** Fields in random order, with white space between them. */
function object(dice: Seeded, fields: Pair[]): Pair {
  const order = fields.map((field) => ({ field, at: dice.roll() })).sort((a, b) => a.at - b.at)
  return join([
    same('{'),
    join(
      order.map(({ field }) => field),
      ',',
    ),
    same('}'),
  ])
}

function padded(dice: Seeded, pair: Pair): Pair {
  const space = () => dice.pick(['', '', ' ', '\n  ', '\t'])
  const [before, after] = [space(), space()]
  return [`${before}${pair[0]}${after}`, `${before}${pair[1]}${after}`]
}

describe(`${rounds} requests`, () => {
  test('leave as they came but for the model, usage, and what Parley removes', () => {
    for (let seed = 1; seed <= rounds; seed++) {
      const dice = seeded(seed)
      const name = dice.pick(['m', 'a/b-c', 'with \\"quote\\"', '\\u006d'])
      const field = (pair: Pair) => padded(dice, pair)
      const fields: Pair[] = [
        field([`"model" :"${name}"`, '"model" :"up \\"1\\""']),
        field(same(`"messages": [ {"role":"user","content": ${strange(dice)}, "new":${strange(dice)}}, ${strange(dice)} ]`)),
        ...Array.from({ length: dice.below(6) }, () => field(unknown(dice))),
      ]
      if (dice.below(3) === 0) fields.push(field(['"mod\\u0065l":"twice"', '"mod\\u0065l":"up \\"1\\""']))
      const usage = dice.below(2) === 0
      if (usage) fields.push(field(['"stream_options":{"x":1.0 }', '"stream_options":{"x":1.0,"include_usage":true }']))
      else fields.push(['"stream_options":null', '"stream_options":{"include_usage":true}'])
      const [came, left] = padded(dice, object(dice, fields))
      const head = chat.readHead(came)
      expect({ seed, usageAsked: head.usageAsked }).toEqual({ seed, usageAsked: false })
      expect({ seed, left: chat.editRequest(came, { model: 'up "1"', forceUsage: true }) }).toEqual({ seed, left })
      expect(chat.editRequest(came, {})).toBe(came)
    }
  })
})

/** One event of a stream; `hides` says that usage is withheld from this client. */
function chunk(dice: Seeded, hides: boolean, delta: string, finish: string): Pair {
  const fields: Pair[] = [
    same('"id":"chatcmpl-1"'),
    same('"object" : "chat.completion.chunk"'),
    ['"model": "upstream"', '"model": "asked"'],
    same(`"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}, "new":${strange(dice)}}]`),
    ...Array.from({ length: dice.below(3) }, () => unknown(dice)),
  ]
  if (dice.below(2) === 0) fields.push(hides ? ['"usage":null', ''] : same('"usage":null'))
  return object(dice, fields)
}

function framed(dice: Seeded, [came, left]: Pair): Pair {
  const end = dice.pick(['\n', '\n', '\n', '\r\n', '\r'])
  const before = dice.pick(['', '', '', `: note "model"${end}`, `id: 7${end}`, `retry: 5${end}event: x${end}`])
  const prefix = dice.pick(['data: ', 'data: ', 'data:'])
  return [`${before}${prefix}${came}${end}${end}`, `${before}${prefix}${left}${end}${end}`]
}

function stream(dice: Seeded, hides: boolean): Pair {
  const deltas = ['{"role":"assistant","content":""}', '{"content":"日本🎉"}', '{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}']
  const events: Pair[] = []
  if (dice.below(4) === 0) events.push(same('\ufeff: hello\n\n'))
  for (let i = 1 + dice.below(8); i > 0; i--) {
    const delta = dice.pick([`{"reasoning_content":"hm","x":${strange(dice)}}`, ...deltas])
    events.push(framed(dice, chunk(dice, hides, delta, 'null')))
    if (dice.below(4) === 0) events.push(same(dice.pick([': keep-alive\n\n', '\n', 'event: ping\r\n\r\n', ':\r\r'])))
  }
  events.push(framed(dice, chunk(dice, hides, '{}', '"stop"')))
  const [usage] = framed(dice, same('{"model":"asked","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"new":1}}'))
  events.push(hides ? [usage, ''] : same(usage))
  events.push(framed(dice, same('[DONE]')))
  return join(events)
}

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
      const dice = seeded(seed)
      const [came, left] = stream(dice, hides)
      const pieces = dice.cut(Buffer.from(came), dice.pick([1, 3, 40, 1000]))
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
      const start = performance.now()
      const splitter = createSseSplitter()
      const meter = chat.meter(edits)
      for (let at = 0; at < bytes.length; at += 1400) for (const frame of splitter.push(bytes.subarray(at, at + 1400))) meter.push(frame)
      best = Math.min(best, ((performance.now() - start) * 1000) / events)
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
