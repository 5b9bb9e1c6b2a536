/** Formats of audio and transcripts, with their general properties. */

/** Formats of a transcript; the last three are plain text. */
export const transcriptFormats = ['json', 'verbose_json', 'diarized_json', 'text', 'srt', 'vtt'] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** True for a transcript that is text instead of JSON. */
export const isPlainText = (format: TranscriptFormat) => format === 'text' || format === 'srt' || format === 'vtt'

interface Sound {
  type: string
  /** Typical bytes per second: 24 kHz mono if uncompressed. */
  second: number
}

/** Formats of speech: OpenAI's six, and those that servers of the same shape add. */
export const sounds = {
  mp3: { type: 'audio/mpeg', second: 16_000 },
  opus: { type: 'audio/opus', second: 8_000 },
  aac: { type: 'audio/aac', second: 16_000 },
  flac: { type: 'audio/flac', second: 28_000 },
  wav: { type: 'audio/wav', second: 48_000 },
  pcm: { type: 'audio/pcm', second: 48_000 },
  ogg: { type: 'audio/ogg', second: 8_000 },
  mulaw: { type: 'audio/basic', second: 8_000 },
} as const satisfies Record<string, Sound>
export type SoundFormat = keyof typeof sounds
/** The formats in which speech can be requested. */
export const soundFormats = Object.keys(sounds) as SoundFormat[]
