import { describe, expect, test } from 'bun:test'
import type { Meter } from '#canonical/codec'
import type { Form } from '#canonical/operation/operation'
import type { Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { speakCodec } from './speak.ts'
import type { SpeakHead } from './speak-head.ts'
import { transcribeCodec } from './transcribe.ts'
import type { TranscribeHead } from './transcribe-head.ts'

const open = () => new Blob(['x']).stream()
const sound = (seconds?: number, size = 32_000) => ({
  name: 'file',
  filename: 'a.wav',
  type: 'audio/wav',
  size,
  open,
  ...(seconds !== undefined && { seconds }),
})
const form = (fields: Record<string, string> = {}, file = sound(10)): Form => ({
  parts: [{ name: 'model', value: 'm' }, file, ...Object.entries(fields).map(([name, value]) => ({ name, value }))],
  size: file.size + 500,
})
const heard = (fields: Record<string, string> = {}, file = sound(10)): TranscribeHead => transcribeCodec.readHead(form(fields, file))
const spoken = (more: object = {}): SpeakHead =>
  speakCodec.readHead(JSON.stringify({ model: 'm', voice: 'v', input: 'Hello 世界!', ...more }))

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof GatewayError) return `${error.status} ${error.code}`
    throw error
  }
  return 'nothing was thrown'
}

const figures = ({ in: input, out, units, provenance }: Usage) => [input.fresh, input.audio, out.total, units.seconds, provenance]

test('a temperature must be a number, which one is for the upstream to judge', () => {
  expect(refusal(() => heard({ temperature: 'hot' }))).toBe('400 invalid_value')
  for (const temperature of ['', '0', '0.2', '1e-1']) expect(refusal(() => heard({ temperature }))).toBe('nothing was thrown')
})

describe('usage of a transcript', () => {
  const text = 'x'.repeat(40)
  const tokens = {
    type: 'tokens',
    input_tokens: 24,
    input_token_details: { text_tokens: 4, audio_tokens: 20 },
    output_tokens: 7,
    total_tokens: 31,
  }
  const byToken = { tokens: true, seconds: false, characters: false }
  const bySecond = { tokens: false, seconds: true, characters: false }
  const cases: [
    what: string,
    reported: object,
    priced: TranscribeHead['priced'],
    fresh: number,
    audio: number,
    out: number,
    seconds: number,
    provenance: string,
  ][] = [
    ['tokens', { usage: tokens }, byToken, 4, 20, 7, 10, 'provider'],
    ['tokens without kinds are sound', { usage: { input_tokens: 24, output_tokens: 7 } }, byToken, 0, 24, 7, 10, 'provider'],
    ['tokens, but seconds are charged', { usage: tokens }, bySecond, 4, 20, 7, 10, 'partial'],
    ['seconds', { usage: { type: 'duration', seconds: 12 } }, bySecond, 0, 0, 0, 12, 'provider'],
    ['a duration', { duration: 9.7 }, bySecond, 0, 0, 0, 9.7, 'provider'],
    ['a duration as older servers write it', { duration: '9.7' }, bySecond, 0, 0, 0, 9.7, 'provider'],
    ['seconds, but tokens are charged', { usage: { type: 'duration', seconds: 12 } }, byToken, 0, 100, 10, 12, 'partial'],
    ['no time at all, which no sound lasts', { duration: 0 }, bySecond, 0, 0, 0, 10, 'estimated'],
    ['no seconds', { usage: { type: 'duration', seconds: 0 } }, bySecond, 0, 0, 0, 10, 'estimated'],
    ['nothing, by the token', {}, byToken, 0, 100, 10, 10, 'estimated'],
    ['nothing, by the second', {}, bySecond, 0, 0, 0, 10, 'estimated'],
    [
      'nonsense',
      { usage: { type: 'tokens', input_tokens: -4, output_tokens: 'x' }, duration: 'NaN' },
      byToken,
      0,
      100,
      10,
      10,
      'estimated',
    ],
    ['more than there can be', { usage: { type: 'duration', seconds: 1e12 } }, bySecond, 0, 0, 0, 10, 'estimated'],
  ]
  test.each(cases)('%s', (_, reported, priced, ...wanted) => {
    const asked: TranscribeHead = { ...heard(), ...(priced && { priced }) }
    expect<unknown>(figures(transcribeCodec.readWhole(JSON.stringify({ text, ...reported }), {}, asked).usage)).toEqual(wanted)
  })

  test('a file that does not tell its length: 16 kB a second for the estimate, 2 kB for the hold', () => {
    const asked = heard({ prompt: 'some words' }, sound(undefined))
    expect(asked.estimate(40).units.seconds).toBe(2)
    expect(figures(asked.most)).toEqual([10, 320, 292, 16, 'estimated'])
    expect(figures(heard().most)).toEqual([0, 220, 232, 11, 'estimated'])
  })
})

describe('whole transcripts', () => {
  const read = (body: string, format = 'json') => transcribeCodec.readWhole(body, {}, heard({ response_format: format }))
  test('bytes stay; the type follows what they are', () => {
    expect(read('{"text":"a"}')).toMatchObject({ body: '{"text":"a"}', end: 'complete' })
    expect(read('{"text":"a"}').contentType).toBeUndefined()
    for (const format of ['text', 'srt', 'vtt']) expect(read('WEBVTT\n\n', format).contentType).toBe('text/plain; charset=utf-8')
    expect(read('{"text":"a"}', 'text').contentType).toBeUndefined()
  })
  test.each<[string, string, string]>([
    ['no JSON', 'hello', 'json'],
    ['no text in it', '{"words":[]}', 'verbose_json'],
    ['a page', '<!DOCTYPE html><p>', 'text'],
    ['an error', '{"error":{"message":"x"}}', 'text'],
  ])('%s is no answer', (_, body, format) => expect(refusal(() => read(body, format))).toBe('502 upstream_error'))
})

/** The output of a meter for these bytes, split into pieces of `size`. */
function run(meter: Meter, bytes: Uint8Array, size: number, events = true): { out: string; error?: GatewayError } {
  const splitter = createSseSplitter()
  let out = ''
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
  const frames = events
    ? [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
    : chunks.map((raw) => ({ raw, event: undefined, data: undefined }))
  for (const frame of frames) {
    const verdict = meter.push(frame)
    out += Buffer.from(verdict.out ?? []).toString('latin1')
    if (verdict.error) return { out, error: verdict.error }
    if (verdict.last) return { out }
  }
  return { out: out + Buffer.from(meter.tail() ?? []).toString('latin1') }
}

const meterOf = (asked: TranscribeHead, type: string): Meter => {
  const meter = transcribeCodec.meter?.({}, asked, type)
  if (!meter) throw new Error('no meter')
  return meter
}
const soundMeterOf = (asked: SpeakHead, type: string): Meter => {
  const meter = speakCodec.meter?.({}, asked, type)
  if (!meter) throw new Error('no meter')
  return meter
}

describe('streamed transcripts', () => {
  const done = `data: {"type":"transcript.text.done","text":"Hi Füchse","usage":{"type":"tokens","input_tokens":5,"output_tokens":3}}\n\n`
  const stream = `: hello\n\ndata: {"type":"transcript.text.delta","delta":"Hi "}\n\nevent: x\r\ndata: {"type":"news"}\r\n\r\n${done}`
  const asked = heard({ stream: 'true' })

  test.each([1, 3, 17, 10_000])('pass byte for byte in pieces of %d', (size) => {
    const meter = meterOf(asked, 'text/event-stream')
    expect(run(meter, Buffer.from(stream), size)).toEqual({ out: Buffer.from(stream).toString('latin1') })
    expect([meter.end(), ...figures(meter.usage(0))]).toEqual(['complete', 0, 5, 3, 10, 'provider'])
  })
  test('an answer without its last event was cut, and what came is estimated', () => {
    const meter = meterOf(asked, 'text/event-stream; charset=utf-8')
    run(meter, Buffer.from(stream.slice(0, -done.length)), 50)
    expect([meter.end(), ...figures(meter.usage(0))]).toEqual(['cut', 0, 100, 1, 10, 'estimated'])
  })
  test('an error in the stream is one', () => {
    for (const error of ['{"error":{"message":"x"}}', '{"type":"error","message":"x"}', 'no json'])
      expect(run(meterOf(asked, 'text/event-stream'), Buffer.from(`data: ${error}\n\n`), 100).error?.code).toBe('upstream_error')
  })
  test('a whole answer becomes events, with its usage where it has one, without where it has none', () => {
    const whole = (body: string, type: string) => {
      const meter = meterOf(heard({ stream: 'true', response_format: 'text' }), type)
      const { out } = run(meter, Buffer.from(body), body.length, false)
      return [
        out
          .trim()
          .split('\n\n')
          .map((line) => JSON.parse(line.slice(6))),
        meter.end(),
        meter.usage(0).provenance,
      ]
    }
    const delta = { type: 'transcript.text.delta', delta: 'Hi' }
    const usage = { type: 'duration', seconds: 3 }
    const done = { type: 'transcript.text.done', text: 'Hi' }
    expect(whole(JSON.stringify({ text: 'Hi', usage }), 'application/json')).toEqual([[delta, { ...done, usage }], 'complete', 'provider'])
    expect(whole('Hi', 'text/plain')).toEqual([[delta, done], 'complete', 'estimated'])
  })
  test('a page, or an error, in place of a stream is one', () => {
    const meter = () => meterOf(asked, 'application/json')
    for (const body of ['<html>', '{"error":{"message":"x"}}', '{}'])
      expect(run(meter(), Buffer.from(body), 1000, false).error?.code).toBe('upstream_error')
    expect(transcribeCodec.streamsAs?.('text/html')).toBe(false)
  })
})

describe('speech', () => {
  const audio = ({ in: input, out, units, provenance }: Usage) => [input.fresh, out.audio, out.total, units.characters, provenance]

  test('the hold: code points, and the time they take at most when read aloud', () => {
    expect(audio(spoken().most)).toEqual([9, 77, 77, 9, 'estimated'])
    // 2 + 7 letters x 0.12 + 2 signs x 0.4 seconds, at a quarter of the speed.
    expect(spoken().most.units.seconds).toBe(4)
    expect(spoken({ speed: 0.25 }).most.units.seconds).toBe(9)
    expect(spoken({ input: '😀'.repeat(10), instructions: 'slow' }).most).toMatchObject({ units: { characters: 10 }, in: { fresh: 14 } })
  })

  test('sound passes as it is; its length is a guess by its size, by the type it came in, and never over the hold', () => {
    const meter = soundMeterOf(spoken({ response_format: 'pcm' }), 'audio/pcm')
    expect(run(meter, new Uint8Array(48_000).fill(1), 1000, false).out).toHaveLength(48_000)
    expect([meter.end(), ...audio(meter.usage(0))]).toEqual(['complete', 4, 21, 21, 9, 'estimated'])
    const other = soundMeterOf(spoken(), 'audio/wav')
    run(other, new Uint8Array(48_000), 1000, false)
    expect(other.usage(0).out.audio).toBe(21)
    const long = soundMeterOf(spoken(), 'audio/mpeg')
    run(long, new Uint8Array(4_800_000), 100_000, false)
    expect([long.usage(0).out.audio, long.usage(0).units.seconds]).toEqual([77, 4])
    expect(soundMeterOf(spoken(), 'audio/mpeg').end()).toBe('cut')
  })

  test('events pass byte for byte; the last one says the usage', () => {
    const done = 'data: {"type":"speech.audio.done","usage":{"input_tokens":9,"output_tokens":130,"total_tokens":139}}\n\n'
    const events = `data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n${done}`
    const meter = soundMeterOf(spoken({ stream_format: 'sse' }), 'text/event-stream')
    expect(run(meter, Buffer.from(events), 7)).toEqual({ out: events })
    expect([meter.end(), ...audio(meter.usage(0))]).toEqual(['complete', 9, 130, 130, 9, 'provider'])
    const cut = soundMeterOf(spoken({ stream_format: 'sse' }), 'text/event-stream')
    run(cut, Buffer.from(events.slice(0, -done.length)), 7)
    expect([cut.end(), cut.usage(0).provenance, cut.failure?.(new GatewayError('upstream_error', 'x')).length]).toMatchObject([
      'cut',
      'estimated',
      expect.any(Number),
    ])
  })

  test('sound for a client that asked for events is put into events', () => {
    const asked = spoken({ stream_format: 'sse' })
    const { out } = run(soundMeterOf(asked, 'audio/mpeg'), new Uint8Array([1, 2, 3, 4]), 3, false)
    expect(out).toBe(
      'data: {"type":"speech.audio.delta","audio":"AQID"}\n\ndata: {"type":"speech.audio.delta","audio":"BA=="}\n\ndata: {"type":"speech.audio.done"}\n\n',
    )
    expect(speakCodec.streamType?.(asked, 'audio/mpeg')).toBe('text/event-stream; charset=utf-8')
  })

  test('the type is the upstream`s word for the sound, else that of the format', () => {
    const type = (format: string, reported: string) => speakCodec.streamType?.(spoken({ response_format: format }), reported)
    expect([type('mp3', 'audio/mpeg; x=1'), type('opus', ''), type('flac', 'application/octet-stream')]).toEqual([
      'audio/mpeg; x=1',
      'audio/opus',
      'audio/flac',
    ])
    for (const refused of ['application/json', 'text/html', 'text/plain']) expect(speakCodec.streamsAs?.(refused)).toBe(false)
  })

  test('only the model`s name is edited in the request', () => {
    const raw = '{"model":"m",  "input":"x","voice":"v","extra":{"a":1.0}}'
    expect(speakCodec.editRequest(raw, { model: 'tts-1' })).toBe(raw.replace('"m"', '"tts-1"'))
  })
})

test('unrequested events are an error', () => {
  expect(refusal(() => speakCodec.meter?.({}, spoken(), 'text/event-stream'))).toBe('502 upstream_error')
})
