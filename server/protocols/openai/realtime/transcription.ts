/** Sessions that only transcribe: where they name their model, in the current protocol and in its beta version. */
import { isObject } from '#shared/json'
import { spliceAt } from '#wire/splice-at'

const places = [
  ['session', 'audio', 'input', 'transcription', 'model'],
  ['session', 'input_audio_transcription', 'model'],
] as const

/** The model that this event names for transcribing. */
export function transcriberIn(event: Record<string, unknown>): string | undefined {
  for (const place of places) {
    const found = place.reduce<unknown>((within, name) => (isObject(within) ? within[name] : undefined), event)
    if (typeof found === 'string') return found
  }
  return undefined
}

/** The same frame of a client with this model in place of the one that it names for transcribing. */
export function withTranscriber(frame: string, model: string): string {
  if (!frame.includes('transcription')) return frame
  return places.reduce(
    (json, place) =>
      spliceAt(
        json,
        place.map((name) => [name]),
        () => JSON.stringify(model),
      ),
    frame,
  )
}

/** The first event of such a session. */
export const transcriptionSetup = (model: string): string =>
  JSON.stringify({ type: 'session.update', session: { type: 'transcription', audio: { input: { transcription: { model } } } } })
