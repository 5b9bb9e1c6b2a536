/** Speech from text. Audio bytes are forwarded as they arrive, from any upstream, so it is only read whole if it is inside JSON. */
import type { OperationCodec } from '#canonical/operation/operation'
import type { Speech, SpeechQuestion } from '#canonical/operation/speech'
import { GatewayError } from '#shared/errors'
import { editFields } from '../edit.ts'
import { readError } from '../error.ts'
import { sounds } from './formats.ts'
import { soundEvents, soundMeter } from './sound-meter.ts'
import { measured, readSpeakHead, type SpeakHead } from './speak-head.ts'
import { speechQuestion } from './speak-question.ts'
import { isEvents } from './transcript-meter.ts'

/** Throws: sound is never read whole. */
export function noWhole(): never {
  throw new GatewayError('upstream_error', 'The upstream did not answer with audio.')
}

const events = 'text/event-stream; charset=utf-8'

/** The upstream's own content type if it is one of this format. */
function streamType({ format, events: asked }: SpeakHead, type: string): string {
  if (asked) return events
  return /^(audio\/|text\/event-stream)/i.test(type) ? type : sounds[format].type
}

/** `POST /v1/audio/speech`, passed between clients and upstreams of this style. */
export const speakCodec: OperationCodec<SpeechQuestion, Speech, SpeakHead> = {
  style: 'openai',
  accept: '*/*',
  readHead: readSpeakHead,
  editRequest: (body, edits) => editFields(String(body), edits, { field: 'instructions', put: (json) => json }),
  readWhole: noWhole,
  meter: (_edits, asked, type) => soundMeter(measured(asked), type),
  framing: (_asked, type) => (isEvents(type) ? 'events' : 'pieces'),
  streamType,
  streamsAs: (type) => !/json|html|text\/plain/i.test(type),
  readQuestion: (body) => speechQuestion(String(body)),
  writeQuestion: ({ body }, { model }) => ({
    requests: [{ body: editFields(body, { model }, { field: 'instructions', put: (json) => json }) }],
    losses: [],
  }),
  readAnswer: noWhole,
  writeAnswer: noWhole,
  outline: (question) => ({ ...question, body: '', text: '' }),
  writeStream: ({ sound }, { events: asked }) => (asked ? soundEvents(sound) : sound),
  readError,
}
