/**
 * A scripted upstream with OpenAI's audio endpoints, written from the vendor's reference: which model answers in which format, what is
 * refused, how answers are streamed. Forms are parsed by the platform, so that Parley's output is checked by independent code.
 */
import type { ReceivedRequest } from '#testing/upstream/received-request'
import { respond, respondJson, stream } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'

export const spokenText = 'The quick brown fox jumps over the lazy dog.'
/** The seconds billed for every whisper request. */
export const whisperSeconds = 4
export const tokenUsage = {
  type: 'tokens',
  input_tokens: 44,
  input_token_details: { text_tokens: 4, audio_tokens: 40 },
  output_tokens: 12,
  total_tokens: 56,
}
export const speechUsage = { input_tokens: 9, output_tokens: 130, total_tokens: 139 }
const words = spokenText.split(/(?<= )/)
const durationUsage = { type: 'duration', seconds: whisperSeconds }
const srt = `1\n00:00:00,000 --> 00:00:03,500\n${spokenText}\n\n`
const vtt = `WEBVTT\n\n00:00:00.000 --> 00:00:03.500\n${spokenText}\n\n`

/** The bytes of one piece of speech. */
export const pieceOfSound = (index: number): Uint8Array<ArrayBuffer> => new Uint8Array(2000).fill(index + 1)

/** The form as the platform parses it. */
export async function formIn(request: ReceivedRequest): Promise<FormData> {
  const body = new Uint8Array(request.body)
  const read = new Response(body, { headers: { 'content-type': request.header('content-type') ?? '' } })
  return (await read.formData()) as unknown as FormData
}

const refuse = (param: string, message: string) =>
  respondJson(400, { error: { message, type: 'invalid_request_error', param, code: 'invalid_value' } })

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`

/** The upstream; `everyMs` is the delay between the pieces of a stream. */
export function audioVendor({ everyMs = 20 } = {}): Script {
  async function transcribe(request: ReceivedRequest): Promise<Script> {
    const form = await formIn(request)
    const file = form.get('file')
    const model = form.get('model')
    const format = form.get('response_format') ?? 'json'
    if (!(file instanceof File) || file.size === 0) return refuse('file', 'There is no file.')
    if (typeof model !== 'string') return refuse('model', 'you must provide a model parameter')
    if (model === 'whisper-1') return whisper(String(format))
    if (model.endsWith('-diarize')) return diarized(String(format), form.get('stream') === 'true')
    if (format !== 'json') return refuse('response_format', 'response_format is not compatible with this model.')
    if (form.get('stream') !== 'true') return respondJson(200, { text: spokenText, usage: tokenUsage })
    const deltas = words.map((delta) => event({ type: 'transcript.text.delta', delta }))
    return stream([...deltas, event({ type: 'transcript.text.done', text: spokenText, usage: tokenUsage })], { everyMs })
  }

  function whisper(format: string): Script {
    const plain = { text: `${spokenText}\n`, srt, vtt }[format]
    if (plain !== undefined) return respond(200, { 'Content-Type': 'text/plain; charset=utf-8' }, plain)
    if (format === 'json') return respondJson(200, { text: spokenText, usage: durationUsage })
    if (format !== 'verbose_json') return refuse('response_format', 'Unknown format.')
    const segments = [{ id: 0, start: 0, end: 3.5, text: spokenText }]
    return respondJson(200, { task: 'transcribe', language: 'english', duration: 3.5, text: spokenText, segments, usage: durationUsage })
  }

  function diarized(format: string, streamed: boolean): Script {
    const segment = { type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 3.5, speaker: 'A', text: spokenText }
    if (streamed) return stream([event(segment), event({ type: 'transcript.text.done', text: spokenText, usage: tokenUsage })], { everyMs })
    if (format !== 'diarized_json') return respondJson(200, { text: spokenText, usage: tokenUsage })
    return respondJson(200, { task: 'transcribe', duration: 3.5, text: spokenText, segments: [segment], usage: tokenUsage })
  }

  /** Answers without usage, as the vendor does. */
  async function translate(request: ReceivedRequest): Promise<Script> {
    const form = await formIn(request)
    if (form.get('model') !== 'whisper-1') return refuse('model', 'This model does not translate.')
    return respondJson(200, { text: spokenText })
  }

  function speak(request: ReceivedRequest): Script {
    const body = request.json() as { model: string; input?: string; voice?: unknown; response_format?: string; stream_format?: string }
    if (typeof body.input !== 'string' || body.input.length > 4096) return refuse('input', 'string_above_max_length')
    if (body.voice === undefined) return refuse('voice', 'Missing required parameter.')
    const pieces = Array.from({ length: 8 }, (_, index) => pieceOfSound(index))
    if (body.stream_format === 'sse' && body.model !== 'tts-1') {
      const deltas = pieces.map((piece) => event({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') }))
      return stream([...deltas, event({ type: 'speech.audio.done', usage: speechUsage })], { everyMs })
    }
    const type = { opus: 'audio/opus', aac: 'audio/aac', flac: 'audio/flac', wav: 'audio/wav', pcm: 'audio/pcm' }[
      body.response_format ?? ''
    ]
    return stream(pieces, { everyMs, headers: { 'Content-Type': type ?? 'audio/mpeg' } })
  }

  return async (exchange) => {
    const { request } = exchange
    const endpoints: Record<string, (request: ReceivedRequest) => Script | Promise<Script>> = {
      '/v1/audio/transcriptions': transcribe,
      '/v1/audio/translations': translate,
      '/v1/audio/speech': speak,
    }
    const endpoint = endpoints[request.target]
    const answer = endpoint
      ? await endpoint(request)
      : respondJson(404, { error: { message: 'Unknown request URL', type: 'invalid_request_error' } })
    await answer(exchange)
  }
}
