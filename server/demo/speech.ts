/** Speech of the demo: every word is a fixed tone of its own, as long as the word. */
import type { Fields } from './chat-rules.ts'
import type { Piece } from './chat-writer.ts'
import type { Result } from './refusal.ts'

const rate = 24_000
/** Seconds of sound per letter, and of silence after a word. */
const letterTime = 0.04
const pauseTime = 0.04
const mostCharacters = 4096
const spokenTokens = 21

/** A pentatonic scale, in hertz. */
const scale = [220, 247.5, 277.2, 330, 371.3, 440, 495, 554.4]

const refuse = (message: string, param: string): Result => ({ refusal: { status: 400, message, param, code: null } })

/** Answers `/v1/audio/speech` with WAV, or with raw samples for `pcm`. */
export function speak(body: Fields): Result {
  const { input, voice, response_format: format, stream_format: kind } = body
  if (typeof input !== 'string' || input.trim() === '' || [...input].length > mostCharacters) {
    return refuse(`The input must be text of 1 to ${mostCharacters} characters.`, 'input')
  }
  if (voice === undefined || voice === null) return refuse('A voice is required.', 'voice')
  const asked = format ?? 'wav'
  if (asked !== 'wav' && asked !== 'pcm') return refuse('The demo makes wav and pcm only.', 'response_format')
  const words = input.match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? ['…']
  const tones = words.map(tone)
  const bytes = tones.reduce((sum, one) => sum + one.length, 0)
  const sound = asked === 'wav' ? [wavHead(bytes), ...tones] : tones
  if (kind !== 'sse') return { type: asked === 'wav' ? 'audio/wav' : 'audio/pcm', pieces: sound.map((text) => ({ text, paced: true })) }
  const output = Math.ceil((bytes / 2 / rate) * spokenTokens)
  const usage = { input_tokens: Math.ceil(input.length / 4), output_tokens: output, total_tokens: Math.ceil(input.length / 4) + output }
  const deltas = sound.map((piece) => event({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') }))
  return { type: 'text/event-stream; charset=utf-8', pieces: [...deltas, event({ type: 'speech.audio.done', usage })] }
}

const event = (value: object): Piece => ({ text: `data: ${JSON.stringify(value)}\n\n`, paced: true })

function tone(word: string): Uint8Array {
  const letters = [...word]
  const hertz = scale[letters.reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % scale.length] ?? 440
  const loud = Math.round(Math.min(12, letters.length) * letterTime * rate)
  const samples = Buffer.alloc((loud + Math.round(pauseTime * rate)) * 2)
  for (let i = 0; i < loud; i++) {
    // Fades in and out: a tone that starts or ends abruptly clicks.
    const volume = 6000 * Math.sin((Math.PI * i) / loud)
    samples.writeInt16LE(Math.round(volume * Math.sin((2 * Math.PI * hertz * i) / rate)), i * 2)
  }
  return samples
}

/** The header of a RIFF file with 16-bit mono samples. */
function wavHead(bytes: number): Uint8Array {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(bytes, 40)
  return head
}
