import { expect, test } from 'bun:test'
import { systemClock, systemRandom } from '#runtime/clock'
import { writeMultipart } from '#wire/multipart'
import { createDemoUpstream } from './demo.ts'

const demo = createDemoUpstream({ clock: systemClock, random: systemRandom, pace: 0 })
const never = new AbortController().signal

async function ask(
  path: string,
  body: Parameters<typeof demo.open>[0]['body'],
): Promise<{ status: number; type: string | null; bytes: Buffer }> {
  const answer = await demo.open({ method: 'POST', url: `http://demo.invalid/v1/audio/${path}`, body }, never)
  const pieces: Uint8Array[] = []
  for (let piece = await answer.read(); piece; piece = await answer.read()) pieces.push(piece)
  return { status: answer.status, type: answer.headers.get('content-type'), bytes: Buffer.concat(pieces) }
}

const form = (fields: Record<string, string>, size = 32_000) =>
  writeMultipart(
    [
      { name: 'file', filename: 'fox.wav', type: 'audio/wav', size, open: () => new Blob([new Uint8Array(size)]).stream() },
      ...Object.entries({ model: 'parley-demo-transcribe', ...fields }).map(([name, value]) => ({ name, value })),
    ],
    'demo-boundary',
  )

test('a transcript describes what was received, in every format', async () => {
  const said = "This is Parley's demo, which cannot hear. It received fox.wav: audio/wav, 32000 bytes."
  const { status, bytes } = await ask('transcriptions', form({}))
  const answer = JSON.parse(bytes.toString())
  expect([status, answer.text, answer.usage.input_token_details.audio_tokens]).toEqual([200, said, 20])
  const starts = { text: said, srt: '1\n00:00:00,000 --> 00:00:02,000\n', vtt: 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n' }
  for (const [response_format, start] of Object.entries(starts)) {
    const plain = await ask('transcriptions', form({ response_format }))
    expect(plain.type).toMatch(/^text\/plain/)
    expect(plain.bytes.toString()).toStartWith(start)
  }
  for (const response_format of ['verbose_json', 'diarized_json'])
    expect(JSON.parse((await ask('translations', form({ response_format }))).bytes.toString())).toMatchObject({
      duration: 2,
      segments: [{ end: 2, text: said }],
    })
  const events = (await ask('transcriptions', form({ stream: 'true' }))).bytes.toString().trim().split('\n\n')
  expect(events.map((event) => JSON.parse(event.slice(6)).delta ?? '').join('')).toBe(said)
})

test('speech is a tune of the words, always the same', async () => {
  const speech = { model: 'parley-demo-speech', voice: 'any', input: 'Hello you' }
  const wav = await ask('speech', JSON.stringify(speech))
  expect([wav.status, wav.type, wav.bytes.toString('latin1', 0, 4)]).toEqual([200, 'audio/wav', 'RIFF'])
  expect(wav.bytes.readUInt32LE(4)).toBe(wav.bytes.length - 8)
  const pcm = await ask('speech', JSON.stringify({ ...speech, response_format: 'pcm' }))
  expect(pcm.bytes.equals(wav.bytes.subarray(44))).toBe(true)
  // (5 + 3 letters + 2 pauses) x 40 ms of 24 kHz.
  expect(pcm.bytes.length).toBe(10 * 0.04 * 24_000 * 2)
  const events = (await ask('speech', JSON.stringify({ ...speech, stream_format: 'sse' }))).bytes.toString().trim().split('\n\n')
  expect(JSON.parse(events.at(-1)?.slice(6) ?? '')).toMatchObject({ type: 'speech.audio.done', usage: { output_tokens: 9 } })
})

test('what a real vendor refuses is refused', async () => {
  const refused: [string, Parameters<typeof ask>[1], string][] = [
    ['transcriptions', form({}, 0), 'file'],
    ['transcriptions', form({ response_format: 'pdf' }), 'response_format'],
    ['speech', '{"input":""}', 'input'],
    ['speech', '{"input":"x"}', 'voice'],
    ['speech', '{"input":"x","voice":"v","response_format":"opus"}', 'response_format'],
  ]
  for (const [path, body, param] of refused) {
    const { status, bytes } = await ask(path, body)
    expect([status, JSON.parse(bytes.toString()).error.param]).toEqual([400, param])
  }
})
