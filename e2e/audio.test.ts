/** Audio to text and text to audio, with the official SDK and with plain requests, through the whole program. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { sampledEngines } from '#testing/database/database'
import { mp3File, wavFile } from '#testing/sound'
import { respond, respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { audioVendor, formIn, pieceOfSound, speechUsage, spokenText, tokenUsage } from '#testing/vendors/audio-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

interface Row {
  operation: string
  dialect: string
  stream: boolean
  status: number
  end: string
  cost: string
  provenance: string | null
  usage: { in: { fresh: number; audio: number }; out: { total: number; audio: number }; units: Record<string, number> } | null
  attempts: { channel: string; phase: string }[]
}

describe.each(sampledEngines(import.meta.file))('audio on %s', (engine) => {
  let gateway: Gateway
  let upstream: ScriptedUpstream
  let other: ScriptedUpstream
  let client: OpenAI

  beforeAll(async () => {
    upstream = await scriptedUpstream(audioVendor())
    other = await scriptedUpstream(audioVendor())
    gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'on' } })
    const heard = ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-transcribe-diarize']
    const spoken = ['tts-1', 'gpt-4o-mini-tts']
    const models = [...heard, ...spoken, { name: 'ears', upstream: 'gpt-4o-transcribe' }, 'gpt-5']
    await gateway.channel('audio', upstream.url, { vendor: 'openai', models, priority: 2 })
    await gateway.channel('other', other.url, { vendor: 'openai', models, priority: 1 })
    await gateway.price('whisper-1', { second: '0.0001' })
    for (const model of ['gpt-4o-transcribe', 'gpt-4o-transcribe-diarize', 'ears'])
      await gateway.price(model, { input: '2.5', output: '10', audioIn: '6' })
    await gateway.price('tts-1', { character: '15' })
    await gateway.price('gpt-4o-mini-tts', { input: '0.6', output: '12' })
    await gateway.price('gpt-5')
    client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
    await other?.close()
  })

  const sound = (seconds = 3.5) => new File([wavFile(seconds)], 'fox.wav', { type: 'audio/wav' })
  const post = (path: string, body: FormData | string, headers: Record<string, string> = {}) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
    })
  const row = (answer: Response) => gateway.log<Row>(answer.headers.get('x-request-id') ?? '')
  const formWith = (fields: Record<string, string | File>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    return form
  }
  const speech = { model: 'tts-1', voice: 'alloy', input: 'Hello 世界!' }

  test('every format of a transcript comes as the upstream wrote it', async () => {
    const kinds: [model: string, format: string | undefined, type: RegExp, says: RegExp][] = [
      ['whisper-1', undefined, /^application\/json/, /^\{"text"/],
      ['whisper-1', 'json', /^application\/json/, /^\{"text"/],
      ['whisper-1', 'verbose_json', /^application\/json/, /"segments":\[\{"id":0/],
      ['whisper-1', 'text', /^text\/plain/, /^The quick.*\n$/],
      ['whisper-1', 'srt', /^text\/plain/, /^1\n00:00:00,000 -->/],
      ['whisper-1', 'vtt', /^text\/plain/, /^WEBVTT/],
      ['gpt-4o-transcribe-diarize', 'diarized_json', /^application\/json/, /"speaker":"A"/],
    ]
    for (const [model, format, type, says] of kinds) {
      const answer = await post('/v1/audio/transcriptions', formWith({ file: sound(), model, ...(format && { response_format: format }) }))
      expect([answer.status, format]).toEqual([200, format])
      expect(answer.headers.get('content-type')).toMatch(type)
      expect(await answer.text()).toMatch(says)
    }
  })

  test('the official SDK: a file, its model behind it, names and lists as they were sent', async () => {
    const number = upstream.requests.length
    const { data, response } = await client.audio.transcriptions
      .create({ file: sound(), model: 'ears', language: 'en', include: ['logprobs'], prompt: 'Füchse', temperature: 0.2 })
      .withResponse()
    expect(data.text).toBe(spokenText)
    const sent = upstream.requests[number]
    expect(sent?.header('authorization')).toBe('Bearer sk-vendor')
    expect(sent?.header('content-length')).toBe(String(sent?.body.length))
    const form = sent && (await formIn(sent))
    expect(form?.getAll('model')).toEqual(['gpt-4o-transcribe'])
    expect([form?.get('language'), form?.get('prompt'), form?.get('include[]'), form?.get('temperature')]).toEqual([
      'en',
      'Füchse',
      'logprobs',
      '0.2',
    ])
    const file = form?.get('file') as File
    expect(file.name).toBe('fox.wav')
    expect(Buffer.from(await file.arrayBuffer()).equals(Buffer.from(wavFile(3.5)))).toBe(true)
    expect(sent?.text()).toContain('filename="fox.wav"\r\nContent-Type: audio/wav\r\n')
    // 4 x 2.5 + 40 x 6 + 12 x 10 per million.
    expect(await row(response)).toMatchObject({
      operation: 'transcribe',
      dialect: 'openai',
      stream: false,
      provenance: 'provider',
      cost: '0.00037',
      usage: { in: { fresh: 4, audio: 40 }, out: { total: 12 }, units: { seconds: 3.5 } },
    })
  })

  test('a transcript really streams, and its usage is the upstream`s', async () => {
    upstream.next(stream([`data: {"type":"transcript.text.delta","delta":"${spokenText}"}\n\n`], { ending: 'hang' }))
    const held = await client.audio.transcriptions.create({ file: sound(), model: 'gpt-4o-transcribe', stream: true })
    // The first words arrive before the upstream has sent the rest.
    for await (const event of held) {
      expect(event).toMatchObject({ type: 'transcript.text.delta' })
      break
    }
    const number = upstream.requests.length
    const { data, response } = await client.audio.transcriptions
      .create({ file: sound(), model: 'gpt-4o-transcribe', stream: true })
      .withResponse()
    const events = []
    for await (const event of data) events.push(event)
    expect(events.map((event) => ('delta' in event ? event.delta : '')).join('')).toBe(spokenText)
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: spokenText, usage: tokenUsage })
    const sent = upstream.requests[number]
    expect(sent && (await formIn(sent)).get('stream')).toBe('true')
    expect(await row(response)).toMatchObject({ stream: true, end: 'complete', provenance: 'provider', cost: '0.00037' })
  })

  test('a whole answer to a streamed request becomes events, and nothing is invented', async () => {
    const kinds = { 'whisper-1': ['delta', 'done'], 'gpt-4o-transcribe-diarize': ['segment', 'done'] }
    for (const [model, types] of Object.entries(kinds)) {
      const format = model === 'whisper-1' ? 'verbose_json' : 'diarized_json'
      if (format === 'diarized_json') {
        const segments = [{ id: 'seg_0', start: 0, end: 1, speaker: 'A', text: spokenText }]
        upstream.next(respondJson(200, { text: spokenText, segments, usage: tokenUsage }))
      }
      const answer = await post('/v1/audio/transcriptions', formWith({ file: sound(), model, stream: 'true', response_format: format }))
      expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
      const events = (await answer.text())
        .trim()
        .split('\n\n')
        .map((line) => JSON.parse(line.slice('data: '.length)))
      expect(events.map((event) => event.type)).toEqual(types.map((type) => `transcript.text.${type}`))
      expect(events.at(-1)).toMatchObject({ text: spokenText })
      expect(await row(answer)).toMatchObject({ stream: true, provenance: 'provider', cost: model === 'whisper-1' ? '0.0004' : '0.00037' })
    }
  })

  test('seconds: the upstream`s if it reports them, else those of the file, marked as an estimate', async () => {
    const said = await post('/v1/audio/transcriptions', formWith({ file: sound(), model: 'whisper-1' }))
    expect(await row(said)).toMatchObject({ provenance: 'provider', cost: '0.0004', usage: { units: { seconds: 4 } } })
    const verbose = respondJson(200, { duration: 2.2, text: spokenText, segments: [] })
    upstream.next(verbose)
    const told = await post('/v1/audio/transcriptions', formWith({ file: sound(), model: 'whisper-1', response_format: 'verbose_json' }))
    expect(await row(told)).toMatchObject({ provenance: 'provider', cost: '0.0003', usage: { units: { seconds: 2.2 } } })
    const file = new File([mp3File(300)], 'x.bin')
    const measured = await post('/v1/audio/transcriptions', formWith({ file, model: 'whisper-1', response_format: 'text' }))
    // 300 frames of 1152 samples at 44.1 kHz: 7.84 seconds.
    expect(await row(measured)).toMatchObject({ provenance: 'estimated', cost: '0.0008' })
    const unknown = new File([new Uint8Array(40_000).fill(7)], 'x.bin')
    const guessed = await post('/v1/audio/transcriptions', formWith({ file: unknown, model: 'whisper-1', response_format: 'text' }))
    // 40,000 bytes at 16 kB a second.
    expect(await row(guessed)).toMatchObject({ provenance: 'estimated', cost: '0.0003', usage: { units: { seconds: 2.5 } } })
  })

  test('translations go to their own address', async () => {
    const number = upstream.requests.length
    const { data, response } = await client.audio.translations.create({ file: sound(), model: 'whisper-1' }).withResponse()
    expect(data.text).toBe(spokenText)
    expect(upstream.requests[number]?.target).toBe('/v1/audio/translations')
    expect(await row(response)).toMatchObject({ operation: 'transcribe', provenance: 'estimated', cost: '0.0004' })
  })

  test('a retry sends the same file again, and only the attempt that delivered is charged', async () => {
    upstream.next(respondJson(500, { error: { message: 'boom' } }))
    const before = other.requests.length
    const first = upstream.requests.length
    const answer = await post('/v1/audio/transcriptions', formWith({ file: sound(200), model: 'gpt-4o-transcribe' }))
    expect(answer.status).toBe(200)
    const [failed, served] = [upstream.requests[first], other.requests[before]]
    const bytes = async (request: typeof failed) =>
      new Uint8Array(await ((await formIn(request as never)).get('file') as File).arrayBuffer())
    expect(Buffer.from(await bytes(served)).equals(Buffer.from(await bytes(failed)))).toBe(true)
    expect(Buffer.from(await bytes(served)).equals(Buffer.from(wavFile(200)))).toBe(true)
    const { cost, attempts } = await row(answer)
    expect([cost, attempts.map(({ channel }) => channel)]).toEqual(['0.00037', ['audio', 'other']])
  })

  test('speech passes as it arrives, named as the upstream names it, and is charged by the character', async () => {
    const answer = await post('/v1/audio/speech', JSON.stringify(speech))
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    const reader = answer.body?.getReader()
    const first = await reader?.read()
    // The first piece arrives before the upstream has sent the last.
    expect(first?.value?.length).toBeLessThan(8 * 2000)
    let size = first?.value?.length ?? 0
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) size += piece.value.length
    expect(size).toBe(8 * 2000)
    // 9 characters at 15 per million.
    expect(await row(answer)).toMatchObject({ operation: 'speak', end: 'complete', cost: '0.000135', usage: { units: { characters: 9 } } })
    const { response } = await client.audio.speech.create({ ...speech, response_format: 'wav' }).withResponse()
    expect(response.headers.get('content-type')).toBe('audio/wav')
    upstream.next(stream([pieceOfSound(0)], { headers: { 'Content-Type': 'application/octet-stream' } }))
    const unnamed = await post('/v1/audio/speech', JSON.stringify({ ...speech, response_format: 'flac' }))
    expect([unnamed.headers.get('content-type'), (await unnamed.arrayBuffer()).byteLength]).toEqual(['audio/flac', 2000])
  })

  test('speech in events: the upstream`s own with their usage, or made of the sound of one that has none', async () => {
    const mini = { ...speech, model: 'gpt-4o-mini-tts', stream_format: 'sse' }
    const own = await post('/v1/audio/speech', JSON.stringify(mini))
    expect(own.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const eventsOf = async (answer: Response) =>
      (await answer.text())
        .trim()
        .split('\n\n')
        .map((line) => JSON.parse(line.slice('data: '.length)) as { type: string; audio?: string })
    const events = await eventsOf(own)
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: speechUsage })
    // 9 x 0.6 + 130 x 12 per million.
    expect(await row(own)).toMatchObject({
      provenance: 'provider',
      cost: '0.0015654',
      usage: { in: { fresh: 9 }, out: { total: 130, audio: 130 } },
    })
    const made = await eventsOf(await post('/v1/audio/speech', JSON.stringify({ ...speech, stream_format: 'sse' })))
    const bytes = Buffer.concat(made.map(({ audio = '' }) => Buffer.from(audio, 'base64')))
    expect(bytes.equals(Buffer.concat(Array.from({ length: 8 }, (_, index) => pieceOfSound(index))))).toBe(true)
    expect(made.at(-1)?.type).toBe('speech.audio.done')
  })

  test('sound without a word of usage is an estimate, and never more than was held', async () => {
    const answer = await post('/v1/audio/speech', JSON.stringify({ ...speech, model: 'gpt-4o-mini-tts', response_format: 'pcm' }))
    expect((await answer.arrayBuffer()).byteLength).toBe(16_000)
    // 14 bytes of text, a third of a second of sound at 21 tokens a second.
    expect(await row(answer)).toMatchObject({
      provenance: 'estimated',
      usage: { in: { fresh: 4 }, out: { total: 7, audio: 7 } },
      cost: '0.0000864',
    })
  })

  test('an upstream that breaks before the first byte is replaced; behind it, the client`s connection breaks too', async () => {
    for (const broken of [
      stream([], { headers: { 'Content-Type': 'audio/mpeg' } }),
      respond(200, { 'Content-Type': 'text/html' }, '<html>'),
      respondJson(200, { error: { message: 'x' } }),
    ]) {
      upstream.next(broken)
      const answer = await post('/v1/audio/speech', JSON.stringify(speech))
      expect((await answer.arrayBuffer()).byteLength).toBe(16_000)
      expect((await row(answer)).attempts.map(({ channel }) => channel)).toEqual(['audio', 'other'])
    }
    upstream.next(stream([pieceOfSound(0)], { headers: { 'Content-Type': 'audio/mpeg' }, everyMs: 50, ending: 'reset' }))
    const answer = await post('/v1/audio/speech', JSON.stringify(speech))
    expect(answer.status).toBe(200)
    const outcome = await answer.arrayBuffer().then(
      () => 'whole',
      () => 'broken',
    )
    expect(outcome).toBe('broken')
    expect(await row(answer)).toMatchObject({ end: 'cut', cost: '0.000135' })
  })

  test('a transcript that breaks in the middle ends with an error in the stream', async () => {
    upstream.next(stream(['data: {"type":"transcript.text.delta","delta":"The "}\n\n'], { ending: 'reset', everyMs: 50 }))
    const answer = await post('/v1/audio/transcriptions', formWith({ file: sound(), model: 'gpt-4o-transcribe', stream: 'true' }))
    expect(await answer.text()).toMatch(/"delta":"The "[\s\S]*"error":\{"message"[\s\S]*\[DONE\]/)
    // 35 input tokens, 1 output token.
    expect(await row(answer)).toMatchObject({ end: 'cut', provenance: 'estimated', cost: '0.00022' })
  })

  test('keys in any carrier; none is a 401 in the envelope of the endpoint', async () => {
    for (const headers of [{ 'x-api-key': gateway.key }, { 'x-goog-api-key': gateway.key }, { authorization: `bearer ${gateway.key}` }]) {
      const answer = await fetch(`${gateway.url}/v1/audio/speech`, { method: 'POST', headers, body: JSON.stringify(speech) })
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    }
    const bare = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      body: formWith({ file: sound(), model: 'whisper-1' }),
    })
    expect([bare.status, ((await bare.json()) as { error: { code: string } }).error.code]).toEqual([401, 'invalid_api_key'])
  })

  test('a user without money is refused before anything is sent', async () => {
    const { key } = await gateway.user(`poor-${engine}`, '0.0001')
    const number = upstream.requests.length
    const answer = await post('/v1/audio/transcriptions', formWith({ file: sound(), model: 'whisper-1' }), {
      authorization: `Bearer ${key}`,
    })
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([429, 'insufficient_quota'])
    expect(upstream.requests.length).toBe(number)
  })

  const file = () => sound(1)
  const bad: [what: string, path: string, body: () => FormData | string, status: number, code: string, param: string | null][] = [
    ['JSON for a form', 'transcriptions', () => '{}', 415, 'unsupported_media_type', null],
    ['no model', 'transcriptions', () => formWith({ file: file() }), 400, 'missing_field', 'model'],
    ['no file', 'transcriptions', () => formWith({ model: 'whisper-1' }), 400, 'missing_field', 'file'],
    ['a file that is text', 'transcriptions', () => formWith({ model: 'whisper-1', file: 'x' }), 400, 'invalid_value', 'file'],
    ['a model that is a file', 'transcriptions', () => formWith({ model: file(), file: file() }), 400, 'invalid_value', 'model'],
    ['an empty file', 'transcriptions', () => formWith({ model: 'whisper-1', file: new File([], 'a.mp3') }), 400, 'invalid_value', 'file'],
    [
      'an unknown format',
      'transcriptions',
      () => formWith({ model: 'whisper-1', file: file(), response_format: 'pdf' }),
      400,
      'invalid_value',
      'response_format',
    ],
    [
      'a stream that is no flag',
      'transcriptions',
      () => formWith({ model: 'whisper-1', file: file(), stream: 'maybe' }),
      400,
      'invalid_value',
      'stream',
    ],
    [
      'a translation as a stream',
      'translations',
      () => formWith({ model: 'whisper-1', file: file(), stream: 'true' }),
      400,
      'unsupported_value',
      'stream',
    ],
    [
      'a translation with speakers',
      'translations',
      () => formWith({ model: 'whisper-1', file: file(), response_format: 'diarized_json' }),
      400,
      'invalid_value',
      'response_format',
    ],
    ['an unknown model', 'transcriptions', () => formWith({ model: 'nope', file: file() }), 404, 'model_not_found', 'model'],
    ['a model that chats', 'transcriptions', () => formWith({ model: 'gpt-5', file: file() }), 400, 'unsupported_endpoint', 'model'],
    [
      'a model that speaks, asked to hear',
      'transcriptions',
      () => formWith({ model: 'tts-1', file: file() }),
      400,
      'unsupported_endpoint',
      'model',
    ],
    [
      'what the upstream refuses',
      'transcriptions',
      () => formWith({ model: 'gpt-4o-transcribe', file: file(), response_format: 'srt' }),
      400,
      'invalid_value',
      'response_format',
    ],
    ['a form for JSON', 'speech', () => formWith({ model: 'tts-1' }), 415, 'unsupported_media_type', null],
    ['no JSON', 'speech', () => '{', 400, 'invalid_json', null],
    ['no model', 'speech', () => '{"input":"x","voice":"alloy"}', 400, 'missing_field', 'model'],
    ['no input', 'speech', () => '{"model":"tts-1"}', 400, 'missing_field', 'input'],
    ['an empty input', 'speech', () => '{"model":"tts-1","input":" "}', 400, 'invalid_value', 'input'],
    ['an input that is a list', 'speech', () => '{"model":"tts-1","input":["x"]}', 400, 'invalid_value', 'input'],
    ['a voice that is a number', 'speech', () => '{"model":"tts-1","input":"x","voice":1}', 400, 'invalid_value', 'voice'],
    [
      'an unknown format',
      'speech',
      () => '{"model":"tts-1","input":"x","voice":"a","response_format":"midi"}',
      400,
      'invalid_value',
      'response_format',
    ],
    [
      'an unknown kind of stream',
      'speech',
      () => '{"model":"tts-1","input":"x","voice":"a","stream_format":"x"}',
      400,
      'invalid_value',
      'stream_format',
    ],
    ['too fast', 'speech', () => '{"model":"tts-1","input":"x","voice":"a","speed":9}', 400, 'invalid_value', 'speed'],
    ['a model that chats', 'speech', () => '{"model":"gpt-5","input":"x"}', 400, 'unsupported_endpoint', 'model'],
    ['what the upstream refuses', 'speech', () => '{"model":"tts-1","input":"x"}', 400, 'invalid_value', 'voice'],
  ]
  let users = 0
  test.each(bad)('bad input: %s (%s)', async (_, path, body, status, code, param) => {
    // Of a key, the first ten refusals a minute for a cause have rows.
    const { key } = await gateway.user(`odd ${users++}`, '10')
    const answer = await post(`/v1/audio/${path}`, body(), { authorization: `Bearer ${key}` })
    const { error } = (await answer.json()) as { error: { code: string; param: string | null; type: string } }
    expect([answer.status, error.code, error.param, error.type]).toEqual([status, code, param, 'invalid_request_error'])
    expect(await row(answer)).toMatchObject({ status, cost: '0', usage: null })
  })

  test('the demo hears nothing and sings, and charges for both', async () => {
    const { data, response } = await client.audio.transcriptions.create({ file: sound(), model: 'parley-demo-transcribe' }).withResponse()
    expect(data.text).toContain('fox.wav: audio/wav, 112044 bytes')
    // 8 seconds at 10 tokens and 1 USD per million, 22 tokens of text at 2.
    expect(await row(response)).toMatchObject({ provenance: 'provider', cost: '0.000124' })
    const sung = await client.audio.speech.create({ model: 'parley-demo-speech', voice: 'any', input: 'Hello you' })
    expect([sung.headers.get('content-type'), (await sung.arrayBuffer()).byteLength]).toEqual(['audio/wav', 19_244])
    // 3 tokens of text, 0.4 seconds of sound at 21 tokens a second and 2 USD per million.
    expect(await row(sung)).toMatchObject({ provenance: 'estimated', cost: '0.000021' })
  })

  test('nothing is left in the spool', async () => {
    expect(readdirSync(join(gateway.program.folder, 'data', 'spool'))).toEqual([])
  })
})
