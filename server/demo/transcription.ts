/** Transcription in the demo: a fixed text that says so, in every format and as a stream. */
import type { Piece } from './chat-writer.ts'
import type { DemoForm } from './form.ts'
import type { Result } from './refusal.ts'

/** Bytes per second, to estimate the duration: a common rate of compressed audio. */
const second = 16_000
const inputTokensPerSecond = 10

const refuse = (message: string, param: string): Result => ({ refusal: { status: 400, message, param, code: null } })

const event = (value: object): Piece => ({ text: `data: ${JSON.stringify(value)}\n\n`, paced: true })

/** Answers `/v1/audio/transcriptions` and `/translations`. */
export function transcribe({ fields, files }: DemoForm): Result {
  const file = files.find(({ name }) => name === 'file')
  if (file === undefined || file.size === 0) return refuse('A file is required.', 'file')
  const text = `This is Parley's demo, which cannot hear. It received ${file.filename || 'a file'}: ${file.type}, ${file.size} bytes.`
  const seconds = Math.ceil(file.size / second)
  const output = Math.ceil(text.length / 4)
  const audio = seconds * inputTokensPerSecond
  const usage = {
    type: 'tokens',
    input_tokens: audio,
    input_token_details: { text_tokens: 0, audio_tokens: audio },
    output_tokens: output,
    total_tokens: audio + output,
  }
  if (fields.get('stream')?.toLowerCase() === 'true') {
    const deltas = text.split(/(?<= )/).map((delta) => event({ type: 'transcript.text.delta', delta }))
    return { type: 'text/event-stream; charset=utf-8', pieces: [...deltas, event({ type: 'transcript.text.done', text, usage })] }
  }
  return whole(fields.get('response_format') ?? 'json', { text, seconds, usage })
}

function whole(format: string, { text, seconds, usage }: { text: string; seconds: number; usage: object }): Result {
  const plain = (words: string): Result => ({ type: 'text/plain; charset=utf-8', pieces: [{ text: words, paced: false }] })
  const segment = { id: 0, start: 0, end: seconds, text }
  if (format === 'json') return { answer: { text, usage } }
  if (format === 'verbose_json')
    return { answer: { task: 'transcribe', language: 'english', duration: seconds, text, segments: [segment], usage } }
  if (format === 'diarized_json') {
    const spoken = { ...segment, id: 'seg_0', type: 'transcript.text.segment', speaker: 'A' }
    return { answer: { task: 'transcribe', duration: seconds, text, segments: [spoken], usage } }
  }
  if (format === 'text') return plain(`${text}\n`)
  if (format === 'srt') return plain(`1\n00:00:00,000 --> ${time(seconds, ',')}\n${text}\n\n`)
  if (format === 'vtt') return plain(`WEBVTT\n\n00:00:00.000 --> ${time(seconds, '.')}\n${text}\n\n`)
  return refuse('The format must be json, verbose_json, diarized_json, text, srt or vtt.', 'response_format')
}

function time(seconds: number, point: string): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${point}000`
}
