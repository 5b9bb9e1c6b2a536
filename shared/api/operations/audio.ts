/** Transcription, translation and speech. */
import { OneOf, Type } from '../../typebox.ts'
import { FileField, ModelName, NotEmpty, Open, OrNull } from '../fields.ts'

const sound = {
  file: FileField('The sound: up to 25 MiB.'),
  model: ModelName(),
  prompt: Type.Optional(Type.String()),
  temperature: Type.Optional(Type.String()),
}

/** POST /v1/audio/transcriptions */
export const TranscriptionForm = Open({
  ...sound,
  language: Type.Optional(Type.String()),
  response_format: Type.Optional(OneOf(['json', 'verbose_json', 'diarized_json', 'text', 'srt', 'vtt'])),
  stream: Type.Optional(OneOf(['true', 'false'])),
})

/** POST /v1/audio/translations */
export const TranslationForm = Open({ ...sound, response_format: Type.Optional(OneOf(['json', 'verbose_json', 'text', 'srt', 'vtt'])) })

/** `verbose_json` and `diarized_json` have more fields. The other formats are plain text. */
export const Transcript = Open({ text: Type.String(), usage: Type.Optional(Open({ type: Type.Optional(Type.String()) })) })

/** POST /v1/audio/speech */
export const SpeechRequest = Open({
  model: ModelName(),
  input: NotEmpty(),
  voice: OrNull(Type.Union([Type.String(), Open({ id: Type.String() })])),
  instructions: OrNull(Type.String()),
  response_format: OrNull(OneOf(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm', 'ogg', 'mulaw'])),
  speed: OrNull(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: OrNull(OneOf(['audio', 'sse'])),
})
