/**
 * Pictures in OpenAI's format, which most services copy: generated or edited from a prompt, as JSON or a form. Client side only: upstreams
 * of this style get the client's own bytes. Start with `head.ts`; streams are in `stream-meter.ts`.
 */
import type { RequestEdits } from '#canonical/codec'
import type { ImageAnswer, ImageHead, ImageQuestion } from '#canonical/operation/image'
import type { Incoming, OperationEndpoint } from '#canonical/operation/operation'
import { editFields } from '../edit.ts'
import { readError, writeStreamError } from '../error.ts'
import { editForm } from '../form.ts'
import { readHead, readQuestion } from './head.ts'
import { readWhole } from './response-meter.ts'
import { writeAnswer, writeStream } from './response-write.ts'
import { imagesMeter, isWhole } from './stream-meter.ts'

/** A system prompt is for conversations. */
const nowhere = { field: '', put: (json: string | undefined) => json }

const editRequest = (body: Incoming, edits: RequestEdits): Incoming =>
  typeof body === 'string' ? editFields(body, edits, nowhere) : editForm(body, edits)

/** `POST /v1/images/generations` and `/edits`. */
export const imagesCodec: OperationEndpoint<ImageQuestion, ImageAnswer, ImageHead> = {
  style: 'openai',
  readHead,
  editRequest,
  readWhole,
  meter: imagesMeter,
  framing: (_asked, type) => (isWhole(type) ? 'whole' : 'events'),
  streamsAs: (type) => !/html/i.test(type),
  readQuestion,
  writeAnswer,
  writeStream,
  outline: ({ mask: _, ...question }) => ({ ...question, prompt: '', images: [] }),
  readError,
  writeStreamError,
  keepalive: new TextEncoder().encode(': keep-alive\n\n'),
}
