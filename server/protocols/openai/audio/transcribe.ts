/** Transcriptions and translations of audio: a form as input; JSON, plain text or events as output. */
import type { Incoming, OperationCodec, Variant } from '#canonical/operation/operation'
import { readError, writeStreamError } from '../error.ts'
import { editForm } from '../form.ts'
import { isPlainText } from './formats.ts'
import { readTranscribeHead, type TranscribeHead } from './transcribe-head.ts'
import { eventsOf, readTranscript, reportedIn } from './transcript.ts'
import { isEvents, transcriptMeter } from './transcript-meter.ts'
import { settleSound } from './usage.ts'

function readWhole(body: string, asked: TranscribeHead) {
  const transcript = readTranscript(body, asked)
  return {
    body,
    usage: settleSound(asked, reportedIn(transcript.json), Buffer.byteLength(transcript.text)),
    end: 'complete' as const,
    ...(transcript.json === undefined && { contentType: 'text/plain; charset=utf-8' }),
  }
}

/** The question is the form itself, and the answer is the body in the requested format. */
export interface TranscribeQuestion {
  form: Incoming
  head: TranscribeHead
  variant: Variant | undefined
}

/** `POST /v1/audio/transcriptions` and `/translations`, passed between clients and upstreams of this style. */
export const transcribeCodec: OperationCodec<TranscribeQuestion, string, TranscribeHead> = {
  style: 'openai',
  accept: '*/*',
  readHead: readTranscribeHead,
  editRequest: editForm,
  readWhole: (body, _edits, asked) => readWhole(body, asked),
  meter: (_edits, asked, type) => transcriptMeter(asked, type),
  framing: (_asked, type) => (isEvents(type) ? 'events' : 'whole'),
  // Models that cannot stream return a whole answer although a stream was requested.
  streamsAs: (type) => !/html/i.test(type),
  readQuestion: (body, path, variant) => ({ form: body, head: readTranscribeHead(body, path, variant), variant }),
  writeQuestion: ({ form, variant }, { model }) => ({
    requests: [{ body: editForm(form, { model }), ...(variant && { variant }) }],
    losses: [],
  }),
  readAnswer([body = ''], { head }) {
    const { usage } = readWhole(body, head)
    return { answer: body, usage }
  },
  writeAnswer: (answer, { head }) => ({
    body: answer,
    losses: [],
    ...(isPlainText(head.format) && { contentType: 'text/plain; charset=utf-8' }),
  }),
  writeStream: (answer, { head }) => eventsOf(readTranscript(answer, head)),
  readError,
  writeStreamError,
  keepalive: new TextEncoder().encode(': keep-alive\n\n'),
}
