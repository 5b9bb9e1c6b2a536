/**
 * ElevenLabs, Deepgram and Gemini behind OpenAI's endpoints for sound. Their answers are those that github vercel/ai has recorded
 * (packages/elevenlabs/src/__fixtures__/elevenlabs-transcription.json, packages/deepgram/src/__fixtures__/deepgram-transcription.json),
 * shortened; Gemini's is of https://ai.google.dev/gemini-api/docs/speech-generation; the errors are of github home-assistant/core issue 160414 and https://developers.deepgram.com/docs/errors.md.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import OpenAI, { type APIError } from 'openai'
import { sampledEngine } from '#testing/database/database'
import { mp3File, wavFile } from '#testing/sound'
import { respond, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { formIn } from '#testing/vendors/audio-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway
let client: OpenAI
const vendors = { elevenlabs: ['eleven_multilingual_v2', 'scribe_v1'], deepgram: ['aura-2-thalia-en', 'nova-3'] } as const

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  for (const [vendor, [speaks, hears]] of Object.entries(vendors)) {
    await gateway.channel(vendor, upstream.url, { vendor, models: [speaks, hears], keys: [`key-of-${vendor}`] })
    await gateway.price(speaks, { character: '15' })
    await gateway.price(hears, { second: '0.0001' })
  }
  await gateway.channel('google', upstream.url, { vendor: 'gemini', models: ['gemini-2.5-flash-preview-tts'] })
  await gateway.price('gemini-2.5-flash-preview-tts', { input: '1', output: '10' })
  client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})
beforeEach(() => gateway.heal())

const last = () => {
  const request = upstream.requests.at(-1)
  if (!request) throw new Error('nothing was asked')
  const { pathname, searchParams } = new URL(request.target, upstream.url)
  return { request, pathname, query: Object.fromEntries(searchParams) }
}
const rowOf = async (headers: Headers) => gateway.log(headers.get('x-request-id') ?? '')
const file = () => new File([wavFile(3)], 'fox.wav', { type: 'audio/wav' })
const sound = Buffer.from(mp3File(1))

describe('ElevenLabs', () => {
  const [speaks, hears] = vendors.elevenlabs
  const word = (text: string, start: number, end: number, type = 'word') => ({
    text,
    start,
    end,
    type,
    speaker_id: 'speaker_0',
    logprob: 0,
  })
  const transcript = {
    language_code: 'eng',
    language_probability: 0.8905608654022217,
    text: 'Hello from',
    words: [word('Hello', 0.199, 0.479), word(' ', 0.479, 0.499, 'spacing'), word('from', 0.5, 0.639)],
    transcription_id: 'dRgXxwt3SzzliHA3nDAQ',
  }

  test('speech: the voice in the address, the sound as it comes, characters on the bill', async () => {
    upstream.next(respond(200, { 'Content-Type': 'audio/mpeg' }, sound))
    const speech = { model: speaks, voice: '21m00Tcm4TlvDq8ikWAM', input: 'Hello, world!', speed: 1.1, instructions: 'softly' }
    const { response } = await client.audio.speech.create(speech).withResponse()
    expect(Buffer.from(await response.arrayBuffer())).toEqual(sound)
    const { request, pathname, query } = last()
    expect([pathname, query]).toEqual(['/v1/text-to-speech/21m00Tcm4TlvDq8ikWAM/stream', { output_format: 'mp3_44100_128' }])
    expect(request.json()).toEqual({ text: 'Hello, world!', model_id: speaks, voice_settings: { speed: 1.1 } })
    expect([request.header('xi-api-key'), request.header('authorization')]).toEqual(['key-of-elevenlabs', undefined])
    expect(response.headers.get('x-parley-losses')).toContain('instructions')
    expect(await rowOf(response.headers)).toMatchObject({ end: 'complete', cost: '0.000195', usage: { units: { characters: 13 } } })
  })

  test('a transcript: its own form, our words, the time of the last word', async () => {
    upstream.next(respondJson(200, transcript))
    const asking = { model: hears, file: file(), language: 'en', prompt: 'x', response_format: 'verbose_json' } as const
    const { data, response } = await client.audio.transcriptions.create(asking).withResponse()
    expect(data).toMatchObject({ text: 'Hello from', language: 'eng', duration: 0.639 })
    expect(data.words).toEqual([
      { word: 'Hello', start: 0.199, end: 0.479 },
      { word: 'from', start: 0.5, end: 0.639 },
    ])
    const form = await formIn(last().request)
    expect([...form.keys()].sort()).toEqual(['file', 'language_code', 'model_id'])
    expect([last().pathname, form.get('model_id'), form.get('language_code')]).toEqual(['/v1/speech-to-text', hears, 'en'])
    expect(response.headers.get('x-parley-losses')).toContain('prompt')
    expect(await rowOf(response.headers)).toMatchObject({ end: 'complete', provenance: 'provider', usage: { units: { seconds: 0.639 } } })
  })

  test('who said what, and a stream for who asked for one', async () => {
    upstream.next(respondJson(200, transcript))
    const asking = { model: hears, file: file(), response_format: 'diarized_json' } as const
    const turns = (await client.audio.transcriptions.create(asking)) as unknown as { segments: object[] }
    expect(turns.segments).toMatchObject([{ speaker: 'speaker_0', start: 0.199, end: 0.639, text: 'Hello from' }])
    expect((await formIn(last().request)).get('diarize')).toBe('true')
    upstream.next(respondJson(200, transcript))
    const events: unknown[] = []
    for await (const event of await client.audio.transcriptions.create({ model: hears, file: file(), stream: true })) events.push(event)
    expect(events).toMatchObject([{ type: 'transcript.text.delta', delta: 'Hello from' }, { type: 'transcript.text.done' }])
  })

  test('a spent quota, which comes as 401, is a limit; what it cannot make is refused before it is asked', async () => {
    const message =
      'This request exceeds your quota of 10000. You have 0 credits remaining, while 91 credits are required for this request.'
    upstream.next(respondJson(401, { detail: { status: 'quota_exceeded', message } }))
    const failed = await client.audio.speech.create({ model: speaks, voice: 'v', input: 'x' }).catch((error: APIError) => error)
    expect(failed).toMatchObject({ status: 429 })
    await gateway.heal()
    const calls = upstream.requests.length
    const asked = [
      () => client.audio.speech.create({ model: speaks, voice: 'v', input: 'x', response_format: 'flac' }),
      () => client.audio.transcriptions.create({ model: hears, file: file(), response_format: 'srt' }),
      () => client.audio.translations.create({ model: hears, file: file() }),
    ]
    // One after the other: a rejection before it is awaited would count as unhandled.
    for (const ask of asked) expect(await ask().catch((error: APIError) => error.status)).toBe(400)
    expect(upstream.requests.length).toBe(calls)
  })
})

describe('Deepgram', () => {
  const [speaks, hears] = vendors.deepgram
  const word = (text: string, start: number, end: number) => ({ word: text, start, end, confidence: 1, speaker: 0, speaker_confidence: 1 })
  const transcript = {
    metadata: { request_id: 'e9ad6d71-4f48-4f6e-8b19-035dbcdda8cb', created: '2026-02-12T22:42:32.266Z', duration: 36.744, channels: 1 },
    results: {
      channels: [
        {
          alternatives: [
            { transcript: 'galileo was', confidence: 0.99902344, words: [word('galileo', 0.16, 0.8), word('was', 0.8, 0.96)] },
          ],
        },
      ],
    },
  }

  test('speech: model and format in the address; the model is the voice', async () => {
    upstream.next(respond(200, { 'Content-Type': 'audio/mpeg' }, sound))
    const { response } = await client.audio.speech.create({ model: speaks, voice: speaks, input: 'Hello!' }).withResponse()
    expect(Buffer.from(await response.arrayBuffer())).toEqual(sound)
    expect([last().pathname, last().query, last().request.json()]).toEqual([
      '/v1/speak',
      { model: speaks, encoding: 'mp3' },
      { text: 'Hello!' },
    ])
    expect([last().request.header('authorization'), response.headers.get('x-parley-losses')]).toEqual(['Token key-of-deepgram', null])
    upstream.next(respond(200, { 'Content-Type': 'audio/wav' }, sound))
    const other = await client.audio.speech.create({ model: speaks, voice: 'alloy', input: 'Hi', response_format: 'wav' }).withResponse()
    await other.response.arrayBuffer()
    expect(last().query).toMatchObject({ encoding: 'linear16', container: 'wav', sample_rate: '24000' })
    expect(other.response.headers.get('x-parley-losses')).toContain('voice')
  })

  test('a transcript: the bytes as they are, options in the address, seconds on the bill', async () => {
    upstream.next(respondJson(200, transcript))
    const { data, response } = await client.audio.transcriptions.create({ model: hears, file: file() }).withResponse()
    expect(data).toEqual({ text: 'galileo was', usage: { type: 'duration', seconds: 36.744 } })
    const { request, pathname, query } = last()
    expect([pathname, query]).toEqual(['/v1/listen', { model: hears, smart_format: 'true', detect_language: 'true' }])
    expect([request.header('content-type'), Buffer.from(request.body).equals(Buffer.from(wavFile(3)))]).toEqual(['audio/wav', true])
    expect(await rowOf(response.headers)).toMatchObject({ provenance: 'provider', usage: { units: { seconds: 36.744 } } })
  })

  test('what it says is wrong with the sound is passed on', async () => {
    const err_msg = 'Bad Request: failed to process audio: corrupt or unsupported data'
    upstream.next(respondJson(400, { err_code: 'Bad Request', err_msg, request_id: 'uuid' }))
    const failed = await client.audio.transcriptions.create({ model: hears, file: file() }).catch((error: APIError) => error)
    expect(failed).toMatchObject({ status: 400, message: expect.stringContaining(err_msg) })
  })
})

describe('Gemini', () => {
  const model = 'gemini-2.5-flash-preview-tts'
  const samples = Buffer.from(Array.from({ length: 4800 }, (_, n) => n % 251))
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: samples.toString('base64') }
  const answer = {
    candidates: [{ content: { parts: [{ inlineData }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    usageMetadata: {
      ...{ promptTokenCount: 9, candidatesTokenCount: 25, totalTokenCount: 34 },
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
    },
    modelVersion: model,
  }
  const speak = (more: object = {}) => client.audio.speech.create({ model, voice: 'Kore', input: 'Hello!', ...more })

  test('samples as they are, or as a WAV file that says so', async () => {
    upstream.next(respondJson(200, answer))
    const raw = await speak({ response_format: 'pcm', instructions: 'Say cheerfully:' }).withResponse()
    expect(Buffer.from(await raw.response.arrayBuffer()).equals(samples)).toBe(true)
    expect([raw.response.headers.get('content-type'), raw.response.headers.get('x-parley-losses')]).toEqual(['audio/pcm', null])
    expect([last().pathname, last().request.json()]).toEqual([
      `/v1beta/models/${model}:generateContent`,
      {
        contents: [{ role: 'user', parts: [{ text: 'Say cheerfully:\n\nHello!' }] }],
        generationConfig: { responseModalities: ['AUDIO'], speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } } },
      },
    ])
    expect(await rowOf(raw.response.headers)).toMatchObject({ end: 'complete', provenance: 'provider', cost: '0.000259' })

    upstream.next(respondJson(200, answer))
    const { response } = await speak().withResponse()
    const wave = Buffer.from(await response.arrayBuffer())
    expect([response.headers.get('content-type'), response.headers.get('x-parley-losses')]).toEqual([
      'audio/wav',
      expect.stringContaining('response_format'),
    ])
    expect([wave.toString('latin1', 0, 4), wave.readUInt32LE(24), wave.subarray(44).equals(samples)]).toEqual(['RIFF', 24_000, true])

    upstream.next(
      respondJson(200, {
        ...answer,
        candidates: [{ content: { parts: [{ inlineData: { mimeType: 'audio/wav', data: wave.toString('base64') } }] } }],
      }),
    )
    const unpacked = await speak({ response_format: 'pcm' })
    expect(Buffer.from(await unpacked.arrayBuffer()).equals(samples)).toBe(true)
  })

  test('events for who asked for them; what it cannot make, and an answer without sound, are refused', async () => {
    upstream.next(respondJson(200, answer))
    const events = await (await speak({ response_format: 'pcm', stream_format: 'sse' })).text()
    expect(events).toBe(
      `data: ${JSON.stringify({ type: 'speech.audio.delta', audio: inlineData.data })}\n\ndata: {"type":"speech.audio.done"}\n\n`,
    )
    const calls = upstream.requests.length
    expect(await speak({ response_format: 'mp3' }).catch((error: APIError) => error.status)).toBe(400)
    expect(upstream.requests.length).toBe(calls)
    upstream.next(
      respondJson(200, { ...answer, candidates: [{ content: { parts: [{ text: 'No.' }], role: 'model' }, finishReason: 'OTHER' }] }),
    )
    expect(await speak({ response_format: 'wav' }).catch((error: APIError) => error.status)).toBe(400)
  })
})
