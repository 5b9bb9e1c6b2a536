import { describe, expect, test } from 'bun:test'
import type { AnswerEdits, FrameVerdict } from '#canonical/codec'
import { createSseSplitter } from '#shared/sse'
import { seeded } from '#testing/seeded'
import { threadNow } from '#testing/thread-time'
import { geminiCodec } from './codec.ts'
import { readWhole } from './response-meter.ts'
import { geminiMeter } from './stream-meter.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes)

function watch(pieces: readonly Uint8Array[], edits: AnswerEdits = {}) {
  const splitter = createSseSplitter()
  const meter = geminiMeter(edits)
  const frames = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  const verdicts: FrameVerdict[] = frames.map((frame) => meter.push(frame))
  return {
    out: Buffer.concat(verdicts.map((verdict) => verdict.out ?? new Uint8Array())).toString(),
    meaningful: verdicts.map((verdict) => verdict.meaningful),
    error: verdicts.find((verdict) => verdict.error)?.error,
    end: meter.end(),
    tail: decode(meter.tail()),
    usage: meter.usage(8),
  }
}
const watchText = (stream: string, edits: AnswerEdits = {}) => watch([encode(stream)], edits)

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const chunk = (parts: unknown[], finishReason?: string, index = 0) =>
  event({ candidates: [{ content: { role: 'model', parts }, finishReason, index }], modelVersion: 'up' })
const hi = chunk([{ text: 'hi' }])

describe('how a stream ends', () => {
  test('every candidate has its finish: nothing is missing', () => {
    expect(watchText(hi + chunk([], 'STOP'))).toMatchObject({ end: 'complete', tail: undefined, error: undefined })
    expect(watchText(chunk([{ text: 'a' }], 'MAX_TOKENS'))).toMatchObject({ end: 'length' })
    expect(watchText(hi + chunk([{ text: 'x' }], 'STOP') + chunk([{ text: 'more' }]))).toMatchObject({ end: 'complete' })
    expect(watchText(chunk([], 'STOP') + chunk([{ text: 'x' }], undefined, 1))).toMatchObject({ end: 'cut' })
    expect(watchText(chunk([], 'STOP') + chunk([], 'SAFETY', 1))).toMatchObject({ end: 'complete' })
  })

  test('T40: a blocked prompt is complete', () => {
    expect(watchText(event({ promptFeedback: { blockReason: 'SAFETY' } }))).toMatchObject({ end: 'complete', meaningful: [true] })
  })

  test('T06: without a finish it was cut', () => {
    for (const stream of ['', ': hi\n\n', hi, chunk([], 'FINISH_REASON_UNSPECIFIED'), chunk([], ''), event({ usageMetadata: {} })]) {
      expect(watchText(stream)).toMatchObject({ end: 'cut', error: undefined })
    }
  })

  test('in the middle of an event it was cut, unless the answer was complete', () => {
    expect(watchText(`${hi}data: {"cand`)).toMatchObject({ end: 'cut', error: { code: 'upstream_error' } })
    expect(watchText(`${hi}${chunk([], 'STOP')}data: {"cand`)).toMatchObject({ end: 'complete', error: undefined })
  })

  test('T12: the last event without its blank line is closed', () => {
    const last = chunk([], 'STOP')
    expect(watchText((hi + last).slice(0, -2)).out).toBe(hi + last)
  })

  test('T12: a terminator of another dialect does not reach the client', () => {
    expect(watchText(`${hi}${chunk([], 'STOP')}data: [DONE]\n\n`)).toMatchObject({ out: hi + chunk([], 'STOP'), end: 'complete' })
  })
})

describe('what commits the answer', () => {
  test('T22: empty parts, comments and figures do not', () => {
    for (const parts of [[], [{}], [{ text: '' }], [{ text: '', thought: true }], [{ text: null }]]) {
      expect(watchText(chunk(parts)).meaningful).toEqual([false])
    }
    expect(watchText(`: hi\n\ndata:\n\n${event({ usageMetadata: { promptTokenCount: 5 } })}`).meaningful).not.toContain(true)
  })

  test('content, calls, finishes and unknown fields do', () => {
    for (const parts of [[{ text: 'x' }], [{ functionCall: { name: 'f' } }], [{ thoughtSignature: 'x', text: '' }], [{ later: 0 }]]) {
      expect(watchText(chunk(parts)).meaningful).toEqual([true])
    }
    expect(watchText(chunk([], 'STOP')).meaningful).toEqual([true])
  })
})

describe('errors inside a stream', () => {
  test('T08, T09: at any time, and nothing after', () => {
    const error = event({ error: { code: 503, status: 'UNAVAILABLE', message: 'x'.repeat(400) } })
    expect(watchText(error)).toMatchObject({
      out: '',
      meaningful: [true],
      end: 'cut',
      error: { code: 'upstream_error' },
      usage: { out: { total: 0 } },
    })
    expect(watchText(chunk([{ text: '12345678' }]) + error + hi)).toMatchObject({
      out: chunk([{ text: '12345678' }]),
      end: 'cut',
      usage: { out: { total: 2 } },
    })
  })

  test('what is no JSON object', () => {
    for (const data of ['{', 'hello', '[]', '5', 'null', '<html>']) {
      expect(watchText(`data: ${data}\n\n`)).toMatchObject({ out: '', end: 'cut', error: { code: 'upstream_error' } })
    }
  })
})

test('the model’s name goes back where there is one, and nowhere else', () => {
  const stream =
    'data: {"modelVersion": "up", "candidates":[{"content":{"parts":[{"text":"\\"modelVersion\\":\\"up\\""}]},"x":{"modelVersion":"up"}}]}\n\n'
  expect(watchText(stream, { model: 'as"ked' }).out).toBe(stream.replace('"up"', '"as\\"ked"'))
  expect(watchText('data: {"candidates":[]}\n\n', { model: 'asked' }).out).toBe('data: {"candidates":[]}\n\n')
})

test('200 streams with unknown fields, cut anywhere, pass byte for byte but for the name', () => {
  const strange = ['1.0', '1E400', '"日本🎉\\n"', '{"modelVersion":"deep","a":[{}, [ ]]}', 'null', '[ "x" ]']
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed)
    const odd = () => strange[random.below(strange.length)]
    const text = (name: string) => {
      const parts = [
        '[{"text":"日本"}]',
        '[{"thought":true,"text":"hm"}]',
        '[{"functionCall":{"name":"f","args":{"a":1.0}}}]',
        `[{"later":${odd()}}]`,
      ]
      return `{"x_new":${odd()}, "modelVersion" : "${name}","candidates":[ {"content":{"parts":${parts[random.below(4)]}},"index":0}],"y":${odd()}}`
    }
    let [came, left] = ['', '']
    for (let count = 1 + random.below(6); count > 0; count--) {
      const [before, end] = [random.pick(['', '', ': note\n\n', 'id: 7\n']), random.pick(['\n', '\r\n', '\r'])]
      const body = text('NAME')
      came += `${before}data: ${body.replace('NAME', 'up')}${end}${end}`
      left += `${before}data: ${body.replace('NAME', 'asked')}${end}${end}`
    }
    const pieces = random.cut(encode(came), random.pick([1, 3, 40, 1000]))
    expect({ seed, out: watch(pieces, { model: 'asked' }).out }).toEqual({ seed, out: left })
    expect({ seed, out: watch(pieces).out }).toEqual({ seed, out: came })
  }
})

test('the estimate counts text, thoughts, calls and code, in bytes, and not what frames them', () => {
  const parts = [
    { text: '日日' },
    { text: '1234', thought: true },
    { functionCall: { name: 'look', args: { a: 1 } } },
    { executableCode: { language: 'PYTHON', code: '1234' } },
    { later: 'not counted' },
  ]
  expect(watchText(chunk(parts)).usage).toMatchObject({ in: { fresh: 2 }, out: { total: 7, reasoning: 1 }, provenance: 'estimated' })
})

test('T14: the keep-alive is a comment that is an event of its own', () => {
  const [frame] = createSseSplitter().push(geminiCodec.keepalive)
  expect([frame?.data, frame?.event, frame?.unfinished]).toEqual([undefined, undefined, false])
})

test('speed: microseconds per event of an ordinary stream', () => {
  const usage = {
    promptTokenCount: 12,
    candidatesTokenCount: 8,
    totalTokenCount: 20,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 12 }],
  }
  const body = {
    candidates: [{ content: { parts: [{ text: ' word' }], role: 'model' }, index: 0 }],
    usageMetadata: usage,
    modelVersion: 'm',
    responseId: 'r',
  }
  const bytes = encode(event(body).repeat(200))
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 40; round++) {
    const start = threadNow()
    watch([bytes], { model: 'asked' })
    best = Math.min(best, ((threadNow() - start) * 1000) / 200)
  }
  console.info(`gemini stream, µs per event: ${best.toFixed(2)}`)
  expect(best).toBeLessThan(200)
})

describe('a whole answer', () => {
  const body = '{ "candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}],"modelVersion": "up","x":1.0 }'

  test('passes byte for byte but for the name', () => {
    expect(readWhole(body, {}, 8)).toMatchObject({ body, end: 'complete', usage: { out: { total: 1 }, provenance: 'estimated' } })
    expect(readWhole(body, { model: 'asked' }, 8).body).toBe(body.replace('"up"', '"asked"'))
    expect(readWhole(body.replace('STOP', 'MAX_TOKENS'), {}, 8).end).toBe('length')
    expect(readWhole('{"promptFeedback":{"blockReason":"SAFETY"}}', {}, 8).end).toBe('complete')
  })

  test('what is no answer', () => {
    for (const text of ['', '<html>', '[]', '5', '{}', '{"candidates":[]}', '{"candidates":5}', '{"error":{"code":500}}']) {
      expect(() => readWhole(text, {}, 8)).toThrow(expect.objectContaining({ code: 'upstream_error' }))
    }
    expect(() => readWhole('{"error":{"code":429}}', {}, 8)).toThrow(expect.objectContaining({ code: 'upstream_rate_limited' }))
  })
})
